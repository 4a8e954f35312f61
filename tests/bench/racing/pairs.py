"""Two builds of AdOC that ran in turns: what the one's time is of the other's, by pairs. What else
the machine does changes slowly, so it is mostly the same in both runs of a pair. Only arithmetic.
"""

import dataclasses
import math
import statistics

from .tables import figure_of_ratio, grouped, in_words, table

WORST = 5
Z = 1.96  # standard errors to either side: 95 %


def logs_of(base, other):
    """ln(other / base) of each pair."""
    return [math.log(b / a) for a, b in zip(base["seconds"], other["seconds"])]


def standard_error(values):
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


@dataclasses.dataclass
class Ratio:
    """Of times, in the geometric mean of pairs or of cells; about tells of what."""

    about: tuple
    log: float
    error: float

    def __str__(self):
        return figure_of_ratio(math.exp(self.log))

    def interval(self):
        if not math.isfinite(self.error):
            return "?"
        low, high = (math.exp(self.log + side * Z * self.error) for side in (-1, 1))
        return f"{figure_of_ratio(low)}–{figure_of_ratio(high)}"


def of_cells(records, base):
    """{name: [Ratio of each cell]} for each build but the base."""
    found = {}
    for about, group in grouped(records, "pin", "rate", "transfer", "data").items():
        by_build = {r["build"]: r for r in group if r.get("seconds")}
        if base not in by_build:
            continue
        for build, record in by_build.items():
            values = logs_of(by_build[base], record) if build != base else []
            if values:
                ratio = Ratio(about, statistics.fmean(values), standard_error(values))
                found.setdefault(build, []).append(ratio)
    return found


def together(ratios, about=()):
    """The geometric mean of cells, each of the same weight."""
    errors = math.sqrt(sum(r.error**2 for r in ratios)) / len(ratios)
    return Ratio(about, statistics.fmean(r.log for r in ratios), errors)


def page(records):
    """For each build but the first: all cells together, by link, and the worst of them."""
    if not records:
        return "no pair of runs was whole"
    base = records[0]["build"]
    parts = []
    for build, ratios in of_cells(records, base).items():
        rows = [row(("all cells", "", ""), ratios)]
        for about, group in by_link(ratios).items():
            rows.append(row((about[0], in_words(about[1]), about[2]), group))
        text = table(
            [
                "processors",
                "link",
                "transfer",
                f"{build} / {base}",
                "95 %",
                "worst cell",
                "",
                "cells",
            ],
            rows,
            words=3,
        )
        worst = sorted(ratios, key=lambda r: -r.log)[:WORST]
        cells = [[*cell_words(r.about), str(r), r.interval()] for r in worst]
        parts.append(
            f"Time of {build} over time of {base}: above 1, {build} is slower.\n\n{text}\n"
            "Its worst cells\n\n"
            + table(
                ["processors", "link", "transfer", "data", f"{build} / {base}", "95 %"],
                cells,
                words=4,
            )
        )
    return "\n".join(parts) if parts else f"no build but {base} sent anything"


def by_link(ratios):
    groups = {}
    for ratio in ratios:
        groups.setdefault(ratio.about[:3], []).append(ratio)
    return groups


def cell_words(about):
    pin, rate, transfer, data = about
    return pin, in_words(rate), transfer, data


def row(words, ratios):
    worst = max(ratios, key=lambda r: r.log)
    all_of_them = together(ratios)
    return [
        *words,
        str(all_of_them),
        all_of_them.interval(),
        str(worst),
        worst.about[3],
        len(ratios),
    ]
