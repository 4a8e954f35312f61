#!/usr/bin/env python3
"""Memory and time as trees and files grow: both programs, one transfer after the other, in memory.

  flat.py BUILD [--entries N,...] [--dry-entries N,...] [--gigabytes G,...] [--terabytes T,...]
          [--file-bytes N] [--dir DIRECTORY] [--sender OPTION]...

BUILD is the directory with adoc-send and adoc-recv. Entries are files of 100 bytes, or N, 1,000 in
a directory, names of 1,000 files that are each sent by itself. Those of --dry-entries are only
asked for, so that there may be more than there is room for. Terabytes are in sparse files of 100 GB
with 64 runs of 64 KiB each, 42 MB of data for each terabyte. Prints a table: what, seconds in all
and for each million entries or gigabyte of data, and the most memory that each program had at a
time.

Seconds are worth something only where nothing else runs."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

DISTINCT = 1000
IN_DIRECTORY = 1000
SPARSE_BYTES = 100 * 10**9
RUNS = 64
RUN_BYTES = 64 << 10


def make_entries(top, count, file_bytes):
    """Names, of few files: what a tree of so many files takes would not be there."""
    files = top.parent / "files"
    if not files.exists():
        files.mkdir()
        for i in range(DISTINCT):
            (files / str(i)).write_bytes(f"file {i} ".encode().ljust(file_bytes, b".")[:file_bytes])
    for begin in range(0, count, IN_DIRECTORY):
        directory = top / f"d{begin // IN_DIRECTORY}"
        directory.mkdir(parents=True)
        for i in range(begin, min(begin + IN_DIRECTORY, count)):
            os.link(files / str(i % DISTINCT), directory / f"f{i}")
    return count + -(-count // IN_DIRECTORY) + 1


def make_data(top, gigabytes):
    top.mkdir()
    block = os.urandom(1 << 20)
    with open(top / "file", "wb") as file:
        for _ in range(int(gigabytes * 1e9) >> 20):
            file.write(block)
    return (top / "file").stat().st_size / 1e9


def make_sparse(top, terabytes):
    top.mkdir()
    data = os.urandom(RUN_BYTES)
    count = max(1, round(terabytes * 1e12 / SPARSE_BYTES))
    for i in range(count):
        with open(top / f"sparse{i}", "wb") as file:
            file.truncate(SPARSE_BYTES)
            for run in range(RUNS):
                file.seek(run * (SPARSE_BYTES // RUNS))
                file.write(data)
    return count * RUNS * RUN_BYTES / 1e9


class Programs:
    def __init__(self, build, directory, options):
        self.send = str(build / "adoc-send")
        self.recv = str(build / "adoc-recv")
        self.out = directory / "out"
        self.options = options
        self.environment = dict(os.environ, XDG_CONFIG_HOME=str(directory / "config"),
                                XDG_CACHE_HOME=str(directory / "cache"))

    def transfer(self, source, *options):
        """Seconds, and the peaks of both in MiB."""
        receiver = subprocess.Popen(
            [self.recv, "-q", "--once", "--out", str(self.out), "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, text=True, env=self.environment)
        line = receiver.stdout.readline()
        address = line.split()[-1]
        begin = time.monotonic()
        sender = subprocess.Popen([self.send, "-q", *self.options, *options, str(source), address],
                                  stdout=subprocess.DEVNULL, env=self.environment)
        peaks = []
        for process in (sender, receiver):
            _, status, usage = os.wait4(process.pid, 0)
            if process is sender:
                seconds = time.monotonic() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                sys.exit(f"exit code {process.returncode} of {process.args[0]}")
            peaks.append(usage.ru_maxrss / 1024)
        shutil.rmtree(self.out, ignore_errors=True)
        return seconds, *peaks


def numbers(text):
    return [float(number) for number in text.split(",") if number]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--entries", type=numbers, default=[1e3, 1e4, 1e5, 1e6])
    parser.add_argument("--dry-entries", type=numbers, default=[1e3, 1e4, 1e5, 1e6])
    parser.add_argument("--gigabytes", type=numbers, default=[0.1, 1, 4])
    parser.add_argument("--terabytes", type=numbers, default=[0.1, 1, 10])
    parser.add_argument("--file-bytes", type=int, default=100)
    parser.add_argument("--dir", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--sender", action="append", default=[], metavar="OPTION")
    arguments = parser.parse_args()
    print("| what | s | s for each | of | adoc-send MiB | adoc-recv MiB |")
    print("|---|---:|---:|---|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.dir) as name:
        directory = Path(name)
        programs = Programs(arguments.build.resolve(), directory, arguments.sender)
        entries = partial(make_entries, file_bytes=arguments.file_bytes)
        plan = [(f"{int(count):,} files", entries, int(count), 1e6, "million entries", ())
                for count in arguments.entries]
        plan += [(f"{int(count):,} files, --dry-run", entries, int(count), 1e6,
                  "million entries", ("--dry-run",)) for count in arguments.dry_entries]
        plan += [(f"one file of {size:g} GB", make_data, size, 1, "GB", ())
                 for size in arguments.gigabytes]
        plan += [(f"{size:g} TB in sparse files", make_sparse, size, 1, "GB of data", ())
                 for size in arguments.terabytes]
        for what, make, size, unit, name_of_unit, options in plan:
            source = directory / "tree"
            amount = make(source, size)
            seconds, send, recv = programs.transfer(source, *options)
            print(f"| {what} | {seconds:.2f} | {seconds / (amount / unit):.2f} | {name_of_unit} | "
                  f"{send:.1f} | {recv:.1f} |", flush=True)
            shutil.rmtree(source)


main()
