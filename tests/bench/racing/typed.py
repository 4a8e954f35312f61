"""Arrays of numbers as programs write them, without a header: the same bytes for the same seed."""

import array
import math
import operator
import os
import random
import statistics
import struct

from .data import Data

SIZE = 32 << 20
CHUNK = 1 << 16  # items that are made at a time


def uniform(chance, count):
    """So many integers of 16 bits."""
    return array.array("H", chance.randbytes(2 * count))


def field(chance):
    """float32: a smooth field with the noise of an instrument."""
    (f, a, p), (g, b, q) = (
        (chance.uniform(1e-4, 3e-3), chance.uniform(1, 9), chance.uniform(0, 6)) for _ in range(2)
    )
    sin, noise = math.sin, 1e-3 / (1 << 16)
    start = 0
    while True:
        places = range(start, start + CHUNK)
        yield array.array("f", [a * sin(f * i + p) + b * sin(g * i + q) + noise * n
                                for i, n in zip(places, uniform(chance, CHUNK))])
        start += CHUNK


def walk(chance):
    """float64: a random walk, as of prices or positions."""
    at = 0.0
    while True:
        items = array.array("d")
        for _ in range(CHUNK):
            at += chance.random() - 0.5
            items.append(at)
        yield items


def keys(chance):
    """int32: keys to be sorted, up to 2^18, those in the middle the most frequent."""
    add = operator.add
    while True:
        one, two, three, four = (uniform(chance, CHUNK) for _ in range(4))
        yield array.array("i", map(add, map(add, one, two), map(add, three, four)))


def times(chance):
    """int64: nanoseconds of events, about a millisecond apart."""
    at = 1_700_000_000_000_000_000
    while True:
        items = array.array("q")
        for _ in range(CHUNK):
            at += 1_000_000 + chance.getrandbits(16)
            items.append(at)
        yield items


def weights(chance):
    """bfloat16: normally distributed, as those of a neural network."""
    normal = statistics.NormalDist(0, 0.02)
    halves = [struct.unpack(">H", struct.pack(">f", normal.inv_cdf((i + 0.5) / (1 << 16)))[:2])[0]
              for i in range(1 << 16)]
    while True:
        yield array.array("H", map(halves.__getitem__, uniform(chance, CHUNK)))


KINDS = {
    "field.f32": field,
    "walk.f64": walk,
    "keys.i32": keys,
    "times.i64": times,
    "weights.bf16": weights,
}


def make(folder, wanted=lambda name: True, size=SIZE, seed=1):
    """A file of each kind that is wanted, in the byte order of this machine."""
    os.makedirs(folder, exist_ok=True)
    found = []
    for name in filter(wanted, KINDS):
        path, left = f"{folder}/{name}", size
        with open(path, "wb") as file:
            for items in KINDS[name](random.Random(f"{seed}/{name}")):
                piece = items.tobytes()[:left]
                file.write(piece)
                left -= len(piece)
                if not left:
                    break
        found.append(Data(name, path, size))
    return found
