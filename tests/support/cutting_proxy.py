"""Passes TCP connections on and cuts the first ones.

    cutting_proxy.py TARGET_PORT CUTS BYTES

Prints the port that it listens on. Each of the first CUTS connections is cut after BYTES bytes
from the client; the later ones pass. Ends with its standard input.
"""
import os
import socket
import sys
import threading

target, cuts, most = (int(argument) for argument in sys.argv[1:4])
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)



def passes(source, sink, limit):
    passed = 0
    try:
        while data := source.recv(65536):
            if limit is not None:
                data = data[: limit - passed]
            sink.sendall(data)
            passed += len(data)
            if limit is not None and passed >= limit:
                for end in (source, sink):
                    end.shutdown(socket.SHUT_RDWR)
                return
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serve(client, limit):
    try:
        server = socket.create_connection(("127.0.0.1", target))
    except OSError:
        client.close()
        return
    back = threading.Thread(target=passes, args=(server, client, None))
    back.start()
    passes(client, server, limit)
    back.join()
    client.close()
    server.close()


def accept():
    for number in range(1 << 30):
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, most if number < cuts else None)).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
os._exit(0)
