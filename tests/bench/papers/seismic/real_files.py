#!/usr/bin/env python3
"""The small real SEG-Y files of obspy: samples against what obspy reads, and there and back.

usage: real_files.py PAPER_SEISMIC OBSPY.whl        (pip download --no-deps obspy)

Each file has beside it an array of what its samples are; they are compared value by value. Then the
file is packed with 12 bits and 4 levels, unpacked, and its headers are compared byte by byte. Needs
numpy.
"""

import io
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy

FOLDER = "obspy/io/segy/tests/data/"
FORMATS = {1: "IBM", 2: "int32", 3: "int16", 5: "IEEE", 8: "int8"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, wheel = sys.argv[1:]
    wrong = 0
    print("| file | format | order | samples | as obspy reads them | headers there and back, SNR |")
    print("|---|---|---|---:|---|---|")
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as work:
        names = archive.namelist()
        for name in names:
            if not name.startswith(FOLDER) or name + ".npy" not in names:
                continue
            data = archive.read(name)
            expected = numpy.load(io.BytesIO(archive.read(name + ".npy"))).ravel()
            path = os.path.join(work, "file.sgy")
            with open(path, "wb") as file:
                file.write(data)
            found = samples(program, path, work)
            equal = found is not None and numpy.array_equal(found, expected.astype("f8"))
            back = there_and_back(program, path, work)
            wrong += not equal or not back.startswith("headers equal")
            order = "big" if int.from_bytes(data[3224:3226], "big") in FORMATS else "little"
            code = FORMATS.get(int.from_bytes(data[3224:3226], order), "?")
            print(
                f"| {name[len(FOLDER):]} | {code} | {order} | {expected.size} | "
                f"{'equal' if equal else 'DIFFER'} | {back} |"
            )
    sys.exit(1 if wrong else 0)


def samples(program, path, work):
    out = os.path.join(work, "samples")
    if subprocess.run([program, "samples", path, "1", out], check=False).returncode != 0:
        return None
    return numpy.fromfile(out, "f8")


def there_and_back(program, path, work):
    packed, again = os.path.join(work, "packed"), os.path.join(work, "again.sgy")
    for words in (["pack", "12", "4", path, packed], ["unpack", packed, again]):
        done = subprocess.run([program, *words], check=False, stderr=subprocess.PIPE)
        if done.returncode != 0:
            return done.stderr.decode().strip()
    answer = subprocess.run([program, "compare", path, again], check=False, stdout=subprocess.PIPE)
    return answer.stdout.decode().strip()


if __name__ == "__main__":
    main()
