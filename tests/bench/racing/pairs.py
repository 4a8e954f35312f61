"""Two builds of AdOC that ran in turns: what the one's time is of the other's, by pairs. What else
the machine does changes slowly, so it is mostly the same in both runs of a pair. Only arithmetic.
"""

import dataclasses
import math
import statistics

from .tables import figure_of_ratio, grouped, in_words, table

WORST = 5
# Standard errors to either side for 95 %, by degrees of freedom: Student's t.
T_95 = (math.inf, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16)
Z_95 = 1.96


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
    freedom: int = 0  # degrees of freedom of the error

    def __str__(self):
        return figure_of_ratio(math.exp(self.log))

    def interval(self):
        if not math.isfinite(self.error):
            return "?"
        few = self.freedom < len(T_95)
        half = self.error * (T_95[self.freedom] if few else Z_95) if self.error else 0.0
        low, high = (math.exp(min(self.log + side * half, 99)) for side in (-1, 1))
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
                mean, error = statistics.fmean(values), standard_error(values)
                ratio = Ratio(about, mean, error, len(values) - 1)
                found.setdefault(build, []).append(ratio)
    return found


def together(ratios, about=()):
    """The geometric mean of cells, each of the same weight."""
    errors = math.sqrt(sum(r.error**2 for r in ratios)) / len(ratios)
    freedom = sum(r.freedom for r in ratios)
    return Ratio(about, statistics.fmean(r.log for r in ratios), errors, freedom)


def how_many(records):
    """Where the time was over before all cells were raced, how many of them were."""
    raced = len(grouped(records, "pin", "rate", "data"))
    planned = max(r.get("planned_cells", 0) for r in records)
    return f"Raced before the time was over: {raced} of {planned} cells." if raced < planned else ""


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
