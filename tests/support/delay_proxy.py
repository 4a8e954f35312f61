#!/usr/bin/env python3
"""Passes TCP connections on, each byte so much later.

    delay_proxy.py TARGET_PORT MILLISECONDS

The delay is that of each direction. Prints the port that it listens on. Ends with its standard input.
"""
import os
import queue
import socket
import sys
import threading
import time

target, delay = int(sys.argv[1]), int(sys.argv[2]) / 1000
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def hear(source, arrived):
    try:
        while data := source.recv(65536):
            arrived.put((time.monotonic() + delay, data))
    except OSError:
        pass
    arrived.put((time.monotonic() + delay, b""))


def passes(source, sink):
    arrived = queue.Queue()
    threading.Thread(target=hear, args=(source, arrived), daemon=True).start()
    try:
        while True:
            due, data = arrived.get()
            time.sleep(max(0, due - time.monotonic()))
            if not data:
                sink.shutdown(socket.SHUT_WR)
                return
            sink.sendall(data)
    except OSError:
        pass


def accept():
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", target))
        for ends in ((client, server), (server, client)):
            threading.Thread(target=passes, args=ends, daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
os._exit(0)
