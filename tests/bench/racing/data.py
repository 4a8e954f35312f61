"""What is sent: the files of a folder, or made ones; cut to what a link carries in a few seconds."""
import dataclasses
import os
import random
import subprocess

from .link import bits_per_second

MB = 10**6
MADE_BYTES = 52_633_266  # the size of the 2002 paper's files
SMALLEST = 1 << 20       # below, start and end of the programs is all that is measured


@dataclasses.dataclass
class Data:
    name: str
    path: str
    bytes: int
    digest: str = ""  # of those that a seed made


def of_folder(folder, note):
    """The files in the folder and below, hidden ones left out. Names are made distinct."""
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = os.path.join(where, name)
            if name.startswith(".") or not os.path.isfile(path):
                continue
            size = os.path.getsize(path)
            if size < SMALLEST:
                note(f"{path} is left out: {size} bytes are too few to be raced")
            else:
                found.append(Data(os.path.relpath(path, folder), path, size))
    bases = [os.path.basename(item.name) for item in found]
    for item, base in zip(found, bases):
        item.name = base if bases.count(base) == 1 else item.name.replace("/", "-")
    return found


def write_random(path, size):
    """Incompressible, and the same each time."""
    generator = random.Random(20240208)
    with open(path, "wb") as file:
        for begin in range(0, size, MB):
            file.write(generator.randbytes(min(MB, size - begin)))


def make(folder, bin_dir, note):
    """A matrix in text, a tar of this machine's programs, random bytes: in the folder, as Data."""
    os.makedirs(folder)
    for program in (f"{bin_dir}/tests/make_matrix", f"{bin_dir}/make_matrix"):
        if os.access(program, os.X_OK):
            with open(f"{folder}/matrix.hb", "wb") as file:
                subprocess.run([program], stdout=file, check=True)
            os.truncate(f"{folder}/matrix.hb", MADE_BYTES)
            break
    else:
        note("no matrix is raced: make_matrix is not built")
    # tar is stopped once there is enough of it.
    subprocess.run(["bash", "-c", f"tar --sort=name --owner=0 --group=0 -C / -cf - usr/bin 2>/dev/null | "
                    f'head -c {MADE_BYTES} >"$0"', f"{folder}/bin.tar"], check=False)
    write_random(f"{folder}/random.bin", MADE_BYTES)
    return of_folder(folder, note)


def most_like_programs(items):
    """The one for the sections that need one file: a tar, else the largest."""
    return max(items, key=lambda item: (item.name.endswith(".tar"), item.bytes))


def default_limit(rate):
    """Two seconds of the link's bytes: enough to adapt in, few enough for many rounds."""
    return int(min(max(bits_per_second(rate) / 8 * 2, 4 * MB), 64 * MB))


def cut(item, limit, folder):
    """The item's first bytes as a file of the folder; the same bytes for all tools."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, item.name)
    left = size = min(item.bytes, limit)
    with open(item.path, "rb") as source, open(path, "wb") as target:
        while left and (piece := source.read(min(MB, left))):
            target.write(piece)
            left -= len(piece)
    return Data(item.name, path, size)


def patterns(folder, items, note):
    """The four of Penaranda 2024, section 4.3: as the data folder has them, else made where the paper
    says how. The traced one is from real applications and cannot be made."""
    size = 32 * (1 << 20)
    os.makedirs(folder, exist_ok=True)
    generator = random.Random(1)
    found = []
    for name in ("lineal", "random", "sparse", "traced"):
        given = [item for item in items if item.name == f"{name}.bin" and item.bytes >= size]
        path = f"{folder}/{name}.bin"
        if given:
            found.append(given[0])
            continue
        if name == "traced":
            note("no traced.bin of 32 MiB is in the data folder: that pattern is left out")
            continue
        if name == "random":
            write_random(path, size)
        else:
            with open(path, "wb") as file:
                if name == "lineal":
                    file.write(bytes(range(256)) * (size // 256))
                while file.tell() < size:  # sparse: runs of zeros, then of anything
                    file.write(bytes(generator.randrange(256)) + generator.randbytes(generator.randrange(256)))
                file.truncate(size)
        found.append(Data(f"{name}.bin", path, size))
    return found


def small_files(folder, source, count):
    """A tree of so many files of 1 to 16 KiB out of the source, a hundred in each directory."""
    generator = random.Random(20000)
    with open(source.path, "rb") as file:
        content = file.read(64 * MB)
    for i in range(count):
        if i % 100 == 0:
            os.makedirs(f"{folder}/{i // 100:04}")
        size = generator.randint(1024, 16384)
        begin = generator.randrange(max(1, len(content) - size))
        with open(f"{folder}/{i // 100:04}/{i:06}", "wb") as file:
            file.write(content[begin:begin + size])
