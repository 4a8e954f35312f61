#!/usr/bin/env python3
"""Says a TLS 1.3 ClientHello made by hand, with a PSK and one way to exchange keys, and tells what comes.

    psk_hello.py PORT PSK_IN_HEX MODE [IDENTITY]

MODE is 0, psk_ke: the PSK alone; or 1, psk_dhe_ke: with (EC)DHE. Prints "ServerHello", "alert N" or "end".
"""
import hashlib
import hmac
import os
import socket
import struct
import sys

HASH_BYTES = 32


def vector(width, data):
    return len(data).to_bytes(width, "big") + data


def extension(number, data):
    return struct.pack(">H", number) + vector(2, data)


def expand_label(secret, label, context):
    """RFC 8446, section 7.1, for one block of output."""
    info = struct.pack(">H", HASH_BYTES) + vector(1, b"tls13 " + label) + vector(1, context)
    return hmac.new(secret, info + b"\x01", hashlib.sha256).digest()


def binder(psk, hello):
    early = hmac.new(bytes(HASH_BYTES), psk, hashlib.sha256).digest()
    key = expand_label(early, b"ext binder", hashlib.sha256(b"").digest())
    finished = expand_label(key, b"finished", b"")
    return hmac.new(finished, hashlib.sha256(hello).digest(), hashlib.sha256).digest()


def client_hello(psk, mode, identity):
    extensions = b"".join([
        extension(43, vector(1, b"\x03\x04")),                                  # TLS 1.3
        extension(10, vector(2, b"\x00\x1d")),                                  # x25519
        extension(13, vector(2, b"\x04\x03")),                                  # ecdsa_secp256r1_sha256
        extension(51, vector(2, b"\x00\x1d" + vector(2, bytes([9]) + bytes(31)))),
        extension(45, vector(1, bytes([mode]))),
    ])
    identities = vector(2, vector(2, identity) + bytes(4))
    binders_bytes = 2 + 1 + HASH_BYTES
    extensions += struct.pack(">HH", 41, len(identities) + binders_bytes) + identities
    body = (b"\x03\x03" + os.urandom(32) + vector(1, b"") + vector(2, b"\x13\x01") + vector(1, b"\x00")
            + struct.pack(">H", len(extensions) + binders_bytes) + extensions)
    start = b"\x01" + (len(body) + binders_bytes).to_bytes(3, "big") + body
    return start + vector(2, vector(1, binder(psk, start)))


def main():
    port, psk, mode = int(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
    identity = sys.argv[4].encode() if len(sys.argv) > 4 else b"adoc2"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as server:
        server.sendall(b"\x16\x03\x01" + vector(2, client_hello(psk, mode, identity)))
        record = server.recv(7)
    if record[:1] == b"\x16":
        print("ServerHello" if record[5] == 2 else "another handshake message")
    else:
        print(f"alert {record[6]}" if record[:1] == b"\x15" else "end")


if __name__ == "__main__":
    main()
