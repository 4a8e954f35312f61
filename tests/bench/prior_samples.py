#!/usr/bin/env python3
"""Writes samples of many kinds of data, from what is installed on this machine: KIND.1 to KIND.4.

    prior_samples.py DIR [BYTES]

Each sample has BYTES (4 MiB): files of one kind, in an order drawn at random, one behind the other.
A kind that the machine holds too little of is left out, and said on standard error. What levels do
to these samples, measured by measure_levels --csv, is what fit_prior fits the prior of `auto` to.
"""
import array
import gzip
import json
import math
import random
import sqlite3
import struct
import sys
from pathlib import Path

SAMPLES = 4

# Of each kind the folders, and the endings of names in them; "" is any.
FILES = {
    "shared-libraries": (["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"], [".so.*"]),
    "programs": (["/usr/bin", "/usr/sbin"], ["*"]),
    "static-libraries": (["/usr/lib"], [".a"]),
    "c-headers": (["/usr/include"], [".h"]),
    "python-sources": (["/usr/lib/python3", "/usr/lib/python3.11"], [".py"]),
    "python-bytecode": (["/usr/lib/python3", "/usr/lib/python3.11"], [".pyc"]),
    "perl-sources": (["/usr/share/perl", "/usr/share/perl5"], [".pm", ".pl"]),
    "ruby-sources": (["/usr/lib/ruby", "/usr/share/rubygems-integration"], [".rb"]),
    "cmake-scripts": (["/usr/share/cmake-3.25"], [".cmake"]),
    "licences": (["/usr/share/doc"], ["copyright"]),
    "web-pages": (["/usr/share"], [".html"]),
    "translations": (["/usr/share/locale"], [".mo"]),
    "fonts": (["/usr/share/fonts"], [".ttf", ".otf"]),
    "vector-images": (["/usr/share"], [".svg"]),
    "package-lists": (["/var/lib/apt/lists"], ["Packages"]),
    "package-files": (["/var/lib/dpkg/info"], [".list", ".md5sums"]),
    "character-maps": (["/usr/share/i18n"], ["*"]),
    "xml": (["/usr/share"], [".xml"]),
    "time-zones": (["/usr/share/zoneinfo"], ["*"]),
    "java-archives": (["/usr/share/java", "/usr/share/maven-repo"], [".jar"]),
}
ZIPPED = {
    "manual-pages": (["/usr/share/man"], [".gz"]),
    "changelogs": (["/usr/share/doc"], [".gz"]),
}


def named(folders, endings):
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            name = path.name
            if not any(e == "*" or name.endswith(e) or (e == ".so.*" and ".so." in name)
                       for e in endings):
                continue
            if path.is_file() and not path.is_symlink():
                yield path


def joined(paths, size, rng, read):
    rng.shuffle(paths)
    data = bytearray()
    for path in paths:
        try:
            data += read(path)
        except OSError:
            continue
        if len(data) >= size:
            return bytes(data[:size])
    return None


def packages():
    entry = {}
    with open("/var/lib/dpkg/status", encoding="utf-8", errors="replace") as status:
        for line in status:
            if not line.strip():
                if entry:
                    yield entry
                entry = {}
            elif line[0] not in " \t" and ": " in line:
                key, value = line.rstrip("\n").split(": ", 1)
                entry[key] = value


def rows(rng):
    table = list(packages())
    number = 0
    while True:
        for entry in rng.sample(table, len(table)):
            number += 1
            yield number, entry


def until(size, pieces):
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) >= size:
            return bytes(data[:size])
    return None


def sql_dump(size, rng):
    return until(size, (
        "INSERT INTO `package` VALUES ({},'{}','{}',{},'{}',{:.2f});\n".format(
            n, e.get("Package"), e.get("Version"), e.get("Installed-Size", 0),
            e.get("Description", "").replace("'", "''"), rng.expovariate(0.01)).encode()
        for n, e in rows(rng)))


def json_lines(size, rng):
    return until(size, (json.dumps({"id": n, "seen": rng.randrange(1 << 31), **e}).encode() + b"\n"
                        for n, e in rows(rng)))


def table_in_text(size, rng):
    return until(size, ("{},{},{},{:.4f},{}\n".format(
        n, e.get("Package"), e.get("Installed-Size", 0), rng.gauss(0, 1),
        rng.randrange(1000)).encode() for n, e in rows(rng)))


