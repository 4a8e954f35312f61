"""The command line. What cannot be meant ends with 2 before anything is done."""
import argparse
import fnmatch
import os
import re

from .data import MB, default_limit
from .families import FAMILIES
from .link import bits_per_second, wan_path
from .pages import ON_REQUEST, OWN_PINS, SECTIONS
from .pins import SETTINGS
from .tools import Build
from .unseen import some

RATES = ("10mbit", "100mbit", "1gbit", "10gbit", "none")
QUICK_RATES = ("100mbit", "1gbit", "none")
LEAST_TIME_LIMIT = 60
UNSEEN_LEAST = 8 * MB
UNSEEN_QUICK_RATES = ("10mbit", "100mbit", "1gbit")
QUICK_FAMILIES, QUICK_MINUTES, QUICK_ROUNDS = 2, 5, 2
WAN = [f"{rate}:{round_trip}:{loss}" for rate in ("100mbit", "1gbit")
       for round_trip in ("20ms", "80ms", "200ms") for loss in ("0%", "0.1%", "1%")]
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}

EPILOG = """
sections: """ + ", ".join(SECTIONS) + """

The table of section cells marks for each data and link whether AdOC by itself is within 5 % of its
own best fixed level, and whether it is faster than each other tool. Tables go to standard output,
as Markdown; what is going on goes to standard error. The clock runs from the start of the sending
program to the end of the receiving one; both ends are compared after each run. Needs root: two
network namespaces and tc.

exit: 0 all was measured, 1 something failed or could not be done, 2 usage, 130 interrupted
"""


def size(words):
    match = re.fullmatch(r"(\d+)([KMG]?)", words)
    if not match or int(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"{words!r} is not a size like 32M")
    return int(match[1]) * UNITS[match[2]]


def positive(kind):
    def parse(words):
        try:
            value = kind(words)
        except ValueError:
            value = 0
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{words!r} is not a number above 0")
        return value
    return parse


def prune(words):
    try:
        value = float(words)
    except ValueError:
        value = -1
    if value != 0 and not 1 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{words!r} is neither 0 nor a number from 1")
    return value


def names(allowed):
    def parse(words):
        chosen = words.split(",")
        for name in chosen:
            if name not in allowed:
                raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(allowed)}")
        return chosen
    return parse


def build(words):
    name, equals, folder = words.partition("=")
    if not equals:
        name, folder = "adoc", words
    if not re.fullmatch(r"[a-z0-9][a-z0-9.]*", name):
        raise argparse.ArgumentTypeError(
            f"{name!r} is not a name of letters a to z, digits and dots")
    return Build(name, os.path.abspath(folder))


def each(check, what):
    """A list of words with commas between them, for each of which check() raises no ValueError."""
    def parse(words):
        for word in words.split(","):
            try:
                check(word)
            except ValueError:
                raise argparse.ArgumentTypeError(f"{word!r} is not {what}") from None
        return words.split(",")
    return parse


rates = each(bits_per_second, "a rate like 100mbit, nor none")
wan_paths = each(wan_path, "a path like 100mbit:80ms:0.1%")


def limits(words):
    """SIZE for all rates, or RATE:SIZE,..."""
    if ":" not in words:
        return size(words)
    found = {}
    for part in words.split(","):
        rate, _, limit = part.partition(":")
        rates(rate)
        found[rate] = size(limit)
    return found


class Options(argparse.Namespace):
    """What was asked for, and what follows from it."""

    def wants(self, tool):
        return not self.tools or any(fnmatch.fnmatchcase(tool, pattern) for pattern in self.tools)

    def asks_for(self, tool):
        """By name, and not just by not having said anything."""
        return bool(self.tools) and self.wants(tool)

    def some_rates(self, *usual):
        """For a section that has rates of its own, unless --rates says otherwise."""
        return self.rates if self.rates_given else usual[-1:] if self.quick else usual

    @property
    def pin_settings(self):
        return SETTINGS[self.pin]

    def time_limit_of(self, piece, rate):
        """Seconds for a run: what the link takes for the bytes as they are, and as much again."""
        return self.time_limit or max(LEAST_TIME_LIMIT, 2 * piece.bytes * 8 / bits_per_second(rate))

    def limit(self, rate):
        usual = default_limit(rate)
        if self.unseen is not None:
            usual = max(usual, UNSEEN_LEAST)
        if isinstance(self.data_limit, dict):
            return self.data_limit.get(rate, usual)
        return self.data_limit or usual // (2 if self.quick else 1)

    def longest(self):
        """Of what is sent over any of the links."""
        return max(map(self.limit, self.rates))


