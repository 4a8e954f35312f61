"""What unseen data are made of: files and tables of this machine and of a few packages of the
distribution, which are downloaded once. Whatever cannot be had is said and done without."""

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

# Some 90 MB in all. Of names with | between them, the first that the distribution has.
PACKAGES = (
    "golang-1.19-src|golang-1.22-src|golang-1.18-src|golang-1.24-src",  # sources
    "libboost1.74-dev|libboost1.83-dev",
    "node-typescript",
    "python3-sklearn-lib",  # binaries
    "iso-codes",  # JSON, message catalogues
    "wordnet-base",
    "sqlite3-doc",  # text
    "proj-data",
    "geoip-database",  # databases
    "desktop-base",
    "gimp-data",  # pictures
    "unicode-data",  # tables
)
DOWNLOAD_SECONDS = 300  # for one package
MACHINE = ("/usr/bin", "/usr/include", "/usr/lib", "/usr/libexec", "/usr/sbin", "/usr/share")
SMALLEST = 64  # bytes of a file that is worth its name
LOG_BYTES = 64 << 20

SUFFIXES = {
    "sources": ".h .hpp .hh .ipp .c .cc .cpp .go .py .pm .pl .js .ts .java .el .vim .cmake .rb .sh",
    "json": ".json .geojson",
    "text": ".txt .html .htm .md .rst .tex .texi .info .noun .verb .adj .adv",
    "databases": ".db .sqlite .sqlite3 .mo .mmdb .dat .gmo .cdb .qm",
    "images": ".png .jpg .jpeg .svg .gbr .gif .ttf .otf .ogg .wav .oga .xpm .pbm .tif .ico .pdf",
    "archives": ".gz .xz .bz2 .zip .jar .whl .deb .zst .lz4 .tgz .woff2",
    "tables": ".csv .tsv .tab .dat .nam",
}
KIND_OF = {}
for _kind, _suffixes in SUFFIXES.items():
    for _suffix in _suffixes.split():
        KIND_OF.setdefault(_suffix, _kind)
OBJECT_SUFFIXES = (".so", ".a", ".o", ".pyc", ".ko", ".wasm")


def is_program(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def kind_of(path):
    """Which family a file belongs to, from its name or, of a program, its beginning; or None."""
    name = os.path.basename(path)
    if "/share/unicode/" in path and name.endswith(".txt"):
        return "tables"
    if name.endswith(OBJECT_SUFFIXES) or ".so." in name:
        return "binaries"
    suffix = os.path.splitext(name)[1].lower()
    if suffix in KIND_OF:
        return KIND_OF[suffix]
    if (
        name in ("copyright", "README", "NEWS")
        or name.startswith(("data.", "index."))
        and "wordnet" in path
    ):
        return "text"
    if not suffix and os.access(path, os.X_OK) and is_program(path):
        return "binaries"
    return None


class Materials:
    """Files by kind, tables and logs. Packages, and what changes from hour to hour (logs, lists of
    packages), are in the folder cache after the first time: a seed gives the same data later.
    """

    def __init__(self, cache, note, download=True, machine=MACHINE):
        self._cache, self._note = pathlib.Path(cache), note
        self._download, self._machine = download, machine
        self._cache.mkdir(parents=True, exist_ok=True)

    @functools.cached_property
    def files(self):
        """{kind: paths}, sorted: neighbours in a tree are neighbours here."""
        found = {kind: [] for kind in (*SUFFIXES, "binaries")}
        for root in (*self._machine, *self._packages()):
            for where, folders, names in os.walk(root):
                folders.sort()
                for name in sorted(names):
                    path = os.path.join(where, name)
                    if (
                        os.path.islink(path)
                        or not os.path.isfile(path)
                        or os.path.getsize(path) < SMALLEST
                    ):
                        continue
                    if kind := kind_of(path):
                        found[kind].append(path)
        return found

    @functools.cached_property
    def rows(self):
        """What the distribution says of its packages, a dict for each: real names and prose."""
        text = self._snapshot("packages.txt", self._lists)
        rows = []
        for paragraph in text.split("\n\n"):
            row, key = {}, None
            for line in paragraph.splitlines():
                if line.startswith((" ", "\t")):
                    if key:
                        row[key] += "\n" + line.strip()
                else:
                    key, colon, value = line.partition(":")
                    key = key if colon else None
                    if key:
                        row[key] = value.strip()
            if "Package" in row:
                rows.append(row)
        return rows

    @functools.cached_property
    def log_lines(self):
        return self._snapshot("logs.txt", self._logs).splitlines(keepends=True)

    def _snapshot(self, name, make):
        path = self._cache / name
        if not path.exists():
            self._replace(path, make().encode("utf-8", "replace"))
        return path.read_text(encoding="utf-8", errors="replace")

    @staticmethod
    def _replace(path, content):
        """Whole or not at all, also when two races begin at once."""
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)

    def _lists(self):
        found = said_by("apt-cache", "dumpavail")  # needs no network
        status = pathlib.Path("/var/lib/dpkg/status")
        if not found and status.exists():
            self._note(
                "no lists of packages are here: tables are of those that are installed"
            )
            found = status.read_text(encoding="utf-8", errors="replace")
        return found

    def _logs(self):
        parts = [said_by("journalctl", "--no-pager", "-o", "short-iso")]
        for where, folders, names in os.walk("/var/log"):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(where, name)
                if (
                    name.endswith((".log", ".log.1")) or name in ("syslog", "messages")
                ) and os.access(path, os.R_OK):
                    parts.append(pathlib.Path(path).read_text(encoding="utf-8", errors="replace"))
        return "".join(parts)[:LOG_BYTES]

    def _packages(self):
        """The folders of packages, unpacked, and the one of the packages themselves."""
        found, lacking = [], []
        for names in PACKAGES:
            folder = self._cache / names.partition("|")[0]
            if not folder.is_dir() and self._download and shutil.which("apt-get"):
                self._fetch(names.split("|"), folder)
            if folder.is_dir():
                found.append(str(folder))
            else:
                lacking.append(names.partition("|")[0])
        if lacking:
            self._note(f"made without the packages {' '.join(lacking)}")
        return [*found, str(self._cache / "deb")]

    def _fetch(self, names, folder):
        """Downloads the first of these packages that there is, and unpacks it into the folder."""
        debs = self._cache / "deb"
        debs.mkdir(exist_ok=True)
        for name in names:
            if not said_by("apt-cache", "show", "--no-all-versions", name):
                continue
            self._note(f"downloads package {name}")
            with tempfile.TemporaryDirectory(dir=self._cache) as work:
                # Where apt-get runs as root, it downloads as a user of its own, who has to get in.
                os.chmod(work, 0o755)
                done = run(
                    "apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", name, cwd=work
                )
                deb = next(pathlib.Path(work).glob("*.deb"), None)
                if done is None or done.returncode or not deb:
                    self._note(f"package {name} cannot be downloaded; no other is tried")
                    self._download = False  # without a network each would take its time to fail
                    return
                unpacked = run("dpkg-deb", "-x", str(deb), f"{work}/unpacked")
                if unpacked and unpacked.returncode == 0:
                    os.replace(deb, debs / deb.name)
                    os.replace(f"{work}/unpacked", folder)
            return


def run(*command, cwd=None):
    """None where there is no such program, or no end of it."""
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=DOWNLOAD_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def said_by(*command):
    done = run(*command)
    return done.stdout if done and done.returncode == 0 else ""
