"""The cells as a picture: a panel for each link, a group of bars for each data."""
from xml.sax.saxutils import escape

from .link import in_words
from .tables import figure, grouped

# What is drawn: name, colour, and the tools of which the fastest counts. Several ways of one tool are one
# bar, so that a group can be read. White with an edge: AdOC, too, but chosen when all was over.
SERIES = (
    ("AdOC", "#0b5cad", ("adoc",)),
    ("AdOC, best fixed level in hindsight", "#ffffff", ("level-*",)),
    ("nc", "#8c8c8c", ("nc",)),
    ("scp, scp -C", "#e0b400", ("scp", "scp-C")),
    ("mscp", "#7b5ea7", ("mscp",)),
    ("rsync: none, lz4, zstd", "#e07b00", ("rsync", "rsync-lz4", "rsync-zstd")),
    ("lz4 | nc", "#b5651d", ("lz4",)),
    ("zstd -1 -T2 | nc", "#2e9e5b", ("zstd-1",)),
    ("zstd -3 -T2 | nc", "#8fd3a5", ("zstd-3",)),
    ("zstd --adapt -T2 | nc", "#c2417c", ("zstd-adapt",)),
    ("pzstd | nc", "#f29cb7", ("pzstd",)),
)
EDGE = "#0b5cad"
LEFT, RIGHT = 56, 16
BAR, WIDEST_BAR, GAP = 8, 18, 18
HEIGHT, TITLE, FOOT = 110, 26, 40
CHARACTER = 6.3  # the width of one in the small type


def matches(tool, pattern):
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def best_of(records, patterns):
    return max((r["mb_per_s"] for r in records if "mb_per_s" in r and any(matches(r["tool"], p) for p in patterns)),
               default=None)


def shortened(text, width):
    most = max(3, int(width / CHARACTER))
    return text if len(text) <= most else text[:most - 1] + "…"


def text(x, y, content, size=11, anchor="start", weight="normal", colour="#222222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{colour}">{escape(content)}</text>')


def legend(series, width):
    """(its lines, the height they take)."""
    lines, x, y = [], LEFT, 58
    for name, colour, _ in series:
        needed = 18 + len(name) * 6.6 + 16
        if x + needed > width - RIGHT:
            x, y = LEFT, y + 20
        lines.append(f'<rect x="{x}" y="{y - 10}" width="11" height="11" fill="{colour}" stroke="{EDGE}" '
                     f'stroke-width="{1 if colour == "#ffffff" else 0}"/>')
        lines.append(text(x + 17, y, name, 12))
        x += needed
    return lines, y + 14


def panel(rate, cells, series, top, width, group_width):
    bar = min(WIDEST_BAR, (group_width - GAP) / len(series))
    lines = [text(LEFT, top + 14, in_words(rate), 14, weight="bold")]
    floor = top + TITLE + HEIGHT
    for percent in (0, 50, 100):
        y = floor - HEIGHT * percent / 100
        lines.append(f'<line x1="{LEFT}" y1="{y}" x2="{width - RIGHT}" y2="{y}" '
                     f'stroke="{"#555555" if not percent else "#dddddd"}"/>')
        lines.append(text(LEFT - 6, y + 4, f"{percent} %", 11, "end", colour="#555555"))
    for i, (data, records) in enumerate(cells):
        left = LEFT + i * group_width
        values = [best_of(records, patterns) for _, _, patterns in series]
        best = max((v for v in values if v), default=1)
        x = left + (group_width - bar * len(series)) / 2
        for (name, colour, _), value in zip(series, values):
            if value:
                height = max(1, HEIGHT * value / best)
                line = f' stroke="{EDGE}" stroke-width="1"' if colour == "#ffffff" else ""
                lines.append(f'<rect x="{x + 0.5:.1f}" y="{floor - height:.1f}" width="{bar - 1:.1f}" height="{height:.1f}" '
                             f'fill="{colour}"{line}><title>{escape(f"{data}: {name}: {value:.1f} MB/s")}</title></rect>')
            x += bar
        centre = left + group_width / 2
        lines.append(text(centre, floor + 15, shortened(data, group_width - 4), 11, "middle"))
        if values[0]:
            lines.append(text(centre, floor + 30, shortened(f"{figure(values[0])} MB/s", group_width - 4), 11, "middle",
                              colour=EDGE))
    return lines


def draw(records, about):
    """The SVG of the records of section cells; about is a line on when and where."""
    used = [s for s in SERIES if best_of(records, s[2])]
    panels = grouped(records, "rate")
    most = max(len(grouped(group, "data")) for group in panels.values())
    group_width = max(BAR * len(used) + GAP, 880 / most)
    width = max(952, LEFT + RIGHT + most * group_width)
    key, top = legend(used, width)
    body = []
    for (rate,), group in panels.items():
        cells = [(data, cell) for (data,), cell in grouped(group, "data").items()]
        body += panel(rate, cells, used, top, width, group_width)
        top += TITLE + HEIGHT + FOOT
    height = top + 24
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        text(LEFT, 22, "How fast data gets across", 16, weight="bold"),
        text(LEFT, 39, "MB/s of the data as it was, as a share of the fastest in its group; below: what AdOC reaches", 12,
             colour="#555555"),
        *key, *body, text(LEFT, height - 10, about, 11, colour="#555555"), "</svg>", ""])
