"""The table of section numbers."""

from .link import in_words
from .tables import by_tool, fastest, grouped, speed, table, verdict


def page(records):
    """A row for each link and data: AdOC, the others, its first time beside the best of them."""
    rows = []
    peers = {r["tool"]: r["label"].removesuffix(" | nc") for r in records if r["group"] == "peer"}
    for (rate, data), group in grouped(records, "rate", "data").items():
        first, plain = by_tool(group, "adoc-first"), by_tool(group, "adoc-plain")
        best = fastest([r for r in group if r["group"] == "peer"])
        rows.append(
            [in_words(rate), data, speed(by_tool(group, "adoc")), speed(first)]
            + [speed(plain, False)]
            + [speed(by_tool(group, name), False) for name in peers]
            + [verdict(first, best, 1)[0], verdict(first, plain, 1)[0]]
        )
    head = ["link", "data", "AdOC MB/s", "first time", "first, --no-filters", *peers.values()]
    return table([*head, "first / best other", "first / --no-filters"], rows, words=2)
