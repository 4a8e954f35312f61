#!/usr/bin/env python3
"""The wavelet of Fajardo 2017 beside ZFP and SZ3, each at the same SNR, as a Markdown table.

usage: beside.py PAPER_SEISMIC FILE.sgy SHOT...

ZFP (fixed accuracy) and SZ3 (absolute error) get a shot as an array of traces by samples, and the
largest bound with which they are at least as near as the wavelet. Needs numpy, and zfpy and pysz
of PyPI; without one of the two its column is empty. The traces of a shot are of one length.
"""

import csv
import subprocess
import sys
import tempfile

import numpy

try:
    import zfpy
except ImportError:
    zfpy = None
try:
    import pysz
except ImportError:
    pysz = None

STEPS = 24


def snr(original, decoded):
    noise = numpy.square(original.astype("f8") - decoded.astype("f8")).sum()
    signal = numpy.square(original.astype("f8")).sum()
    return 10 * numpy.log10(signal / noise) if noise > 0 else numpy.inf


def by_zfp(shot, bound):
    packed = zfpy.compress_numpy(shot, tolerance=bound)
    return len(packed), zfpy.decompress_numpy(packed)


def by_sz3(shot, bound):
    config = pysz.szConfig()
    config.errorBoundMode = pysz.szErrorBoundMode.ABS
    config.absErrorBound = bound
    packed, _ = pysz.sz.compress(shot, config)
    decoded, _ = pysz.sz.decompress(packed, shot.dtype, shot.shape)
    return packed.nbytes, decoded


def ratio_at(codec, shot, wanted):
    """By bisection over the logarithm of the bound; None if no bound is near enough."""
    top = float(numpy.abs(shot).max())
    low, high = numpy.log(top * 1e-9), numpy.log(top)
    best = None
    for _ in range(STEPS):
        middle = (low + high) / 2
        size, decoded = codec(shot, float(numpy.exp(middle)))
        if snr(shot, decoded) >= wanted:
            low = middle
            best = max(best or 0, shot.nbytes / size)
        else:
            high = middle
    return best


def shot_of(program, path, number, length):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([program, "samples", path, str(number), out.name], check=True)
        return numpy.fromfile(out.name, "f8").reshape(-1, length).astype("f4")


def samples_a_trace(path):
    with open(path, "rb") as file:
        file.seek(3220)
        field = file.read(6)
    order = "big" if 1 <= int.from_bytes(field[4:6], "big") <= 8 else "little"
    return int.from_bytes(field[0:2], order)


def cell(codec, available, shot, wanted):
    if available is None:
        return ""
    best = ratio_at(codec, shot, wanted)
    return f"{best:.2f}" if best else "none"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, path, *numbers = sys.argv[1:]
    answer = subprocess.run([program, "points", path, *numbers], check=True, stdout=subprocess.PIPE)
    print("| shot | bits | levels | SNR dB | Huffman | byte planes, zstd 19 | ZFP | SZ3 |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    shots = {}
    for row in csv.DictReader(answer.stdout.decode().splitlines()):
        number = row["shot"]
        if number not in shots:
            shots[number] = shot_of(program, path, number, samples_a_trace(path))
        shot, wanted = shots[number], float(row["snr"])
        print(
            f"| {number} | {row['bits']} | {row['levels']} | {wanted:.2f}"
            f" | {float(row['ratio']):.2f} | {float(row['planes_ratio']):.2f}"
            f" | {cell(by_zfp, zfpy, shot, wanted)} | {cell(by_sz3, pysz, shot, wanted)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
