#!/usr/bin/env python3
"""Stands between a sender and a receiver and writes down all that crosses, in both directions.

    wire_tap.py RECEIVER_PORT FILE

Prints the port that it listens on and carries one connection. FILE gets every byte of it.
"""
import socket
import sys
import threading


def carry(source, sink, record, lock):
    while data := source.recv(1 << 16):
        with lock:
            record.write(data)
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    near, _ = listener.accept()
    far = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    lock = threading.Lock()
    with open(sys.argv[2], "wb") as record:
        back = threading.Thread(target=carry, args=(far, near, record, lock))
        back.start()
        carry(near, far, record, lock)
        back.join()


main()
