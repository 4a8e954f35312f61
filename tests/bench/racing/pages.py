"""Which page shows the records of which section."""

from . import pairs, score, streams, tables, typed_page
from .pins import FREE, PINNED

SECTIONS = {
    "cells": ("Every tool, every link", tables.cells),
    "builds": ("Builds of AdOC, side by side", pairs.page),
    "unseen": ("The race on the unseen", score.page),
    "steps": ("A link that steps", tables.steps),
    "compete": ("Beside another connection", lambda r: tables.against_adoc(r, "beside")),
    "slow": (
        "One end with a quarter of a processor",
        lambda r: tables.against_adoc(r, "slow", "how"),
    ),
    "patterns": ("Messages of the pipeline paper", tables.patterns),
    "naive": ("Naive against pipelined", tables.against_adoc),
    "random": ("Incompressible data", tables.random),
    "threads": ("More compression threads than one", tables.threads),
    "wan": ("Long paths", lambda r: tables.against_adoc(r, "path")),
    "streams": ("How many connections", streams.page),
    "numbers": ("Numbers", typed_page.page),
    "small": ("Many small files", lambda r: tables.against_adoc(r, "to")),
}
OWN_PINS = (
    "builds",
    "unseen",
)  # these race each setting of processors themselves, and show both on a page
OWN_DATA = ("numbers", "streams")  # these make what they send
# Not among all sections: they need what --adoc or --unseen gives, or take hours.
ON_REQUEST = ("builds", "unseen", "wan", "streams", "numbers")


def section(name, records, markdown):
    title, function = SECTIONS[name]
    title = f"{'## ' if markdown else ''}{title}"
    if not records:
        return f"{title}\n\nNothing could be measured."
    if name in OWN_PINS:
        return "\n\n".join(filter(None, (title, pairs.how_many(records), function(records))))
    settings = tables.grouped(records, "pin")
    return "\n".join(
        [title]
        + [
            (
                f"\nProcessors: {pin or FREE}.\n\n{function(group)}"
                if len(settings) > 1 or pin == PINNED
                else f"\n{function(group)}"
            )
            for (pin,), group in settings.items()
        ]
    )
