"""This run beside an earlier one: times cell by cell, of the same bytes."""

import math

from .pairs import Ratio, by_link, cell_words, together
from .tables import figure_of_ratio, in_words, table

SECTIONS = ("unseen", "builds", "cells")
WORST = 10
TRANSFER_OF = {"adoc": "later", "adoc-first": "first"}  # in section cells


def cells_of(results):
    """{(section, processors, link, transfer, data): record} of the last build's own choices."""
    found = {}
    for section in SECTIONS:
        records = [r for r in results["sections"].get(section, []) if "median" in r]
        builds = [r["build"] for r in records if "build" in r]
        for r in records:
            transfer = r.get("transfer") or TRANSFER_OF.get(r["tool"])
            if transfer and r.get("build") == (builds[-1] if builds else None):
                found[section, r.get("pin", "all processors"), r["rate"], transfer, r["data"]] = r
    return found


def same_bytes(one, other):
    return one["bytes"] == other["bytes"] and one.get("digest", "") == other.get("digest", "")


def page(old, new):
    """The geometric mean of new time over old time, and the worst cells."""
    old_cells, new_cells = cells_of(old), cells_of(new)
    both = [key for key in new_cells if key in old_cells]
    same = [key for key in both if same_bytes(old_cells[key], new_cells[key])]
    left_out = len(set(old_cells) | set(new_cells)) - len(same)
    ratios = [
        Ratio(key[1:], math.log(new_cells[key]["median"] / old_cells[key]["median"]), 0.0)
        for key in same
    ]
    words = (
        f"This run ({new['machine']['date']}) over the earlier one ({old['machine']['date']}):\n"
        "above 1, this one is slower. What else the machine did in either run is in the ratio;\n"
        "section builds, which runs two builds in turns, tells smaller differences apart.\n"
        f"Cells in both, with the same bytes: {len(same)}; left out: {left_out}.\n"
    )
    if not ratios:
        return words
    rows = [["all", "", "", *figures(ratios)]]
    rows += [
        [pin, in_words(rate), transfer, *figures(group)]
        for (pin, rate, transfer), group in by_link(ratios).items()
    ]
    worst = sorted(ratios, key=lambda r: -r.log)[:WORST]
    return (
        words
        + "\n"
        + table(["processors", "link", "transfer", "this / earlier", "worst", "cells"], rows, 3)
        + "\nWorst cells\n\n"
        + table(
            ["processors", "link", "transfer", "data", "this / earlier"],
            [[*cell_words(r.about), str(r)] for r in worst],
            4,
        )
    )


def figures(ratios):
    return [
        str(together(ratios)),
        figure_of_ratio(math.exp(max(r.log for r in ratios))),
        len(ratios),
    ]
