"""The figures as a page: one file, in the style of `adoc-send --report`."""
import pathlib
from html import escape

from . import pages
from .link import in_words
from .tables import fastest, figure, grouped

STYLE = pathlib.Path(__file__).resolve().parents[3] / "src/cli/report_page.css"
# Beside the data, what tells the groups of a section apart, and how it is said.
KEYS = {"rate": in_words, "path": str, "message": lambda size: f"messages of {size} bytes", "level": lambda level: f"level {level}",
        "beside": lambda what: f"beside {what}", "slow": lambda side: f"slow {side}", "to": lambda place: f"to {place}",
        "pin": str}
OWN_STYLE = """
.bars { display: grid; grid-template-columns: minmax(6rem, 13rem) 1fr 5.5rem; gap: .15rem .6rem; font-size: .85rem; align-items: center; }
.bars span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars span:nth-child(3n) { text-align: right; }
.bars i { display: block; height: .95em; border-radius: 2px; background: var(--of); min-width: 1px; }
.bars .adoc { font-weight: 600; }
@media (max-width: 36rem) { .bars { grid-template-columns: 9.2rem 1fr 5.2rem; font-size: .78rem; } }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem 2.5rem; }
section > h1 { margin-top: 1.8rem; font-size: 1.2rem; }
h3 { font-size: .9rem; margin: .6rem 0 .35rem; overflow-wrap: anywhere; }
@media print { .panels { grid-template-columns: 1fr 1fr; } }
"""


def shown(records):
    """Those with a speed, the fastest first; of AdOC's fixed levels the best alone."""
    level = fastest([record for record in records if record.get("group") == "level"])
    ran = [r for r in records if "mb_per_s" in r and (r.get("group") != "level" or r is level)]
    return sorted(ran, key=lambda record: -record["mb_per_s"])


def words(record):
    if record["tool"].startswith("level-"):
        return f"{record['label']} (best level)"
    return record["label"]


def detail(record):
    seconds = record.get("seconds") or []
    text = f"{words(record)}: {record['mb_per_s']:.4g} MB/s"
    if seconds:
        text += f", {len(seconds)} run{'s' if len(seconds) > 1 else ''}"
    if len(seconds) > 1:
        text += f", {record['least']:.4g} to {record['most']:.4g} s"
    if record.get("wire_bytes"):
        text += f", {record['wire_bytes'] / 1e6:.4g} MB on the wire"
    return text


def bars(name, records):
    ran = shown(records)
    if not ran:
        return ""
    best = ran[0]["mb_per_s"] or 1
    lines = [f"<figure><h3>{escape(name)}</h3><div class='bars'>"]
    for record in ran:
        is_own = record.get("group") == "adoc"
        colour = "data" if is_own else "receiver" if record.get("group") == "level" else "answers"
        kind = " class='adoc'" if is_own else ""
        text = escape(detail(record), quote=True)
        lines.append(f"<span{kind} title='{text}'>{escape(words(record))}</span>"
                     f"<i style='--of:var(--{colour});width:{100 * record['mb_per_s'] / best:.1f}%' role='img' "
                     f"aria-label='{text}' title='{text}' data-tool='{escape(record['tool'], quote=True)}' "
                     f"data-mb-per-s='{record['mb_per_s']:.6g}'></i><span{kind}>{figure(record['mb_per_s'])} MB/s</span>")
    return "".join(lines) + "</div></figure>"


def section(name, records):
    drawable = [record for record in records if "rate" in record and "data" in record]
    panels = []
    keys = [key for key in KEYS if any(key in record for record in drawable)]
    for values, group in grouped(drawable, *keys).items():
        about = ", ".join(KEYS[key](value) for key, value in zip(keys, values) if value is not None)
        inner = "".join(bars(f"{data}", cell) for (data,), cell in grouped(group, "data").items())
        if inner:
            panels.append(f"<section><h2>{escape(about)}</h2><div class='panels'>{inner}</div></section>")
    if not panels:
        return ""
    return f"<section data-section='{name}'><h1>{escape(pages.SECTIONS[name][0])}</h1>{''.join(panels)}</section>"


def page(sections, about):
    """HTML of the records of all sections that have speeds; about is a line on when and where."""
    body = "".join(section(name, records) for name, records in sections.items() if name in pages.SECTIONS)
    style = STYLE.read_text(encoding="utf-8") + OWN_STYLE
    return ("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            "<meta name='color-scheme' content='light dark'><link rel='icon' href='data:,'>"
            f"<title>How fast data gets across</title><style>{style}</style></head><body><main>"
            f"<header><h1>How fast data gets across</h1><p class='sub'>{escape(about)}</p></header>"
            "<p class='said' style='--first:var(--data)'>MB/s of the data as it was, medians. A bar is a share of the fastest "
            "beside it.</p><p class='sub'><span class='key' style='--of:var(--data)'>AdOC</span> "
            "<span class='key' style='--of:var(--receiver)'>the fixed level of AdOC that is best in hindsight</span> "
            "<span class='key' style='--of:var(--answers)'>others</span></p>"
            f"{body or '<p>Nothing with a speed was measured.</p>'}</main></body></html>\n")
