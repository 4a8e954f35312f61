#!/usr/bin/env python3
"""For ssh's ProxyCommand: a connection that is lost after some bytes.

    cutting_relay.py PORT WAY BYTES

Passes standard input to the port on loopback and what comes back to standard output, and ends
after BYTES bytes in one direction: WAY is "there" or "back". Goes with either end, too.
"""
import os
import select
import socket
import sys

port, way, left = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
server = socket.create_connection(("127.0.0.1", port))
while True:
    for ready in select.select([0, server], [], [])[0]:
        is_there = ready == 0
        data = os.read(0, 65536) if is_there else server.recv(65536)
        if is_there == (way == "there"):
            data = data[:left]
            left -= len(data)
        if not data:
            sys.exit(1)
        if is_there:
            server.sendall(data)
        else:
            while data:
                data = data[os.write(1, data):]
        if left == 0:
            sys.exit(1)
