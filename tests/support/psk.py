#!/usr/bin/env python3
"""Prints in hex the PSK of TLS that follows from a receiver's key, as adoc(5) has it.

    psk.py KEY_FILE [ROLES]

ROLES is "sender->receiver", as it should be, or something else; "none": the key itself, as version 0.1 used it.
"""
import base64
import hashlib
import hmac
import sys


def derive(key, purpose):
    """HKDF-Expand for one block of output (RFC 5869, section 2.3)."""
    return hmac.new(key, purpose + b"\x01", hashlib.sha256).digest()


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        key = base64.b32decode(file.read().strip()[5:].upper())[:32]
    roles = sys.argv[2] if len(sys.argv) > 2 else "sender->receiver"
    name = derive(key, b"adoc receiver's name")[:16]
    print((key if roles == "none" else derive(key, b"adoc tls13 psk v2 " + roles.encode() + name)).hex())


main()
