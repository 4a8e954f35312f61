"""Data that nothing was tuned to: made by a seed of what is on the machine and in its
distribution."""

import dataclasses
import hashlib
import os
import random

from .data import Data
from .families import FAMILIES, Stream

CHUNK = 1 << 20


def write(path, family, materials, chance, size):
    """Returns the bytes written and their digest; fewer bytes where the family has no more."""
    digest, written = hashlib.sha256(), 0
    stream = Stream(FAMILIES[family](materials, chance))
    with open(path, "wb") as file:
        while written < size and (piece := stream.take(min(CHUNK, size - written))):
            file.write(piece)
            digest.update(piece)
            written += len(piece)
    return written, digest.hexdigest()


@dataclasses.dataclass
class Wish:
    """What is to be made: so many bytes of each family."""

    seed: str
    families: list
    size: int


def make(folder, wish, materials, note):
    """A file of each family: its bytes depend on the seed, the family and the materials alone."""
    os.makedirs(folder, exist_ok=True)
    found = []
    for family in wish.families:
        path = f"{folder}/{family}"
        length, digest = write(
            path, family, materials, random.Random(f"{wish.seed}/{family}"), wish.size
        )
        if length < wish.size:
            note(f"family {family} is left out: this machine has nothing to make it of")
            os.unlink(path)
            continue
        found.append(Data(family, path, length, digest))
    return found


def some(seed, wanted, count):
    """So many of the families, chosen by the seed, in their order."""
    chosen = random.Random(f"{seed}/families").sample(wanted, min(count, len(wanted)))
    return [family for family in wanted if family in chosen]
