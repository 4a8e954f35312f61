"""What is raced. Each section is a function of the bench and the data that yields records."""
import fnmatch
import os
import shutil
import subprocess
import time

from . import data as made
from . import typed
from .data import Data
from .levels import FEW, THREE, USUAL, choose, ladder
from .link import RECEIVER_ADDRESS, wan_path
from .processes import Pipeline, Processes
from .slow import Quarter
from .tools import four_ncs, tree_over_nc

COMPETITOR_PORT = 4397
PATTERN_BYTES = (1, 1 << 10, 32 << 10, 256 << 10, 1 << 20, 8 << 20, 32 << 20)


def adoc_tools(bench, names):
    """AdOC by itself, as the first time over a link, by the paper's law, and at these levels."""
    box, options = bench.toolbox, bench.options
    tools = [box.adoc("adoc", "AdOC"), box.adoc("adoc-first", "AdOC, first time", "--no-remember"),
             box.adoc("adoc-law", "AdOC --policy adoc", "--policy", "adoc")]
    rungs = ladder(options.bin)
    if names is USUAL and options.all_levels:
        chosen = rungs
    else:
        chosen = choose(rungs, FEW if names is USUAL and options.quick else names)
    return tools + [box.level(number, rung) for number, rung in chosen]


def only(tools, *names):
    return [tool for tool in tools if tool.name in names]


def some_peers(bench, *names):
    return only(bench.toolbox.peers(), *names)


def each_rate(bench, rates):
    for rate in rates:
        bench.link.rate(rate)
        yield rate


def cells(bench, items):
    tools = bench.wanted(adoc_tools(bench, USUAL) + bench.toolbox.peers())
    for rate in each_rate(bench, bench.options.rates):
        for item in items:
            piece = bench.cut(item, rate)
            yield from bench.race(tools, piece, {"rate": rate})
            os.unlink(piece.path)


def random(bench, _):
    """Nothing to gain: what does trying cost?"""
    path = f"{bench.work}/incompressible"
    made.write_random(path, 64 * made.MB)
    tools = bench.wanted(some_peers(bench, "nc") + adoc_tools(bench, ("raw",))[:4])
    for rate in each_rate(bench, bench.options.rates):
        piece = bench.cut(Data("random", path, 64 * made.MB), rate)
        yield from bench.race(tools, piece, {"rate": rate})
    os.unlink(path)


def one_piece(bench, items, rate):
    return bench.cut(made.most_like_programs(items), rate)


def compete(bench, items):
    """Another connection sends as much as it can in the same direction."""
    tools = bench.wanted(adoc_tools(bench, THREE) +
                         some_peers(bench, "nc", "rsync-zstd", "zstd-1", "zstd-adapt"))
    for rate in each_rate(bench, bench.options.some_rates("100mbit")):
        with open(os.devnull, "wb") as log, Processes(log) as processes:
            listening = ["nc", "-l", RECEIVER_ADDRESS, str(COMPETITOR_PORT)]
            processes.start(bench.at("r", Pipeline([listening])))
            while not bench.link.listens(COMPETITOR_PORT):
                time.sleep(0.01)
            sending = ["nc", "-N", RECEIVER_ADDRESS, str(COMPETITOR_PORT)]
            processes.start(bench.at("s", Pipeline([sending], stdin="/dev/zero")))
            time.sleep(1)  # until it has all of the link
            where = {"rate": rate, "beside": "nc </dev/zero"}
            # One run says little: how two connections share is a matter of luck.
            for record in bench.race(tools, one_piece(bench, items, rate), where, prune=False):
                record.pop("wire_bytes", None)  # the competitor's are in it
                yield record


def both_of(first, second):
    """One function that calls both; the first may be None."""
    def call():
        if first:
            first()
        second()
    return call


def slow(bench, items):
    """One end has a quarter of a processor."""
    tools = bench.wanted(adoc_tools(bench, FEW) +
                         some_peers(bench, "nc", "lz4", "zstd-1", "zstd-3", "zstd-adapt"))
    with Quarter() as quarter:
        for end, side in (("s", "sender"), ("r", "receiver")):
            for rate in each_rate(bench, bench.options.some_rates("100mbit", "1gbit", "10gbit")):
                before = bench.hold[end]
                bench.hold[end] = both_of(before, quarter.hold)
                try:
                    yield from bench.race(tools, one_piece(bench, items, rate),
                                          {"rate": rate, "slow": side, "how": quarter.how})
                finally:
                    bench.hold[end] = before


def wan(bench, items):
    """Long paths, with loss."""
    peers = some_peers(bench, "nc", "scp", "rsync", "zstd-3", "zstd-adapt")
    box = bench.toolbox
    one, cubic = ("--streams", "1"), ("--congestion", "cubic")
    own = adoc_tools(bench, ())[:2] + [
        box.adoc("adoc-one", "AdOC, one stream of cubic", *one, *cubic),
        box.adoc("adoc-streams", "AdOC, streams of cubic", *cubic),
        box.adoc("adoc-congestion", "AdOC, one stream", *one)]
    tools = bench.wanted(own + peers + [four_ncs()])
    for path in bench.options.wan:
        rate = wan_path(path)
        bench.link.wan(path, f"{bench.options.bin}/tests/wan_link")
        for item in items:
            piece = bench.cut(item, rate)
            yield from bench.race(tools, piece, {"rate": rate, "path": path})
            os.unlink(piece.path)
    bench.link.rate("none")


