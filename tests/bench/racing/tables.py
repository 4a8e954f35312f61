"""The records as Markdown, to be pasted into RESULTS.md as it is."""
from .link import in_words

WITHIN = 0.95      # of the best fixed level: what AdOC by itself is to reach
RANDOM_WITHIN = 0.98
THREADS_WITHIN = 0.97  # of one thread
STEP_GOAL_SECONDS = 0.5


def cell_text(value):
    return str(value).replace("|", "\\|")


def table(head, rows, words=1):
    """The first columns, of words, to the left; the others, of figures, to the right."""
    lines = ["| " + " | ".join(map(cell_text, head)) + " |", "|" + "---|" * words + "---:|" * (len(head) - words)]
    return "\n".join(lines + ["| " + " | ".join(map(cell_text, row)) + " |" for row in rows]) + "\n"


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def figure_of_ratio(value):
    return f"{value:.3f}" if value < 10 else figure(value)


def speed(record, spread=True):
    """MB/s; behind it, from least to most."""
    if not record or "mb_per_s" not in record:
        if record and "longer_than" in record:
            return "< " + figure(record["bytes"] / record["longer_than"] / 1e6)
        return "failed" if record else ""
    text = figure(record["mb_per_s"])
    if spread and len(record["seconds"]) > 1:
        scale = record["bytes"] / 1e6
        return f"{text} <sub>{figure(scale / record['most'])}–{figure(scale / record['least'])}</sub>"
    return text


def fastest(records):
    return max((r for r in records if "mb_per_s" in r), key=lambda r: r["mb_per_s"], default=None)


def grouped(records, *keys):
    """{values of the keys: records}, in the order of their first record."""
    groups = {}
    for record in records:
        groups.setdefault(tuple(record.get(key) for key in keys), []).append(record)
    return groups


def by_tool(records, name):
    return next((r for r in records if r["tool"] == name), None)


def verdict(own, other, goal):
    """("1.02", True): AdOC's speed over the other's, and whether that is the goal."""
    if not own or "mb_per_s" not in own or not other:
        return "", None
    ratio = own["mb_per_s"] / other["mb_per_s"]
    return f"{ratio:.2f}", ratio >= goal


def mark(good):
    return {True: "yes", False: "**no**", None: ""}[good]


def cells(records):
    rows, within, faster = [], [], []
    for (rate, data), group in grouped(records, "rate", "data").items():
        own = by_tool(group, "adoc")
        level = fastest(r for r in group if r["group"] == "level")
        peer = fastest(r for r in group if r["group"] == "peer")
        to_level, good = verdict(own, level, WITHIN)
        first, _ = verdict(by_tool(group, "adoc-first"), level, WITHIN)
        to_peer, better = verdict(own, peer, 1)
        within += [] if good is None else [good]
        faster += [] if better is None else [better]
        packed = f"{own['bytes'] / own['wire_bytes']:.2f}" if own and own.get("wire_bytes") else ""
        rows.append([in_words(rate), data, f"{group[0]['bytes'] / 1e6:.1f}", speed(own), packed,
                     f"{speed(level, False)} ({level['label'][5:]})" if level else "", to_level, mark(good), first,
                     f"{speed(peer, False)} ({peer['label']})" if peer else "", to_peer, mark(better)])
    text = table(["link", "data", "MB", "AdOC MB/s", "ratio", "best fixed level", "AdOC / it", "within 5 %?", "first time / it",
                  "best other tool", "AdOC / it", "faster?"], rows, words=2)
    if within:
        text += f"\nWithin 5 % of the best fixed level in {sum(within)} of {len(within)} cells."
    if faster:
        text += f"\nFaster than every other tool in {sum(faster)} of {len(faster)} cells."
    text += "\n"
    for group, words in (("peer", "MB/s of every tool"), ("level", "MB/s of AdOC's fixed levels")):
        shown = [r for r in records if r["group"] in ("adoc", group)]
        if any(r["group"] == group for r in shown):
            text += f"\n{words}\n\n" + wide(shown)
    return text


def wide(records):
    """A row for each link and data, a column for each tool."""
    labels = list(dict.fromkeys((r["tool"], r["label"]) for r in records))
    rows = [[in_words(rate), data, *(speed(by_tool(group, tool)) for tool, _ in labels)]
            for (rate, data), group in grouped(records, "rate", "data").items()]
    return table(["link", "data", *(label for _, label in labels)], rows, words=2)


