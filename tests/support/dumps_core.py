#!/usr/bin/env python3
"""Runs a program, has it crash once it says so, and tells whether the system dumped its memory.

    dumps_core.py WORD COMMAND...

Sends SIGABRT once the program has written a line that begins with WORD to standard output or standard error. Prints
"dumped" or "not dumped".
"""
import os
import resource
import signal
import subprocess
import sys


def main():
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    reads, writes = os.pipe()
    child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=writes, stderr=writes)
    os.close(writes)
    with os.fdopen(reads) as said:
        if not any(line.startswith(sys.argv[1]) for line in said):
            sys.exit("it ended without that word")
        child.send_signal(signal.SIGABRT)
        _, status = os.waitpid(child.pid, 0)
    if not os.WIFSIGNALED(status):
        sys.exit(f"it did not crash: status {status}")
    print("dumped" if os.WCOREDUMP(status) else "not dumped")


main()
