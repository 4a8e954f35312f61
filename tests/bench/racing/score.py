"""The score: time over the best of the others, chosen for each cell in hindsight.
Only arithmetic on the records of section unseen."""

import dataclasses
import math
import statistics

from . import pairs
from .tables import figure_of_ratio, grouped, in_words, table

AGAINST = {"tool": ("peer", "the best other tool"), "level": ("level", "its own best fixed level")}
WORST = 5


@dataclasses.dataclass
class Cell:
    """One build's transfers of one file over one link; log is ln(time / best), best its record."""

    about: tuple  # processors, link, data
    log: float
    best: dict


def best_of(records, group):
    """The one with the least median among those that arrived; None when none did."""
    arrived = [r for r in records if r["group"] == group and "median" in r]
    return min(arrived, key=lambda r: r["median"], default=None)


def cells_of(records, build, transfer, group):
    """The cells in which that build arrived and has something to be compared with."""
    found = []
    for about, cell in grouped(records, "pin", "rate", "data").items():
        own = next(
            (r for r in cell if r.get("build") == build and r.get("transfer") == transfer), None
        )
        best = best_of(cell, group)
        if own and "median" in own and best:
            found.append(Cell(about, math.log(own["median"] / best["median"]), best))
    return found


def mean(cells):
    return statistics.fmean(cell.log for cell in cells)


def point_95(cells):
    """The ratio that 95 % of the cells do not exceed (nearest rank)."""
    ordered = sorted(cell.log for cell in cells)
    return ordered[math.ceil(0.95 * len(ordered)) - 1]


def ratio(log):
    return figure_of_ratio(math.exp(log))


def columns(cells):
    """Geometric mean, 95 % point, worst cell and against whom, count."""
    if not cells:
        return ["", "", "", "0"]
    worst = max(cells, key=lambda cell: cell.log)
    return [
        ratio(mean(cells)),
        ratio(point_95(cells)),
        f"{ratio(worst.log)} {words_of(worst)}",
        len(cells),
    ]


def words_of(cell):
    return f"({cell.about[2]}, {cell.best['label'].removeprefix('AdOC ')})"


def builds_of(records):
    return list(dict.fromkeys(r["build"] for r in records if "build" in r))


def headline(records, build):
    """The score itself, one line for each kind of transfer."""
    lines = []
    for transfer in ("first", "later"):
        parts = []
        for group, name in AGAINST.values():
            cells = cells_of(records, build, transfer, group)
            if cells:
                parts.append(
                    f"{mean(cells):+.4f} over {name} "
                    f"(times {ratio(mean(cells))}, {len(cells)} cells)"
                )
        if parts:
            lines.append(f"- {build}, {transfer} transfers: " + "; ".join(parts))
    return "\n".join(lines)


def by(records, build, keys):
    """Rows for each value of the keys of a cell and each kind of transfer, against both."""
    rows = []
    indices = [("pin", "rate", "data").index(key) for key in keys]
    per = {
        (transfer, kind): cells_of(records, build, transfer, group)
        for transfer in ("first", "later")
        for kind, (group, _) in AGAINST.items()
    }
    values = dict.fromkeys(
        tuple(cell.about[i] for i in indices) for cells in per.values() for cell in cells
    )
    for value in values:
        for transfer in ("first", "later"):
            chosen = {
                kind: [
                    cell
                    for cell in per[transfer, kind]
                    if tuple(cell.about[i] for i in indices) == value
                ]
                for kind in AGAINST
            }
            if any(chosen.values()):
                words = [in_words(v) if key == "rate" else v for key, v in zip(keys, value)]
                rows.append([*words, transfer, *columns(chosen["tool"]), *columns(chosen["level"])])
    return rows


def head(*words):
    return [
        *words,
        "transfer",
        "time / best other tool",
        "95 % of cells below",
        "worst cell",
        "cells",
        "time / best fixed level",
        "95 % of cells below",
        "worst cell",
        "cells",
    ]


def other_tools(records, build):
    """How many times as long each other tool takes as the build's later transfers, by link. A
    tool that was given up in a cell takes at least that long: the mean is then a lower bound."""
    rates = list(dict.fromkeys(r["rate"] for r in records))
    rows = []
    for name, label in dict.fromkeys(
        (r["tool"], r["label"]) for r in records if r["group"] == "peer"
    ):
        row = [label]
        for rate in rates:
            logs, bound = [], False
            for cell in grouped([r for r in records if r["rate"] == rate], "pin", "data").values():
                own = next(
                    (r for r in cell if r.get("build") == build and r.get("transfer") == "later"),
                    None,
                )
                its = next((r for r in cell if r["tool"] == name), None)
                took = its and (its.get("median") or its.get("longer_than"))
                if own and "median" in own and took:
                    logs.append(math.log(took / own["median"]))
                    bound |= "median" not in its
            row.append(f"{'> ' if bound else ''}{ratio(statistics.fmean(logs))}" if logs else "")
        rows.append(row)
    return table(["other tool", *map(in_words, rates)], rows)


def page(records):
    """One page for a reader who knows nothing of this."""
    builds = builds_of(records)
    parts = [
        "Each file is sent over each link by AdOC and by every other tool. A cell is a file, a\n"
        "link and a setting of processors. The score is the mean over cells of ln(AdOC's time /\n"
        "time of the best of the others), the best being chosen for each cell when all times are\n"
        "known: below 0 (a ratio below 1), AdOC is faster. First transfers know nothing of the\n"
        "link (`--no-remember`), later ones have sent other files over it.\n\n"
        + "\n".join(filter(None, (headline(records, build) for build in builds)))
    ]
    for build in builds:
        parts.append(
            f"{build}, by link\n\n"
            + table(head("processors", "link"), by(records, build, ("pin", "rate")), 3)
        )
        parts.append(
            f"{build}, by data\n\n" + table(head("data"), by(records, build, ("data",)), 2)
        )
        worst = sorted(
            (cell for transfer in ("first", "later") for cell in named(records, build, transfer)),
            key=lambda pair: -pair[1].log,
        )[:WORST]
        parts.append(
            f"{build}, where another tool is furthest ahead\n\n"
            + table(
                ["processors", "link", "data", "transfer", "tool", "AdOC's time / its"],
                [
                    [
                        cell.about[0],
                        in_words(cell.about[1]),
                        cell.about[2],
                        transfer,
                        cell.best["label"],
                        ratio(cell.log),
                    ]
                    for transfer, cell in worst
                ],
                5,
            )
        )
    parts.append(
        f"Time of each other tool / time of {builds[-1]}, later transfers: above 1,\nAdOC is faster; "
        "`>`: it was given up\n\n" + other_tools(records, builds[-1])
        if builds
        else "nothing of AdOC arrived"
    )
    if len(builds) > 1:
        parts.append(pairs.page([r for r in records if "build" in r]))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def named(records, build, transfer):
    return [(transfer, cell) for cell in cells_of(records, build, transfer, "peer")]
