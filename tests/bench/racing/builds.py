"""Two or more builds of AdOC, side by side: first transfers and later ones, run by run in turns."""

import dataclasses
import math
import shutil
import time

from . import pairs
from .plan import prepared

KNOWN = 0.005  # the standard error of the mean ratio, when a cell is done
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
            if outcome.gave_up:
                bench.failures.append(f"{tool.label}, {piece.name}: not done after {limit:g} s")
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
    tools = {build.name: tools_of(bench.toolbox, build) for build in bench.options.builds}
    learners = [of["later"] for of in tools.values()]
    for cell in prepared(bench, items, learners):
        for transfer in TRANSFERS:
            here = cell.about | {"transfer": transfer}
            racers = bench.wanted([of[transfer] for of in tools.values()])
            if len(racers) < 2:  # --tools 'old-first,new-first' asks for these alone
                continue
            whole = in_turns(bench, racers, cell.piece, here)
            for name, tool in ((name, of[transfer]) for name, of in tools.items()):
                if tool not in racers:
                    continue
                record = bench.record(tool, cell.piece, here, whole[tool.name])
                yield record | {"build": name} | cell.stamp
    shutil.rmtree(f"{bench.work}/inbox", ignore_errors=True)
