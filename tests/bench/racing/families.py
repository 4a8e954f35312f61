"""The families of unseen data: each a function of the materials and a generator of chance, which
yields bytes without end or until it has no more. All that varies is drawn from the generator.
"""

import csv
import gzip
import io
import itertools
import json
import math
import os
import sqlite3
import tarfile
import tempfile
import zlib

from . import rows as made_rows

PIECE = 16 << 20  # of one file at most
RUN = (8, 200)  # files that lie beside each other in a tree, before the next place is chosen
MIXED_PIECE = (64 << 10, 4 << 20)


def log_uniform(chance, low, high):
    return int(math.exp(chance.uniform(math.log(low), math.log(high))))


def content_of(path, chance):
    """The file, or a piece of a large one; nothing where it cannot be read any more."""
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            if size > PIECE:
                file.seek(chance.randrange(size - PIECE))
            return file.read(PIECE)
    except OSError:
        return b""


def runs_of(paths, chance):
    """Without end: some neighbours, then some from elsewhere."""
    while paths:
        begin = chance.randrange(len(paths))
        yield from paths[begin : begin + chance.randint(*RUN)]


def tar_member(path, content):
    info = tarfile.TarInfo(path.lstrip("/"))
    info.size, info.mode = len(content), 0o644
    try:
        info.mtime = int(os.path.getmtime(path))
    except OSError:
        pass
    return info.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)


def of_files(kind):
    """Files as they are, one behind the other or as a tar."""

    def family(materials, chance):
        as_tar = chance.random() < 0.5
        for path in runs_of(materials.files[kind], chance):
            content = content_of(path, chance)
            yield tar_member(path, content) if as_tar and content else content

    return family


def text(materials, chance):
    """Prose for people: documentation, and manual pages as they are read."""
    pages = [
        path
        for path in materials.files["archives"]
        if "/man/" in path or os.path.basename(path).startswith(("changelog", "NEWS", "README"))
    ]
    for path in runs_of(sorted(materials.files["text"] + pages), chance):
        content = content_of(path, chance)
        if path.endswith(".gz"):
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError, zlib.error):
                continue
        yield content


def sql(materials, chance):
    """Dumps, as one of three programs writes them."""
    style = chance.choice((made_rows.postgres_dump, made_rows.mysql_dump, made_rows.sqlite_dump))
    return style(made_rows.Source(materials.rows, chance))


def json_family(materials, chance):
    """Objects in lines or indented, and what other programs have left in JSON."""
    source = made_rows.Source(materials.rows, chance)
    indent = chance.choice((None, None, 1, 4))
    files = runs_of(materials.files["json"], chance)
    for number in itertools.count():
        yield (json.dumps(source.document(), indent=indent, ensure_ascii=False) + "\n").encode()
        if number % 2000 == 1999:  # a file is some hundred objects long
            yield content_of(next(files, ""), chance)


def logs(materials, chance):
    """What servers write, and what this machine has written."""
    source = made_rows.Source(materials.rows, chance)
    own = materials.log_lines
    style = chance.choice((source.access_line, source.syslog_line, source.json_line))
    while True:
        yield "".join(style() for _ in range(chance.randint(200, 5000))).encode()
        if own:
            begin = chance.randrange(len(own))
            yield "".join(own[begin : begin + chance.randint(50, 2000)]).encode()


def databases(materials, chance):
    """SQLite files with indices, in turn with database files of others."""
    files = runs_of(materials.files["databases"], chance)
    while True:
        yield sqlite_file(made_rows.Source(materials.rows, chance), chance.randint(3000, 30000))
        for path in itertools.islice(files, chance.randint(1, 20)):
            yield content_of(path, chance)


def sqlite_file(source, count):
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(f"{folder}/file")
        try:
            connection.execute("PRAGMA journal_mode=OFF")
            connection.execute("PRAGMA synchronous=OFF")
            connection.execute(f"CREATE TABLE package ({', '.join(source.columns)})")
            marks = ", ".join("?" * len(source.columns))
            connection.executemany(f"INSERT INTO package VALUES ({marks})", source.rows(count))
            connection.execute("CREATE INDEX by_name ON package (name, version)")
            connection.execute(f"CREATE INDEX by_last ON package ({source.columns[-1]})")
            connection.execute("DELETE FROM package WHERE id % 7 = 3")  # as one that was in use
            connection.commit()
        finally:
            connection.close()
        with open(f"{folder}/file", "rb") as file:
            return file.read()


def tables(materials, chance):
    """Columns: exports, and tables of numbers and codes."""
    files = runs_of(materials.files["tables"], chance)
    source = made_rows.Source(materials.rows, chance)
    while True:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=chance.choice(",;\t"), lineterminator="\n")
        numbers = chance.random() < 0.5
        writer.writerows(source.measurements(2000) if numbers else source.rows(2000))
        yield out.getvalue().encode()
        for path in itertools.islice(files, chance.randint(0, 4)):
            yield content_of(path, chance)


class Stream:
    """The bytes that a family yields, so many at a time."""

    def __init__(self, pieces):
        self._pieces, self._rest = iter(pieces), b""

    def take(self, count):
        """Fewer only at the end."""
        parts, length = [self._rest], len(self._rest)
        while length < count:
            piece = next(self._pieces, None)
            if piece is None:
                break
            parts.append(piece)
            length += len(piece)
        whole = b"".join(parts)
        self._rest = whole[count:]
        return whole[:count]


def mixed(materials, chance):
    """Pieces of all others."""
    streams = [
        Stream(family(materials, chance)) for name, family in FAMILIES.items() if name != "mixed"
    ]
    while streams:
        stream = chance.choice(streams)
        piece = stream.take(log_uniform(chance, *MIXED_PIECE))
        if not piece:
            streams.remove(stream)
        yield piece


FAMILIES = {
    "sources": of_files("sources"),
    "binaries": of_files("binaries"),
    "sql": sql,
    "json": json_family,
    "logs": logs,
    "text": text,
    "databases": databases,
    "images": of_files("images"),
    "archives": of_files("archives"),
    "tables": tables,
    "mixed": mixed,
}
