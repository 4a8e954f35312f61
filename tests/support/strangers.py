#!/usr/bin/env python3
"""Strangers at a port, one connection each.

    strangers.py PORT KIND COUNT

KIND: closes, resets, says-noise, says-http, says-a-byte (one after the other, then it ends); holds,
holds-after-a-byte, holds-in-a-handshake (all at once; prints "here" and stays until it is ended).
"""
import random
import signal
import socket
import struct
import sys

# A TLS record of a handshake that goes on for 512 bytes, and its first ones.
START_OF_HANDSHAKE = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


def words(kind, noise):
    if kind == "says-noise":
        return noise.randbytes(noise.randrange(1, 3000))
    if kind == "says-http":
        return b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    if kind in ("says-a-byte", "holds-after-a-byte"):
        return b"\x16"
    return START_OF_HANDSHAKE if kind == "holds-in-a-handshake" else b""


def main():
    port, kind, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    noise = random.Random(count)
    held = []
    for _ in range(count):
        stranger = socket.create_connection(("127.0.0.1", port), timeout=10)
        try:
            stranger.sendall(words(kind, noise))
            if kind == "resets":
                stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass  # it was sent away in the meantime
        if kind.startswith("holds"):
            held.append(stranger)
        else:
            stranger.close()
    if held:
        print("here", flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
