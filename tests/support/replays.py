#!/usr/bin/env python3
"""Plays back one recorded ClientHello, made with the key by somebody who may have it no more.

    replays.py PORT KEY_IN_HEX COUNT

COUNT connections say it, one after the other without a pause, again and again, and each is held until
the next round takes its place. Prints "here" after the first round; stays until it is ended.
"""
import socket
import sys

from psk_hello import client_hello, vector


def main():
    port, psk, count = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
    recording = b"\x16\x03\x01" + vector(2, client_hello(psk, 1, b"adoc2"))
    held = [None] * count
    announced = False
    while True:
        for i in range(count):
            if held[i] is not None:
                held[i].close()
            held[i] = socket.create_connection(("127.0.0.1", port), timeout=10)
            try:
                held[i].sendall(recording)
            except OSError:
                pass  # it was sent away in the meantime
        if not announced:
            print("here", flush=True)
            announced = True


if __name__ == "__main__":
    main()
