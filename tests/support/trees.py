"""What is sent, and what of it may be there after an interruption."""
import os
import random
from pathlib import Path

MEBIBYTE = 1 << 20


def write_random(path, size, seed=1):
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = random.Random(seed)
    with open(path, "wb") as file:
        while size > 0:
            size -= file.write(noise.randbytes(min(size, MEBIBYTE)))


def write_words(path, size):
    """Compresses, and takes its time at a dense level."""
    noise = random.Random(7)
    words = [bytes(noise.choices(b"etaoinshrdlu", k=noise.randint(2, 9))) for _ in range(4000)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        while file.tell() < size:
            file.write(b" ".join(noise.choices(words, k=20000)))
        file.truncate(size)


def write_small_files(top, directories, files, size=0, suffix=""):
    noise = random.Random(3)
    for d in range(directories):
        directory = top / f"d{d}"
        directory.mkdir(parents=True)
        for f in range(files):
            (directory / f"f{f}{suffix}").write_bytes(noise.randbytes(size))


def write_sparse(path, size, pieces):
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = random.Random(5)
    with open(path, "wb") as file:
        for i in range(pieces):
            file.seek(size // pieces * i)
            file.write(noise.randbytes(5000))
        file.truncate(size)


def data_ranges(fd, size):
    at = 0
    while at < size:
        try:
            begin = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            return
        at = os.lseek(fd, begin, os.SEEK_HOLE)
        yield begin, at


def same_bytes(a, b):
    """Of regular files; what is a hole in both is not read."""
    size = os.stat(a).st_size
    if os.stat(b).st_size != size:
        return False
    with open(a, "rb") as one, open(b, "rb") as other:
        ranges = [r for file in (one, other) for r in data_ranges(file.fileno(), size)]
        for begin, end in ranges:
            for at in range(begin, end, 8 * MEBIBYTE):
                length = min(8 * MEBIBYTE, end - at)
                if os.pread(one.fileno(), length, at) != os.pread(other.fileno(), length, at):
                    return False
    return True


def files_below(top):
    return [Path(directory) / name for directory, _, names in os.walk(top) for name in names]


def wrong_below(out, source):
    """What stands under a final name in `out` and is not what is in `source`, and what is left over
    of what had none; sentences."""
    own = out / ".adoc"
    for path in files_below(out):
        if own in path.parents:
            continue
        name = path.relative_to(out)
        if path.name.startswith(".adoc-"):
            yield f"{name} is left over"
        elif not (source / name).is_file():
            yield f"{name} was never sent"
        elif not same_bytes(source / name, path):
            yield f"{name} is not whole"


def missing_below(out, source):
    for path in files_below(source):
        name = path.relative_to(source)
        if not (out / name).is_file():
            yield f"{name} is missing"
