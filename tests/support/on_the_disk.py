#!/usr/bin/env python3
"""Reads what `strace -f -y -xx -s 65536` saw of adoc-recv --insecure and checks, for each commit that it
said, that what was done before was on the disk by then.

    on_the_disk.py [--as-if-new] TRACE OUT [ALSO_MADE...]

At each commit the names that were given since the one before it, and the directories made on the way to
them, are flushed: after the call that gave a name began an fsync of its directory, or a syncfs. The same
of modes and times of files and directories. At the end of the trace this holds for all names. ALSO_MADE
are directories above OUT that it has to make, and to flush before it says anything. With --as-if-new
all that is below OUT counts as named just before the trace, by somebody who was gone before a flush.
"""
import os
import re
import sys

CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)")
QUOTED = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
COMMIT = 8


def calls(path):
    """(line where it began, line where it ended, name, arguments, result), by the latter."""
    begun = {}
    for at, line in enumerate(open(path, errors="replace")):
        thread, _, rest = line.rstrip("\n").partition(" ")
        rest = rest.strip()
        since = at
        if rest.endswith("<unfinished ...>"):
            begun[thread] = (at, rest[: -len("<unfinished ...>")])
            continue
        if rest.startswith("<..."):
            since, first = begun.pop(thread)
            rest = first + rest.split("resumed>", 1)[1]
        found = CALL.match(rest)
        if found and int(found[3]) >= 0:
            yield since, at, found[1], found[2], int(found[3])


def as_bytes(quoted):
    return bytes.fromhex(quoted.replace("\\x", ""))


def text(quoted):
    return as_bytes(quoted).decode(errors="replace") if "\\x" in quoted else quoted


class Trace:
    def __init__(self, out):
        self.out = out
        self.own = os.path.join(out, ".adoc")
        self.names = {}  # path -> where its name was given
        self.metadata = {}  # path -> where its mode or time was set
        self.given = []  # since the last commit
        self.sent = {}  # socket -> bytes after the hello that no frame was made of
        self.commits = 0
        self.faults = []

    def name_all(self):
        for directory, below, files in os.walk(self.out):
            if directory == self.out:
                below[:] = [name for name in below if name != ".adoc"]
            for name in below + files:
                self.given.append(os.path.join(directory, name))
        self.names = {path: -1 for path in self.given}

    def see(self, since, at, name, arguments):
        strings = [text(s) for s in QUOTED.findall(arguments)]
        places = [text(p) for p in re.findall(r"<(.*?)>", arguments)]
        if name in ("mkdir", "mkdirat"):
            base = places[0] if places else os.getcwd()
            self.names[os.path.join(base, strings[0])] = at
        elif name == "symlinkat":
            self.names[os.path.join(places[0], strings[1])] = at
        elif name in ("renameat", "renameat2"):
            old = os.path.join(places[0], strings[0])
            new = os.path.join(places[1], strings[1])
            self.names.pop(old, None)
            self.names[new] = at
            if old in self.metadata:
                self.metadata[new] = self.metadata.pop(old)
            self.given.append(new)
        elif name == "fchmod" or (name == "utimensat" and "NULL" in arguments):
            self.metadata[places[0]] = at
        elif name == "fsync":
            for path in [p for p, when in self.names.items() if os.path.dirname(p) == places[0] and when < since]:
                del self.names[path]
            if self.metadata.get(places[0], since) < since:
                del self.metadata[places[0]]
        elif name == "syncfs":
            self.names = {p: when for p, when in self.names.items() if when >= since}
            self.metadata = {p: when for p, when in self.metadata.items() if when >= since}
        elif name in ("write", "writev", "sendto", "sendmsg") and places[0].startswith(("TCP", "socket")):
            self.send(places[0], b"".join(map(as_bytes, QUOTED.findall(arguments))))

    def send(self, socket, data):
        rest = self.sent.get(socket)
        if rest is None:
            rest, data = b"", data[24:]
        rest += data
        while len(rest) >= 5:
            length = 5 + int.from_bytes(rest[1:5], "little")
            if rest[0] == COMMIT and len(rest) >= length:
                self.commit()
            if len(rest) < length:
                break
            rest = rest[length:]
        self.sent[socket] = rest

    def commit(self):
        self.commits += 1
        for path in self.given:
            while path != self.out:
                if path in self.names:
                    self.faults.append(f"commit {self.commits}: the name {path} is not on the disk")
                if path in self.metadata:
                    self.faults.append(f"commit {self.commits}: mode and time of {path} are not on the disk")
                path = os.path.dirname(path)
        self.given.clear()

    def end(self):
        for kind in ("names", "metadata"):
            for path in getattr(self, kind):
                if not (path + "/").startswith(self.own + "/"):
                    self.faults.append(f"at the end: {kind} of {path}: not on the disk")


def main():
    words = [word for word in sys.argv[1:] if word != "--as-if-new"]
    trace = Trace(os.path.abspath(words[1]))
    if len(words) != len(sys.argv) - 1:
        trace.name_all()
    for since, at, name, arguments, _ in calls(words[0]):
        for made in words[2:] if name == "listen" else ():
            if os.path.abspath(made) in trace.names:
                trace.faults.append(f"{made} is not on the disk when it listens")
        trace.see(since, at, name, arguments)
    trace.end()
    print(f"{trace.commits} commits, {len(trace.faults)} faults")
    print("\n".join(trace.faults[:10]))
    return 1 if trace.faults or trace.commits == 0 else 0


sys.exit(main())