def patterns(bench, items):
    """The messages of the pipeline paper, a file each."""
    tools = bench.wanted(adoc_tools(bench, ("raw",)) + some_peers(bench, "nc"))
    tools = [tool for tool in tools if tool.name not in ("adoc-law", "adoc-first")]
    found = made.patterns(f"{bench.work}/patterns", items, bench.note)
    for rate in each_rate(bench, bench.options.some_rates("1gbit") if bench.options.quick else
                          bench.options.some_rates("100mbit", "1gbit")):
        for item in found:
            for size in PATTERN_BYTES:
                piece = made.cut(item, size, f"{bench.work}/source")
                where = {"rate": rate, "message": size}
                for record in bench.race(tools, piece, where, repeat=5):  # there are many
                    yield record | {"mbit_per_s": record.get("mb_per_s", 0) * 8}
    shutil.rmtree(f"{bench.work}/patterns")


def naive(bench, items):
    """Compress all, then send, then unpack; AdOC at the same codec and level, and by itself."""
    rungs = ("lz4 1", "zstd 1", "zstd 3", "zstd 19")
    box, all_rungs = bench.toolbox, ladder(bench.options.bin)
    tools = [box.adoc("adoc", "AdOC"), *(box.level(*rung) for rung in choose(all_rungs, rungs)),
             *box.naive()]
    for rate in each_rate(bench, bench.options.some_rates("10mbit", "100mbit", "1gbit")):
        yield from bench.race(bench.wanted(tools), one_piece(bench, items, rate), {"rate": rate})


def threads(bench, items):
    """Are more compression threads than one ever slower?"""
    box = bench.toolbox
    (number, rung), = choose(ladder(bench.options.bin), ("zstd 1",))
    counts = (("1", ("--threads", "1")), ("own", ()), ("4", ("--threads", "4")))
    for rate in each_rate(bench, bench.options.rates):
        for item in items:
            piece = bench.cut(item, rate)
            for level, options in (("auto", ()), (rung, ("--level", str(number)))):
                tools = [box.adoc(f"threads-{count}", f"{count} threads", *options, *given)
                         for count, given in counts]
                yield from bench.race(bench.wanted(tools), piece, {"rate": rate, "level": level})
            os.unlink(piece.path)


def small(bench, items):
    """Many small files, to a tmpfs and to a disk."""
    count = bench.options.small_files
    tree = f"{bench.work}/tree"
    made.small_files(tree, made.most_like_programs(items), count)
    size = sum(os.path.getsize(os.path.join(where, file))
               for where, _, files in os.walk(tree) for file in files)
    own = [tool for tool in adoc_tools(bench, ()) if tool.name == "adoc"]
    tar = [tree_over_nc("tar-zstd", "tar | zstd -1 -T2 | nc"),
           tree_over_nc("tar-zstd-sync", "the same, then sync -f", "sync -f")]
    ssh = some_peers(bench, "scp") if bench.options.asks_for("scp") else []
    tools = bench.wanted([*own, *tar, *some_peers(bench, "rsync", "rsync-lz4"), *ssh])
    for rate in each_rate(bench, bench.options.some_rates("1gbit")):
        yield from bench.race([tool for tool in tools if tool.name != "tar-zstd-sync"],
                              Data(f"{count} files", tree, size), {"rate": rate, "to": "tmpfs"})
        if bench.options.disk_dir:
            inbox = f"{bench.options.disk_dir}/adoc-race-{os.getpid()}"
            try:
                # Nothing that an earlier tool left to be written is to be in the clock of the next.
                settle = ["sync", "-f", bench.options.disk_dir]
                yield from bench.race(tools, Data(f"{count} files", tree, size),
                                      {"rate": rate, "to": "disk"}, inbox=inbox,
                                      prepare=lambda: subprocess.run(settle, check=True))
            finally:
                shutil.rmtree(inbox, ignore_errors=True)
    shutil.rmtree(tree)


def numbers(bench, _):
    """Arrays of numbers, whole, with filters, without, and with what others there are."""
    box, options = bench.toolbox, bench.options
    own = [
        box.adoc("adoc", "AdOC"),
        box.adoc("adoc-first", "AdOC, first time", "--no-remember"),
        box.adoc("adoc-plain", "AdOC --no-filters", "--no-filters", "--no-remember"),
    ]
    peers = only(box.peers() + box.more_levels_of_zstd(),
                 "nc", "lz4", "zstd-1", "zstd-3", "zstd-9", "zstd-adapt")
    tools = bench.wanted(own + peers)

    def wanted(name):
        return not options.data or any(fnmatch.fnmatchcase(name, one) for one in options.data)
    size = options.data_limit if isinstance(options.data_limit, int) else typed.SIZE
    found = typed.make(f"{bench.work}/numbers", wanted, size)
    for rate in each_rate(bench, options.some_rates("10mbit", "100mbit", "1gbit")):
        for item in found:
            yield from bench.race(tools, item, {"rate": rate})
    shutil.rmtree(f"{bench.work}/numbers")
