#!/usr/bin/env python3
"""Compares what a progress bar shows with what has crossed a slow link.

    progress_watch.py TARGET_PORT swallows|throttles BYTES_PER_SECOND COMMAND...

Runs the command in a terminal of 80 columns; its word HOST becomes the address of a proxy to the
port. The proxy passes on so many bytes a second. One that swallows takes all that the sender gives,
as a tunnel does; one that throttles takes no more than it passes on, and hides from the sender that
the receiver says what has arrived, as one did that knew nothing of it. For each bar that is drawn
it prints, between tabs, the bytes that were passed on until then and the bar; in the end its exit
code is that of the command.
"""
import fcntl
import os
import pty
import queue
import re
import socket
import struct
import sys
import termios
import threading
import time

target, mode, rate = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
STEP = max(1, rate // 50)
ARRIVALS = 0x02  # of byte 17 of a hello
passed_on = 0

listener = socket.create_server(("127.0.0.1", 0))
if mode == "throttles":
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)


def swallow(source, taken):
    while data := source.recv(65536):
        taken.put(data)
    taken.put(b"")


def pass_slowly(source, sink):
    """What the sender says."""
    global passed_on
    taken = queue.Queue(0 if mode == "swallows" else 1)
    threading.Thread(target=swallow, args=(source, taken), daemon=True).start()
    due = time.monotonic()
    while data := taken.get():
        for begin in range(0, len(data), STEP):
            piece = data[begin:begin + STEP]
            due = max(due, time.monotonic() - 0.02) + len(piece) / rate
            time.sleep(max(0, due - time.monotonic()))
            # Before it is: what is shown then cannot have been known before.
            passed_on += len(piece)
            sink.sendall(piece)
    sink.shutdown(socket.SHUT_WR)


def pass_back(source, sink):
    """What the receiver says; nothing if the sender is gone."""
    hello = b""
    while mode == "throttles" and len(hello) < 24:
        hello += source.recv(24 - len(hello))
    if hello:
        sink.sendall(hello[:17] + bytes([hello[17] & ~ARRIVALS]) + hello[18:])
    while data := source.recv(65536):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


def serve():
    client, _ = listener.accept()
    server = socket.create_connection(("127.0.0.1", target))
    for passes, *ends in ((pass_slowly, client, server), (pass_back, server, client)):
        threading.Thread(target=passes, args=ends, daemon=True).start()


threading.Thread(target=serve, daemon=True).start()
host = f"127.0.0.1:{listener.getsockname()[1]}"
command = [host if word == "HOST" else word for word in sys.argv[4:]]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(command[0], command)
seen = b""
while True:
    try:
        got = os.read(terminal, 65536)
    except OSError:
        break
    seen += got
    *lines, seen = re.split(rb"[\r\n]+", seen)
    for line in lines:
        text = line.removeprefix(b"\x1b[J").decode(errors="replace")
        if text:
            print(passed_on, text, sep="\t", flush=True)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
