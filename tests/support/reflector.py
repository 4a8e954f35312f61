#!/usr/bin/env python3
"""Somebody on the path: leads each connection to another receiver than it was meant for.

    reflector.py PORT_OF_THE_OTHER_RECEIVER

Prints the port that it listens on.
"""
import socket
import sys
import threading


def carry(source, sink):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        near, _ = listener.accept()
        far = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        threading.Thread(target=carry, args=(near, far), daemon=True).start()
        threading.Thread(target=carry, args=(far, near), daemon=True).start()


main()
