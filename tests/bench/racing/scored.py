"""The race that is scored: AdOC's builds, its fixed levels and every other tool, cell by cell,
in an order that leaves a fair sample whenever the time is over."""

import math
import os
import random
import shutil
import time

from .builds import tools_of, warm_up
from .levels import FEW, USUAL, choose, ladder, other_codecs

PEERS_LOST, QUICK_LOST = 3, 2  # times the best, when another tool is given up
REPEAT_SECONDS = 10


def racers(bench):
    """AdOC first, as it tells when a level has lost. The levels are the last build's."""
    box, options = bench.toolbox, bench.options
    own = {}
    for build in options.builds:
        for transfer, tool in tools_of(box, build).items():
            own[tool.name] = {"build": build.name, "transfer": transfer}, tool
    rungs = ladder(options.bin)
    names = FEW if options.quick else USUAL
    chosen = rungs if options.all_levels else sorted({*choose(rungs, names), *other_codecs(rungs)})
    tools = [tool for _, tool in own.values()] + [box.level(*rung) for rung in chosen]
    tools += box.peers() + box.more_levels_of_zstd()
    return {name: about for name, (about, _) in own.items()}, bench.wanted(tools)


def cells_of(items, rates, settings, seed):
    """Every file at every rate with every setting; file by file in an order of the seed, so
    that all rates and settings have the same number of files when the rest is left out."""
    items = list(items)
    random.Random(f"{seed}/order").shuffle(items)
    return [(item, rate, setting) for item in items for rate in rates for setting in settings]


def unseen(bench, items):
    options = bench.options
    about_own, tools = racers(bench)
    end = time.monotonic() + (60 * options.budget if options.budget else math.inf)
    settings = bench.pins.possible(options.pin_settings)
    cells = cells_of(items, options.rates, settings, options.unseen)
    learners = [tool for tool in tools if about_own.get(tool.name, {}).get("transfer") == "later"]
    for number, (item, rate, setting) in enumerate(cells):
        if time.monotonic() > end:
            bench.note(
                f"the {options.budget:g} minutes are over: "
                f"{number} of {len(cells)} cells were raced"
            )
            break
        bench.link.rate(rate)
        with bench.pins.set(setting):
            other = items[items.index(item) - 1]
            warm_up(bench, learners, other, rate)
            piece = bench.cut(item, rate)
            for record in bench.race(
                tools,
                piece,
                {"pin": setting, "rate": rate},
                repeat=REPEAT_SECONDS,
                peers_lost=QUICK_LOST if options.quick else PEERS_LOST,
            ):
                yield record | {"digest": item.digest} | about_own.get(record["tool"], {})
            os.unlink(piece.path)
    shutil.rmtree(f"{bench.work}/warm-up", ignore_errors=True)
