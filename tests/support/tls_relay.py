"""Passes plain connections on over TLS, for peers that are made up in a test.

    tls_relay.py TARGET_PORT PSK_IN_HEX

Prints the port that it listens on. Each connection is one of `openssl s_client`; ends when it is
killed, and they with it.
"""
import socket
import subprocess
import sys

target, psk = sys.argv[1:3]
listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(listener.getsockname()[1], flush=True)
clients = []
while True:
    connection, _ = listener.accept()
    command = ["openssl", "s_client", "-connect", "127.0.0.1:" + target, "-quiet", "-tls1_3"]
    command += ["-psk_identity", "adoc2", "-psk", psk]
    clients.append(
        subprocess.Popen(command, stdin=connection, stdout=connection, stderr=subprocess.DEVNULL)
    )
    connection.close()
