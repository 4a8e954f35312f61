#!/usr/bin/env python3
"""What encryption costs: 1 GB of random bytes at level 0 and a file of 1 KB over loopback, in turns with and without.

    tests/bench/tls.py BUILD_DIRECTORY [ROUNDS]

Works in /dev/shm, with a key of its own. Prints for each the median of the rounds: seconds from the start of the sender
(for 1 KB: of both programs) to the end of both, and processor seconds of both together; then what part of the rate
without encryption is left with it.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

MODES = {"encrypted": [], "--insecure": ["--insecure"]}


def transfer(programs, path, mode, whole):
    """(seconds, processor seconds); with `whole` the receiver's start counts."""
    subprocess.run(["rm", "-rf", "out"], check=True)
    began = time.monotonic()
    receiver = subprocess.Popen([f"{programs}/adoc-recv", "-q", "--out", "out", "--listen", "127.0.0.1:0", "--once",
                                 *mode], stdout=subprocess.PIPE)
    port = receiver.stdout.readline().decode().rsplit(":", 1)[1].strip()
    if not whole:
        began = time.monotonic()
    sender = subprocess.Popen([f"{programs}/adoc-send", "-q", "--level", "0", *mode, path, f"127.0.0.1:{port}"])
    used = [os.wait4(process.pid, 0) for process in (sender, receiver)]
    seconds = time.monotonic() - began
    if any(status != 0 for _, status, _ in used):
        sys.exit("a transfer failed")
    return seconds, sum(usage.ru_utime + usage.ru_stime for _, _, usage in used)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    programs = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) == 3 else 5
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        os.chdir(scratch)
        os.environ["XDG_CONFIG_HOME"] = f"{scratch}/config"
        os.environ["XDG_CACHE_HOME"] = f"{scratch}/cache"
        os.environ.pop("ADOC_KEY", None)
        for name, size in (("1 GB", 10**9), ("1 KB", 1024)):
            with open("data", "wb") as data:
                for _ in range(size // 1024):
                    data.write(os.urandom(1024))
            results = {label: [] for label in MODES}
            for _ in range(rounds):
                for label, mode in MODES.items():
                    results[label].append(transfer(programs, "data", mode, size < 10**6))
            medians = {label: [statistics.median(column) for column in zip(*rows)] for label, rows in results.items()}
            for label, (seconds, processor) in medians.items():
                print(f"{name}, {label}: {seconds:.4f} s, {processor:.3f} s of processors")
            encrypted, plain = (medians[label][0] for label in MODES)
            print(f"{name}: {plain / encrypted:.2f} of the rate without encryption")


main()