def check_unseen(parser, options):
    """What goes with --unseen, and only with it."""
    if options.unseen is None:
        for name in ("families", "make", "cache", "no_download"):
            if getattr(options, name):
                parser.error(f"--{name.replace('_', '-')} goes with --unseen SEED")
        if "unseen" in (options.only or ()) and not options.from_files:
            parser.error("section unseen needs --unseen SEED")
    elif options.data_dir:
        parser.error("--unseen makes its own data: no DATA_DIR")
    if options.quick and options.unseen is not None and not options.families:
        options.families = some(options.unseen, list(FAMILIES), QUICK_FAMILIES)
    options.families = options.families or list(FAMILIES)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    options.cache = options.cache or f"{cache}/adoc-race"


def parse(arguments, checkout):
    parser = argparse.ArgumentParser(
        prog="race", usage="race [options] [DATA_DIR]", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Races AdOC against every other tool that is installed, and against itself, "
                    "over links of several\n"
                    "rates. DATA_DIR: each file in it and below is sent; without one, data is "
                    "made.")
    add = parser.add_argument
    add("data_dir", nargs="?", metavar="DATA_DIR", help=argparse.SUPPRESS)
    add("--bin", metavar="DIR", default=os.environ.get("ADOC_BIN_DIR", f"{checkout}/build"),
        help="where AdOC was built (default: build/ of this checkout)")
    add("--adoc", metavar="NAME=DIR", type=build, action="append", default=[], dest="builds",
        help="a build of AdOC, in the place of --bin; repeated, section builds races all of them "
             "in turns, compared\n"
             "with the first, and the other sections race the last")
    add("--pin", choices=list(SETTINGS),
        help="on: each end on a processor of its own, as two machines have; both: once so and "
             "once on all\n"
             "(default: both in sections builds and unseen, else off)")
    add("--encrypt", action="store_true",
        help="AdOC with a key, as it is without options (default: --insecure, as nc)")
    add("--unseen", metavar="SEED",
        help="data made by the seed, of what is on this machine and in some packages of its\n"
        "distribution; without --only or a second --adoc, section unseen: one page with the score")
    add("--families", metavar="LIST", type=names(FAMILIES),
        help=f"of that data (default: {','.join(FAMILIES)})")
    add("--cache", metavar="DIR",
        help="where the packages are (default: ~/.cache/adoc-race; some 800 MB)")
    add("--no-download", action="store_true", help="only what is on this machine and in --cache")
    add("--make", metavar="DIR", help="only write the data of --unseen there")
    add("--budget", metavar="MINUTES", type=positive(float),
        help="sections builds and unseen begin no new cell after that time (default: none; quick: "
             "5)")
    add("--compare", metavar="FILE",
        help="beside what --json wrote in an earlier run, cell by cell")
    add("--only", metavar="LIST", type=names(SECTIONS),
        help="these sections (default: all that need no --adoc)")
    add("--rates", metavar="LIST", type=rates,
        help=f"of the links, as tc writes them, or none (default: {','.join(RATES)})")
    add("--wan", metavar="LIST", type=wan_paths,
        help="section wan, over these paths, RATE:RTT:LOSS[:QUEUE][:POLICED/BURST]; also those of\n"
             "section streams (default: 100mbit and 1gbit, 20, 80 and 200 ms, 0, 0.1 and 1 %%)")
    add("--tools", metavar="LIST", type=lambda words: words.split(","),
        help="these, with * and ?: adoc, adoc-law, level-zstd-3, nc, zstd-*, ...; in sections "
             "builds and\n"
             "unseen adoc-first, adoc-later, or the name of a build in the place of adoc "
             "(default: all)")
    add("--data", metavar="LIST", type=lambda words: words.split(","),
        help="these files of the data, with * and ?")
    add("--size", "--data-limit", dest="data_limit", metavar="SIZE", type=limits,
        help="only the first bytes of each file, or RATE:SIZE,... (default: 2 s of the link, "
             "from\n4M to 64M; unseen: from 8M)")
    add("--rounds", metavar="N", type=positive(int), help="each tool once in each (default: 3)")
    add("--repeat", metavar="S", type=positive(float),
        help="how long short runs are repeated, in each cell, until their medians are known to 1 "
             "%% (default: 30; quick: 5)")
    add("--all-levels", action="store_true", help="all levels of AdOC, not a choice of ten")
    add("--prune", metavar="X", type=prune, default=1.3,
        help="what takes X times the best in the first round runs no more (default: 1.3; 0: all "
             "run)")
    add("--time-limit", metavar="S", type=positive(float),
        help="for a run (default: 60, or twice what the link takes for the bytes as they are)")
    add("--quick", action="store_true",
        help="three rates, three files, fewer levels, half the bytes, short sections")
    add("--step-seconds", metavar="S", type=positive(float),
        help="in section steps, for each rate (default: 3)")
    add("--step-bytes", metavar="SIZE", type=size,
        help="length of the file there (default: 500M for each second at the high rate)")
    add("--small-files", metavar="N", type=positive(int), help="in section small (default: 20000)")
    add("--disk-dir", metavar="DIR", help="on a disk: section small goes there, too")
    add("--from", metavar="FILE", action="append", default=[], dest="from_files",
        help="run nothing: tables and chart of what --json wrote earlier; can be repeated")
    add("--json", metavar="FILE", help="all figures")
    add("--svg", metavar="FILE", help="a chart of section cells")
    add("--html", metavar="FILE", help="a page with all speeds, as adoc-send --report draws them")
    add("--markdown", action="store_true", help="headings as RESULTS.md has them")
    options = parser.parse_args(arguments, namespace=Options())
    check_unseen(parser, options)
    options.only = options.only or (list(SECTIONS) if options.from_files else
                                    ["builds"] if len(options.builds) > 1 else
                                    ["unseen"] if options.unseen is not None else
                                    ["wan"] if options.wan else
                                    [name for name in SECTIONS if name not in ON_REQUEST])
    options.wan = options.wan or WAN
    options.pin = options.pin or ("both" if set(options.only) <= set(OWN_PINS) else "off")
    if len({each.name for each in options.builds}) < len(options.builds):
        parser.error("builds need names of their own: --adoc old=DIR --adoc new=DIR")
    if "builds" in options.only and len(options.builds) < 2 and not options.from_files:
        parser.error("section builds needs two of them: --adoc old=DIR --adoc new=DIR")
    options.builds = options.builds or [Build("adoc", os.path.abspath(options.bin))]
    options.bin = options.builds[-1].bin
    quick_unseen = options.quick and options.unseen is not None
    options.rounds = options.rounds or (QUICK_ROUNDS if quick_unseen else 3)
    options.repeat = options.repeat or (5 if options.quick else 30)
    options.step_seconds = options.step_seconds or (2 if options.quick else 3)
    options.small_files = options.small_files or (5000 if options.quick else 20000)
    options.rates_given = bool(options.rates)
    quick = QUICK_RATES if options.unseen is None else UNSEEN_QUICK_RATES
    options.rates = options.rates or list(quick if options.quick else RATES)
    options.budget = options.budget or (QUICK_MINUTES if options.quick else None)
    for folder in filter(None, (options.data_dir, options.disk_dir)):
        if not os.path.isdir(folder):
            parser.error(f"{folder} is not a directory")
    for path in filter(None, (options.json, options.svg, options.html)):
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            parser.error(f"{path}: no such directory")
    for path in filter(None, (*options.from_files, options.compare)):
        if not os.access(path, os.R_OK):
            parser.error(f"{path} cannot be read")
    return options