def access_log(size, rng):
    paths = [e.get("Filename", "/pool/" + e.get("Package", "")) for e in packages()]
    hosts = ["10.{}.{}.{}".format(*(rng.randrange(256) for _ in range(3))) for _ in range(500)]

    def lines():
        seconds = rng.randrange(86_400)
        while True:
            seconds += rng.expovariate(2)
            yield "{} - - [{:02d}:{:02d}:{:06.3f}] \"GET {} HTTP/1.1\" {} {}\n".format(
                rng.choice(hosts), int(seconds // 3600) % 24, int(seconds // 60) % 60, seconds % 60,
                rng.choice(paths), rng.choice((200, 200, 200, 304, 404)),
                int(rng.paretovariate(1) * 1000)).encode()
    return until(size, lines())


def database(size, rng):
    path = Path("database.tmp")
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE package (id INTEGER PRIMARY KEY, name TEXT, version TEXT, "
                     "size INTEGER, about TEXT)")
        base.execute("CREATE INDEX by_name ON package (name, version)")
        for n, e in rows(rng):
            base.execute("INSERT INTO package VALUES (?, ?, ?, ?, ?)",
                         (rng.randrange(1 << 40), e.get("Package"), e.get("Version"),
                          e.get("Installed-Size"), e.get("Description")))
            if n % 5000 == 0:
                base.commit()
                if path.stat().st_size >= size:
                    break
    data = path.read_bytes()[:size]
    path.unlink()
    return data


def walk(size, rng, code, step, scale):
    value, values = 0.0, []
    for _ in range(size // struct.calcsize(code)):
        value += rng.gauss(0, step)
        values.append(value * scale if code in "fd" else int(value))
    return array.array(code, values).tobytes()


def field(size, rng):
    side = int(math.sqrt(size / 4))
    waves = [(rng.uniform(-9, 9), rng.uniform(-9, 9), rng.random()) for _ in range(12)]
    values = array.array("f", bytes(4 * side * side))
    for y in range(side):
        for x in range(side):
            values[y * side + x] = sum(
                a * math.sin((u * x + v * y) / side) for u, v, a in waves[:3])
    return values.tobytes()


def keys(size, rng):
    count = size // 4
    top = 1 << rng.randrange(14, 24)
    return array.array("I", [(rng.randrange(top) + rng.randrange(top)) // 2
                             for _ in range(count)]).tobytes()


def sorted_keys(size, rng):
    value, values = 0, []
    for _ in range(size // 8):
        value += rng.randrange(1, 2000)
        values.append(value)
    return array.array("Q", values).tobytes()


def numbers_in_text(size, rng):
    return until(size, ("{:d} {:d} {:.6e}\n".format(i // 7, (i * 31) % 9973, rng.gauss(0, 1)).encode()
                        for i in range(10**9)))


def picture(size, rng):
    width, data = 2048, bytearray()
    line = [rng.randrange(256)] * (3 * width)
    while len(data) < size:
        line = [min(255, max(0, (v + line[(i + 3) % len(line)]) // 2 + rng.randrange(-3, 4)))
                for i, v in enumerate(line)]
        data += bytes(line)
    return bytes(data[:size])


def sound(size, rng):
    tones = [(rng.uniform(0.01, 0.3), rng.uniform(500, 6000)) for _ in range(5)]
    return array.array("h", [
        max(-32768, min(32767, int(sum(a * math.sin(f * i) for f, a in tones) + rng.gauss(0, 20))))
        for i in range(size // 2)]).tobytes()


def disk_image(size, rng):
    parts = [p for p in named(["/usr/share/doc", "/usr/bin"], ["*"])]
    rng.shuffle(parts)
    data = bytearray()
    for path in parts:
        data += path.read_bytes()[:1 << 20]
        data += bytes(-len(data) % 4096 + 4096 * int(rng.paretovariate(0.7) if rng.random() < 0.3
                                                     else 0) % (1 << 19))
        if len(data) >= size:
            return bytes(data[:size])
    return None


def mixture(size, rng):
    parts = [p for p in named(["/usr/share", "/usr/bin"], ["*"]) if p.stat().st_size < 1 << 20]
    return joined(parts, size, rng, Path.read_bytes)


MADE = {f.__name__.replace("_", "-"): f for f in (
    sql_dump, json_lines, table_in_text, access_log, database, field, keys, sorted_keys,
    numbers_in_text, picture, sound, disk_image, mixture)}
MADE["walk-of-doubles"] = lambda size, rng: walk(size, rng, "d", 1, 1e-3)
MADE["walk-of-floats"] = lambda size, rng: walk(size, rng, "f", 0.01, 1)
MADE["walk-of-integers"] = lambda size, rng: walk(size, rng, "i", 50, 1)


def main():
    folder, size = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 4 << 20
    folder.mkdir(parents=True, exist_ok=True)

    def write(kind, make):
        for n in range(1, SAMPLES + 1):
            data = make(random.Random(f"{kind} {n}"))
            if data is None or len(data) < size:
                print(f"{kind}: too little of it here", file=sys.stderr)
                return
            (folder / f"{kind}.{n}").write_bytes(data)

    for table, read in ((FILES, Path.read_bytes),
                        (ZIPPED, lambda path: gzip.decompress(path.read_bytes()))):
        for kind, (folders, endings) in table.items():
            paths = list(named(folders, endings))
            write(kind, lambda rng, paths=paths, read=read: joined(list(paths), size, rng, read))
    for kind, make in MADE.items():
        write(kind, lambda rng, make=make: make(size, rng))


if __name__ == "__main__":
    main()
