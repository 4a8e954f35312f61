"""In which order the cells of a race are run, until its time is over."""
import dataclasses
import math
import os
import random
import time

from .data import cut
from .link import bits_per_second

WARM_UP_SECONDS = 2  # of the link's bytes


@dataclasses.dataclass
class Cell:
    """A piece of a file over a link; about is what the link is, stamp belongs in every record."""

    piece: object
    about: dict
    stamp: dict


def cells_of(items, rates, settings, seed):
    """Every file at every rate with every setting; file by file in an order of the seed, so
    that all rates and settings have the same number of files when the rest is left out."""
    items = list(items)
    random.Random(f"{seed}/order").shuffle(items)
    return [(item, rate, setting) for item in items for rate in rates for setting in settings]


def warm_up(bench, tools, item, rate):
    """Not counted: lets each build learn the link with another file, so that what is called a
    later transfer does not follow one over another link."""
    carries = bits_per_second(rate) / 8 * WARM_UP_SECONDS
    piece = cut(item, int(min(bench.limit(rate), carries)), f"{bench.work}/warm-up")
    for tool in tools:
        outcome = bench.run(tool, bench.job(piece.path), bench.options.time_limit_of(piece, rate))
        if outcome.error:
            bench.failures.append(f"{tool.label}, {item.name}, {rate}, before: {outcome.error}")
    os.unlink(piece.path)


def prepared(bench, items, learners):
    """Yields each Cell, with link and processors set, after the learners have learned the link;
    until --budget is over."""
    options = bench.options
    end = time.monotonic() + (60 * options.budget if options.budget else math.inf)
    settings = bench.pins.possible(options.pin_settings)
    cells = cells_of(items, options.rates, settings, options.unseen)
    for number, (item, rate, setting) in enumerate(cells):
        if time.monotonic() > end:
            minutes = f"{options.budget:g} minutes"
            bench.note(f"the {minutes} are over: {number} of {len(cells)} cells were raced")
            return
        bench.link.rate(rate)
        with bench.pins.set(setting):
            warm_up(bench, learners, items[items.index(item) - 1], rate)
            piece = bench.cut(item, rate)
            stamp = {"digest": item.digest, "planned_cells": len(cells)}
            yield Cell(piece, {"pin": setting, "rate": rate}, stamp)
            os.unlink(piece.path)
