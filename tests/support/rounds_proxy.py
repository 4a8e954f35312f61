#!/usr/bin/env python3
"""Carries one connection in rounds, and counts them: the round trips of a link that is so long that
nothing else takes time.

    rounds_proxy.py TARGET_PORT PID PID

Prints the port that it listens on. In each round it takes what both programs say until neither has
anything more to say for now: all threads of both processes are asleep and nothing comes. Then it
gives each what the other has said. Ends with the connection, and prints how many rounds had
something to give, and the most bytes of one.
"""
import os
import selectors
import socket
import sys
import time
from pathlib import Path

LOOK_S = 0.02
LOOKS = 10


def state_of(pid):
    """What changes while a thread works; nothing while one is awake."""
    state = []
    try:
        for task in sorted(Path(f"/proc/{pid}/task").iterdir()):
            fields = (task / "stat").read_text().rpartition(")")[2].split()
            if fields[0] not in "SZ":
                return None
            state.append((task.name, fields[11], fields[12]))
    except (FileNotFoundError, ProcessLookupError):
        return state
    return state


class Round:
    def __init__(self, ends, pids):
        self.ends = ends
        self.pids = pids
        self.said = [b"", b""]
        self.over = [False, False]
        self.selector = selectors.DefaultSelector()
        for index, end in enumerate(ends):
            end.setblocking(False)
            self.selector.register(end, selectors.EVENT_READ, index)

    def take(self):
        """Whether something came."""
        came = False
        for key, _ in self.selector.select(LOOK_S):
            try:
                data = key.fileobj.recv(1 << 20)
            except OSError:
                data = b""
            self.said[key.data] += data
            if not data:
                self.over[key.data] = True
                self.selector.unregister(key.fileobj)
            came = True
        return came

    def listen(self):
        """Until both wait; sleeping and looking at a clock are no work."""
        quiet, before = 0, None
        while quiet < LOOKS:
            came = self.take()
            if all(self.over):
                return
            now = [state_of(pid) for pid in self.pids]
            quiet = quiet + 1 if not came and None not in now and now == before else 0
            before = now
            if not self.selector.get_map():
                time.sleep(LOOK_S)

    def give(self):
        gave = 0
        for index, other in ((0, 1), (1, 0)):
            words, self.said[index] = self.said[index], b""
            gave = max(gave, len(words))
            try:
                self.ends[other].setblocking(True)
                self.ends[other].sendall(words)
                if self.over[index]:
                    self.ends[other].shutdown(socket.SHUT_WR)
            except OSError:
                pass
            self.ends[other].setblocking(False)
        return gave


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    near, _ = listener.accept()
    far = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    rounds = Round((near, far), [int(pid) for pid in sys.argv[2:4]])
    count = most = 0
    while True:
        rounds.listen()
        gave = rounds.give()
        count += gave > 0
        most = max(most, gave)
        if all(rounds.over):
            break
    print(count, most, flush=True)


main()
