"""Dumps, logs and documents in the formats of well-known programs, filled from a real table (what a
distribution says of its packages) by a generator of chance."""

import datetime
import ipaddress
import itertools
import json

COLUMNS = (
    "id",
    "name",
    "version",
    "section",
    "priority",
    "maintainer",
    "size",
    "depends",
    "description",
    "homepage",
    "sha256",
)
FIELDS = (
    "Package",
    "Version",
    "Section",
    "Priority",
    "Maintainer",
    "Size",
    "Depends",
    "Description",
    "Homepage",
    "SHA256",
)
CLIENTS = (
    "Debian APT-HTTP/1.3 (2.6.1)",
    "Debian APT-HTTP/1.3 (2.2.4) non-interactive",
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "curl/7.88.1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/131.0.0.0 Safari/537.36",
    "Wget/1.21.3",
    "python-requests/2.28.1",
)
UNITS = ("cron", "sshd", "systemd", "apt-daily", "kernel", "dhclient", "postfix/smtpd", "nginx")
START = datetime.datetime(2024, 1, 1)
NO_ROWS = [{"Package": "none", "Filename": "none"}]


class Source:
    """Rows of the table in an order of chance, and lines and documents made of them."""

    def __init__(self, rows, chance):
        self._rows, self._chance = rows or NO_ROWS, chance
        self._ids = itertools.count(chance.randrange(1, 1_000_000))
        self._time = START + datetime.timedelta(seconds=chance.randrange(365 * 86400))
        self._pause = chance.choice((0.02, 0.5, 10))  # seconds between two events, in the mean
        # Few clients do most of the work.
        self._clients = [
            str(ipaddress.IPv4Address(chance.getrandbits(32)))
            for _ in range(chance.choice((50, 1000, 20000)))
        ]
        self._at = chance.randrange(len(self._rows))
        # Digests are a quarter of a table that has them.
        likely = {"SHA256": 0.3, "Description-md5": 0.3, "MD5sum": 0.3}
        keys = dict.fromkeys(key for row in self._rows[:1000] for key in row)
        self._kept = {
            key
            for key in keys
            if key in ("Package", "Version") or chance.random() < likely.get(key, 0.8)
        }
        self.columns = ["id", *(c for c, f in zip(COLUMNS[1:], FIELDS) if f in self._kept)]
        self.fields = [f for f in FIELDS if f in self._kept]

    def _row(self):
        """Mostly the next one, as a table that was read in order; sometimes from elsewhere."""
        if self._chance.random() < 0.02:
            self._at = self._chance.randrange(len(self._rows))
        self._at = (self._at + 1) % len(self._rows)
        return self._rows[self._at]

    def _popular(self, items):
        return items[min(int(self._chance.paretovariate(0.6)) - 1, len(items) - 1)]

    def _now(self):
        self._time += datetime.timedelta(seconds=self._chance.expovariate(1 / self._pause))
        return self._time

    def row(self):
        row = self._row()
        values = [row.get(field) for field in self.fields]
        return (next(self._ids), *(int(v) if v and v.isdecimal() else v for v in values))

    def rows(self, count):
        return (self.row() for _ in range(count))

    def measurements(self, count):
        """A time, a name and numbers that drift."""
        name, value = self._row()["Package"], self._chance.uniform(1, 1000)
        for _ in range(count):
            value += self._chance.gauss(0, 1)
            yield (
                self._now().isoformat(timespec="milliseconds"),
                name,
                f"{value:.3f}",
                f"{value * self._chance.uniform(0.99, 1.01):.6g}",
                self._chance.randrange(5),
            )

    def document(self):
        row = self._row()
        found = {"id": next(self._ids), "updated": self._now().isoformat(timespec="seconds") + "Z"}
        for key, value in row.items():
            if key not in self._kept:
                continue
            key = key.lower().replace("-", "_")
            if key in ("depends", "recommends", "suggests", "tag"):
                value = [part.strip() for part in value.split(",")]
            elif value.isdecimal():
                value = int(value)
            found[key] = value
        found["client"] = {"address": self._popular(self._clients), "agent": self._popular(CLIENTS)}
        return found

    def access_line(self):
        row, now = self._row(), self._now()
        status = self._chance.choices((200, 304, 404, 206), (80, 12, 5, 3))[0]
        size = row.get("Size", "-") if status == 200 else "-"
        return (
            f"{self._popular(self._clients)} - - [{now:%d/%b/%Y:%H:%M:%S} +0000] "
            f'"GET /debian/{row.get("Filename", row["Package"])} HTTP/1.1" {status} {size} "-" '
            f'"{self._popular(CLIENTS)}"\n'
        )

    def syslog_line(self):
        row, now = self._row(), self._now()
        unit, process = self._popular(UNITS), self._chance.randrange(300, 40000)
        words = self._chance.choice(
            (
                "status installed {Package} {Version}",
                "Accepted publickey for root from {client} port {port} ssh2",
                "({Package}) CMD (test -x /usr/sbin/{Package} && /usr/sbin/{Package} -q)",
                "{Package}: {Description}",
                "Started {Package}.service - {Description}.",
                "connect from unknown[{client}]",
                "upstream timed out (110) while reading {Package}, client: {client}",
            )
        )
        said = words.format_map(
            {
                "Package": row["Package"],
                "Version": row.get("Version", "1"),
                "Description": row.get("Description", "").partition("\n")[0],
                "client": self._popular(self._clients),
                "port": self._chance.randrange(1024, 65536),
            }
        )
        return f"{now:%b %d %H:%M:%S} host{process % 3} {unit}[{process}]: {said}\n"

    def json_line(self):
        row, now = self._row(), self._now()
        return (
            json.dumps(
                {
                    "ts": now.isoformat(timespec="microseconds"),
                    "level": self._popular(("info", "debug", "warning", "error")),
                    "logger": self._popular(UNITS),
                    "package": row["Package"],
                    "version": row.get("Version"),
                    "ms": round(self._chance.lognormvariate(2, 1), 3),
                    "client": self._popular(self._clients),
                }
            )
            + "\n"
        )


def quoted(value):
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace("'", "''") + "'"


def create(source, types):
    return (
        "CREATE TABLE package (\n    "
        + ",\n    ".join(
            f"{column} {types[0] if column in ('id', 'size') else types[1]}"
            for column in source.columns
        )
        + "\n);\n\n"
    )


def postgres_dump(source):
    yield (
        "--\n-- PostgreSQL database dump\n--\n\n"
        + create(source, ("bigint", "text"))
        + f"COPY public.package ({', '.join(source.columns)}) FROM stdin;\n"
    ).encode()
    while True:
        cells = (
            (
                "\\N"
                if value is None
                else str(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
            )
            for value in source.row()
        )
        yield ("\t".join(cells) + "\n").encode()


def mysql_dump(source):
    yield ("-- MySQL dump 10.19\n\n" + create(source, ("bigint", "longtext"))).encode()
    while True:  # many rows in each statement
        rows = ",".join(
            "(" + ",".join(quoted(value).replace("\n", "\\n") for value in row) + ")"
            for row in source.rows(400)
        )
        yield f"INSERT INTO `package` VALUES {rows};\n".encode()


def sqlite_dump(source):
    yield (
        "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n" + create(source, ("INTEGER", "TEXT"))
    ).encode()
    while True:
        yield f"INSERT INTO package VALUES({','.join(map(quoted, source.row()))});\n".encode()