def against_adoc(records, *about):
    """A table for each of what it is about, with a row for each tool."""
    text = ""
    for values, group in grouped(records, "rate", "data", *about).items():
        rate, data, *rest = values
        own = by_tool(group, "adoc")
        words = [in_words(rate), *(f"{key}: {value}" for key, value in zip(about, rest)), data,
                 f"{group[0]['bytes']} bytes"]
        rows = []
        for r in group:
            wire = f"{r['wire_bytes'] / 1e6:.1f}" if "wire_bytes" in r else ""
            known = "median" in r
            late = f"> {r['longer_than']:.3f}" if "longer_than" in r else "failed"
            rows.append([r["label"], f"{r['median']:.3f}" if known else late,
                         *((f"{r['least']:.3f}", f"{r['most']:.3f}", len(r["seconds"])) if known else ("", "", "")),
                         speed(r, False), wire, verdict(own, r, 1)[0] if known else ""])
        text += "\n" + ", ".join(words) + "\n\n"
        text += table(["tool", "median s", "least", "most", "runs", "MB/s", "MB on the wire", "AdOC / it"], rows)
    return text.lstrip("\n")


def random(records):
    rows = []
    for (rate,), group in grouped(records, "rate").items():
        own, nc, raw = (by_tool(group, name) for name in ("adoc", "nc", "level-raw"))
        to_nc, good_nc = verdict(own, nc if nc and "mb_per_s" in nc else None, RANDOM_WITHIN)
        to_raw, good_raw = verdict(own, raw if raw and "mb_per_s" in raw else None, RANDOM_WITHIN)
        rows.append([in_words(rate), speed(own), speed(raw), to_raw, mark(good_raw), speed(nc), to_nc, mark(good_nc),
                     speed(by_tool(group, "adoc-law"))])
    return table(["link", "AdOC MB/s", "level raw", "AdOC / it", "within 2 %?", "nc", "AdOC / it", "within 2 %?",
                  "--policy adoc"], rows)


def threads(records):
    rows = []
    for (rate, data, level), group in grouped(records, "rate", "data", "level").items():
        one, own, four = (by_tool(group, f"threads-{count}") for count in ("1", "own", "4"))
        against_one = [verdict(more, one if one and "mb_per_s" in one else None, THREADS_WITHIN) for more in (own, four)]
        rows.append([in_words(rate), data, level, speed(one), speed(own), against_one[0][0], mark(against_one[0][1]),
                     speed(four), against_one[1][0], mark(against_one[1][1])])
    return table(["link", "data", "level", "1 thread MB/s", "as many as it chooses", "of 1", "within 3 %?", "4 threads", "of 1",
                  "within 3 %?"], rows, words=3)


def milliseconds(record):
    if "median" in record:
        return f"{record['median'] * 1000:.1f}"
    return f"> {record['longer_than'] * 1000:.0f}" if "longer_than" in record else "failed"


def patterns(records):
    tools = list(dict.fromkeys((r["tool"], r["label"]) for r in records))
    rows = []
    for (rate, data, size), group in grouped(records, "rate", "data", "message").items():
        own = by_tool(group, "adoc")
        found = [by_tool(group, tool) or {} for tool, _ in tools]
        rows.append([in_words(rate), data.removesuffix(".bin"), size,
                     *map(milliseconds, found),
                     *(verdict(own, r if "median" in r else None, 1)[0] for r in found if r is not own)])
    return table(["link", "pattern", "bytes", *(f"{label} ms" for _, label in tools),
                  *(f"AdOC / {label}" for tool, label in tools if tool != "adoc")], rows, words=2)


def steps(records):
    rows = []
    for r in records:
        if "mb" not in r:
            rows.append([r["label"], "failed"] + [""] * 6)
            continue

        def soon(way, r=r):
            return ["–" if r[f"settled_{way}{what}"] is None else f"{r[f'settled_{way}{what}']:.2f}"
                    for what in ("", "_worst")]
        rows.append([r["label"], f"{r['mb']:.1f}", f"{r['least_mb']:.1f}", f"{r['most_mb']:.1f}",
                     *soon("up"), *soon("down")])
    first = records[0]
    words = (f"{', '.join(in_words(rate) for rate in first['phases'])}, {first['seconds_each']:g} s each; {first['data']}, "
             "over and over; seconds until 90 % of what the rest of the step gives\n\n")
    return words + table(["tool", "MB", "least", "most", "after a step up s", "worst", "after a step down s",
                          "worst"], rows)
