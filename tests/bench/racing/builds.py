"""Two or more builds of AdOC, side by side: first transfers and later ones, run by run in turns."""

import dataclasses
import math
import os
import shutil
import time

from . import pairs
from .data import cut
from .link import bits_per_second

KNOWN = 0.005  # the standard error of the mean ratio, when a cell is done
WARM_UP_SECONDS = 2  # of the link's bytes
TRANSFERS = {"first": ("--no-remember",), "later": ()}


def tools_of(box, build):
    """{transfer: tool}: without memory, and with what the build remembers of the link."""
    tools = {
        transfer: box.adoc(
            f"{build.name}-{transfer}", f"AdOC {build.name}, {transfer}", *options, build=build
        )
        for transfer, options in TRANSFERS.items()
    }
    return {transfer: dataclasses.replace(tool, keeps_on=True) for transfer, tool in tools.items()}


def warm_up(bench, tools, item, rate):
    """Not counted: lets each build learn the link with another file, so that what is called a later
    transfer does not follow one over another link."""
    carries = bits_per_second(rate) / 8 * WARM_UP_SECONDS
    piece = cut(item, int(min(bench.limit(rate), carries)), f"{bench.work}/warm-up")
    for tool in tools:
        outcome = bench.run(tool, bench.job(piece.path), bench.options.time_limit_of(piece, rate))
        if outcome.error:
            bench.failures.append(f"{tool.label}, {item.name}, {rate}, before: {outcome.error}")
    os.unlink(piece.path)


def order(tools, number):
    """Backwards every other time: who runs second runs first next."""
    return tools if number % 2 == 0 else tools[::-1]


def in_turns(bench, tools, piece, about):
    """{name: [Outcome]} of whole rounds, until the ratios are known or time is over."""
    limit = bench.options.time_limit_of(piece, about["rate"])
    whole = {tool.name: [] for tool in tools}
    end, number = time.monotonic() + bench.options.repeat, 0
    while number < bench.options.rounds or (time.monotonic() < end and not known(whole)):
        outcomes = {}
        for tool in order(tools, number):
            outcomes[tool.name] = outcome = bench.run(tool, bench.job(piece.path), limit)
            bench.tell(tool, piece, about, outcome)
        if any(outcome.error or outcome.gave_up for outcome in outcomes.values()):
            break  # said already; what was whole until then counts
        for name, outcome in outcomes.items():
            whole[name].append(outcome)
        number += 1
    return whole


def known(whole):
    base, *others = [{"seconds": [o.seconds for o in outcomes]} for outcomes in whole.values()]
    errors = [pairs.standard_error(pairs.logs_of(base, other)) for other in others]
    return max(errors, default=math.inf) < KNOWN


def builds(bench, items):
    """Yields a record for each build in each cell; seconds[i] of two builds are a pair."""
    box, given = bench.toolbox, bench.options.builds
    if len(given) < 2:
        bench.failures.append("section builds: needs two builds, --adoc old=DIR --adoc new=DIR")
        return
    tools = {build.name: tools_of(box, build) for build in given}
    for setting in bench.pins.possible(bench.options.pin_settings):
        for rate in bench.options.rates:
            bench.link.rate(rate)
            with bench.pins.set(setting):
                yield from each_item(bench, tools, items, {"pin": setting, "rate": rate})
    shutil.rmtree(f"{bench.work}/inbox", ignore_errors=True)


def each_item(bench, tools, items, about):
    for number, item in enumerate(items):
        warm_up(bench, [of["later"] for of in tools.values()], items[number - 1], about["rate"])
        piece = bench.cut(item, about["rate"])
        for transfer in TRANSFERS:
            here = about | {"transfer": transfer}
            racers = [of[transfer] for of in tools.values()]
            whole = in_turns(bench, racers, piece, here)
            for name, tool in zip(tools, racers):
                record = bench.record(tool, piece, here, whole[tool.name])
                yield record | {"build": name, "digest": item.digest}
        os.unlink(piece.path)
