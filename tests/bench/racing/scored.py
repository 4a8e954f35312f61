"""The race that is scored: AdOC's builds, its fixed levels and every other tool, cell by cell."""

import shutil

from .builds import tools_of
from .levels import FEW, USUAL, choose, ladder, other_codecs
from .plan import prepared

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


def unseen(bench, items):
    options = bench.options
    lost = QUICK_LOST if options.quick else PEERS_LOST
    own, tools = racers(bench)
    learners = [tool for tool in tools if own.get(tool.name, {}).get("transfer") == "later"]
    for cell in prepared(bench, items, learners):
        records = bench.race(
            tools, cell.piece, cell.about, repeat=REPEAT_SECONDS, peers_lost=lost
        )
        for record in records:
            if record["tool"] in own and "longer_than" in record:
                bench.failures.append(f"{record['label']}, {record['data']}: did not end in time")
            yield record | own.get(record["tool"], {}) | cell.stamp
    shutil.rmtree(f"{bench.work}/warm-up", ignore_errors=True)
