#!/usr/bin/env python3
"""What loses something of numbers beside ZFP and SZ3, as a Markdown table.

usage: beside.py PAPER_SEISMIC FILE.sgy SHOT...
       beside.py --lossy DIRECTORY

The first is of the wavelet of Fajardo 2017, each at the same SNR.

ZFP (fixed accuracy) and SZ3 (absolute error) get a shot as an array of traces by samples, and the
largest bound with which they are at least as near as the wavelet. Needs numpy, and zfpy and pysz
of PyPI; without one of the two its column is empty. The traces of a shot are of one length.

The second is of adoc-send --lossy abs:E, which is in DIRECTORY, on arrays that a seed makes: each
with the same E, ZFP and SZ3 told the shape. Seconds are those of one processor; of AdOC with all
that the program does, of the others of a call in memory. What compressing takes by the clock and
sending what is left over 10 Mbit/s together is in the last column, of AdOC the median of three.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time

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
LINK = 10e6 / 8  # bytes a second


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


def arrays():
    """Of 16 MiB each: in one dimension, and of two."""
    chance = numpy.random.default_rng(7)
    at = numpy.arange(4 << 20)
    smooth = 6 * numpy.sin(1.1e-3 * at) + 4 * numpy.sin(2.7e-4 * at + 1)
    yield "field", (smooth + 1e-3 * chance.random(at.size)).astype("f4")
    yield "walk", numpy.cumsum(chance.random(2 << 20) - 0.5)
    rows, columns = numpy.ogrid[:2048, :2048]
    waves = numpy.zeros((2048, 2048))
    for _ in range(6):
        across, down = chance.uniform(-0.02, 0.02, 2)
        waves += chance.uniform(10, 60) * numpy.sin(across * columns + down * rows)
    yield "waves", waves.astype("f4")


def children_seconds():
    times = os.times()
    return times.children_user + times.children_system


def by_adoc(programs, numbers, bound, options):
    """Bytes, processor seconds, seconds, and what arrives: the run of the middle of three."""
    runs = [one_by_adoc(programs, numbers, bound, options) for _ in range(3)]
    return sorted(runs, key=lambda run: run[2] + run[0] / LINK)[1]


def one_by_adoc(programs, numbers, bound, options):
    with tempfile.TemporaryDirectory() as scratch:
        numbers.tofile(f"{scratch}/numbers")
        before, began = children_seconds(), time.monotonic()
        subprocess.run(
            [f"{programs}/adoc-send", "-q", "--threads", "1", "--lossy", f"abs:{bound}", "--dtype",
             numbers.dtype.name, "--to-file", f"{scratch}/x.adoc", *options, f"{scratch}/numbers"],
            check=True,
        )
        clock, seconds = time.monotonic() - began, children_seconds() - before
        subprocess.run([f"{programs}/adoc-recv", "-q", "--from-file", f"{scratch}/x.adoc", "--out",
                        f"{scratch}/out"], check=True)
        decoded = numpy.fromfile(f"{scratch}/out/numbers", numbers.dtype).reshape(numbers.shape)
        return os.path.getsize(f"{scratch}/x.adoc"), seconds, clock, decoded


def in_memory(codec):
    def timed(numbers, bound):
        before, began = time.process_time(), time.monotonic()
        size, decoded = codec(numbers, bound)
        return size, time.process_time() - before, time.monotonic() - began, decoded

    return timed


def beside_lossy(programs):
    ways = {
        "AdOC, zstd 3": lambda numbers, bound: by_adoc(programs, numbers, bound, []),
        "AdOC, --for 10mbit": lambda numbers, bound: by_adoc(
            programs, numbers, bound, ["--for", "10mbit"]),
    }
    if zfpy is not None:
        ways["ZFP, and back"] = in_memory(by_zfp)
    if pysz is not None:
        ways["SZ3, and back"] = in_memory(by_sz3)
    print("| data | E | by | ratio | seconds | largest error / E | RMS error / E | and sent |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for name, numbers in arrays():
        for bound in (0.001, 0.1):
            for way, run in ways.items():
                size, seconds, clock, decoded = run(numbers, bound)
                errors = numpy.abs(decoded.astype("f8") - numbers.astype("f8")) / bound
                print(
                    f"| {name} | {bound} | {way} | {numbers.nbytes / size:.2f} | {seconds:.2f}"
                    f" | {errors.max():.2f} | {numpy.sqrt(numpy.square(errors).mean()):.2f}"
                    f" | {clock + size / LINK:.2f} |",
                    flush=True,
                )


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--lossy":
        beside_lossy(sys.argv[2])
        return
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
