"""Compares a page of adoc-send --report-from, as a browser has it (--dump-dom), with its trace.

    report_check.py TRACE DOM [streams]     (only how many connections there were)
"""
import csv
import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements = []  # (tag, attributes)
        self.texts = {}     # of elements with an id
        self._within = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if "id" in attributes:
            self._within = (tag, attributes["id"])

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self._within and tag == self._within[0]:
            self._within = None

    def handle_data(self, data):
        if self._within:
            self.texts[self._within[1]] = self.texts.get(self._within[1], "") + data

    def all(self, name):
        return [attributes for _, attributes in self.elements if name in attributes]

    def one(self, name, value):
        found = [a for _, a in self.elements if a.get(name) == value]
        assert len(found) == 1, (name, value, found)
        return found[0]


def close(drawn, wanted, part, what):
    assert abs(drawn - wanted) <= part * max(abs(wanted), 1), (
        f"{what}: {drawn} is drawn, the trace says {wanted}")


def area(path, seconds, axis):
    """Of a line of steps, in value times seconds; the axis is (top, bottom)."""
    top, bottom = axis

    def value(part):
        return top * part if bottom == 0 else bottom * (top / bottom) ** part if part > 0 else 0

    x, y, total = 0.0, 0.0, 0.0
    for command, numbers in re.findall(r"([MHV])([-0-9. ]+)", path):
        values = [float(number) for number in numbers.split()]
        if command == "M":
            x, y = values
        elif command == "V":
            y = values[0]
        else:
            total += (values[0] - x) * value((100 - y) / 100)
            x = values[0]
    assert x == 1000, f"the line ends at {x}"
    return total / 1000 * seconds


def tops_of(page):
    """What the upper and lower edge of each figure stand for."""
    tops = {}
    figure = None
    for tag, attributes in page.elements:
        figure = attributes.get("data-figure", figure)
        if tag == "svg":
            tops[figure] = float(attributes["data-top"]), float(attributes["data-bottom"])
    return tops


def check_streams(rows, page, tops):
    streams = max(int(row["streams"]) for row in rows)
    assert ("streams" in tops) == (streams > 1), (streams, tops)
    if streams > 1:
        assert streams <= tops["streams"][0] <= streams + 1, (streams, tops)
        mean = area(page.one("data-line", "streams")["d"], 1, tops["streams"])
        # A sum of floating-point areas: three all along may come to 3.0000000000000013.
        assert 1 - 1e-6 <= mean <= streams + 1e-6, (mean, streams)


def main():
    rows = list(csv.DictReader(open(sys.argv[1], encoding="utf-8", newline="")))
    text = open(sys.argv[2], encoding="utf-8").read()
    page = Page(text)
    if sys.argv[3:] == ["streams"]:
        check_streams(rows, page, tops_of(page))
        return
    seconds = max(float(row["time_s"]) for row in rows)
    raw = sum(int(row["raw_bytes"]) for row in rows)
    wire = sum(int(row["wire_bytes"]) for row in rows)

    totals = page.one("id", "totals")
    assert int(totals["data-bytes"]) == raw and int(totals["data-wire-bytes"]) == wire, totals
    close(float(totals["data-seconds"]), seconds, 1e-4, "seconds")

    for key, name, of in (("data-level", "level", lambda row: row["level"]),
                          ("data-class", "class", lambda row: "4" if row["random"] == "1" else
                           str(min(3, int(float(row["entropy_bits"]) / 2))))):
        wanted = {}
        for row in rows:
            sums = wanted.setdefault(of(row), [0, 0, 0])
            for i, value in enumerate((1, row["raw_bytes"], row["wire_bytes"])):
                sums[i] += int(value)
        drawn = {a[key]: [int(a["data-blocks"]), int(a["data-raw"]), int(a["data-wire"])]
                 for a in page.all(key)}
        assert drawn == wanted, (name, drawn, wanted)

    levels = [int(row["level"]) for row in rows]
    changes = sum(before != after for before, after in zip(levels, levels[1:]))
    buttons = [a for a in page.all("data-changes") if a.get("class") == "change"]
    assert sum(int(a["data-changes"]) for a in buttons) == changes, (buttons, changes)
    reasons = {row["reason"] for row in rows}
    for button in buttons:
        assert any(reason in button["title"] for reason in reasons), button
        assert button["title"] == button["aria-label"], button

    tops = tops_of(page)
    last = max(rows, key=lambda row: float(row["time_s"]))
    # Of the blocks that had arrived, the last one in part.
    left, arrived = int(last["arrived_bytes"]), 0
    for row in rows:
        part = min(1, left / max(1, int(row["wire_bytes"])))
        arrived += part * int(row["raw_bytes"])
        left -= part * int(row["wire_bytes"])
    rates = {line: area(page.one("data-line", line)["d"], seconds, tops["rates"])
             for line in ("data", "wire")}
    close(rates["data"], arrived, 0.03, "data over time")
    close(rates["wire"], int(last["arrived_bytes"]), 0.02, "what arrived over time")
    assert max(levels) <= tops["level"][0], tops
    mean = area(page.one("data-line", "level")["d"], 1, tops["level"])
    assert min(levels) - 0.1 <= mean <= max(levels) + 0.1, (mean, levels)

    check_streams(rows, page, tops)

    slots = json.loads(page.texts["slots"])
    assert len(slots["rows"]) <= 240, len(slots["rows"])
    column = slots["columns"].index
    kept_waiting = [sum(row[column(key)] for key in slots["keys"]) for row in slots["rows"]]
    assert all(abs(one - 1) < 0.02 for one in kept_waiting), kept_waiting
    shares = {key: sum(row[column(key)] for row in slots["rows"]) / len(slots["rows"])
              for key in slots["keys"]}
    told = {a["data-limit"]: float(a["data-share"]) for a in page.all("data-share")}
    for key, share in told.items():
        close(share, shares[key], 0.01, key)
    held = float(last["held_back_s"]) / seconds
    close(told.get("bandwidth", 0), held, 0.05, "held back")
    first = max(told, key=told.get)
    assert page.one("id", "said")["data-limit"] == first, first

    at = 0.0
    for segment in (a for a in page.all("data-limit") if a.get("class") == "seg"):
        close(float(segment["data-from"]), at, 1e-4, "a piece of the band begins")
        at = float(segment["data-to"])
    close(at, seconds, 1e-4, "the band ends")
    print(f"ok: {len(rows)} rows are what is drawn; mostly {first}")


if __name__ == "__main__":
    main()
