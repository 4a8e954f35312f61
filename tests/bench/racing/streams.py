"""How many connections: each number of them beside what `--streams auto` ends with, which is to be
the fewest whose rate is within 5 % of the best."""
import csv
import dataclasses
import os
import statistics

from . import data as made
from .data import Data
from .link import wan_path
from .tables import table

COUNTS = (1, 2, 3, 4, 6, 8, 12, 16)
WITHIN = 0.95  # of the best median rate
OPTIONS = ("--no-remember", "--level", "0")  # the path alone


def tools_of(bench):
    """Each number, and auto, whose trace says how many there were."""
    fixed = [bench.toolbox.adoc(f"streams-{count}", f"{count}", *OPTIONS, "--streams", f"{count}",
                                group="level") for count in COUNTS]
    auto = bench.toolbox.adoc("streams-auto", "auto", *OPTIONS)

    def traced(job):
        pipeline = auto.send(job)
        first, *rest = pipeline.commands
        return dataclasses.replace(
            pipeline, commands=[[first[0], "--trace", trace_of(job), *first[1:]], *rest])
    return bench.wanted([*fixed, dataclasses.replace(auto, send=traced)])


def trace_of(job):
    return os.path.join(job.scratch, "trace")


def ended_with(path):
    """The connections of the last decision of a trace."""
    with open(path, encoding="utf-8", newline="") as file:
        return [int(row["streams"]) for row in csv.DictReader(file)][-1]


def streams(bench, _):
    """Every number in turns, the path made anew for each run; a round has one seed."""
    size = max(bench.limit(wan_path(path)) for path in bench.options.wan)
    source = f"{bench.work}/incompressible"
    made.write_random(source, size)
    for path in bench.options.wan:
        rate = wan_path(path)
        piece = bench.cut(Data("random", source, size), rate)
        limit = bench.options.time_limit_of(piece, rate)
        tools, outcomes, ended = tools_of(bench), {}, []
        for seed in range(1, bench.options.rounds + 1):
            about = {"rate": rate, "path": path, "seed": seed}
            for tool in tools:
                bench.link.wan(f"{path} --seed {seed}", f"{bench.options.bin}/tests/wan_link")
                job = bench.job(piece.path)
                outcome = bench.run(tool, job, limit)
                outcomes.setdefault(tool.name, []).append(outcome)
                if tool.group == "adoc" and not outcome.error and not outcome.gave_up:
                    ended.append(ended_with(trace_of(job)))
                    about["ended"] = ended[-1]
                bench.tell(tool, piece, about, outcome)
        for tool in tools:
            record = bench.record(tool, piece, {"rate": rate, "path": path}, outcomes[tool.name])
            yield record | ({"ended": ended} if tool.group == "adoc" else {})
        os.unlink(piece.path)
    os.unlink(source)
    bench.link.rate("none")


def law(records):
    """Of one path's records: the best median rate, the fewest within 5 % of it, and those of auto,
    as a dict; None where there is nothing to compare."""
    rates = {int(r["label"]): r["bytes"] / r["median"] for r in records
             if r["group"] == "level" and "median" in r}
    auto = next((r for r in records if r["group"] == "adoc" and "median" in r), None)
    if not rates or not auto:
        return None
    best = max(rates.values())
    return {"best": best, "fewest": min(n for n, rate in rates.items() if rate >= WITHIN * best),
            "ended": auto["ended"], "ratio": auto["bytes"] / auto["median"] / best,
            "within": sum(auto["bytes"] / s >= WITHIN * best for s in auto["seconds"])}


def page(records):
    """A row for each path: Mbit/s of each number, and the law."""
    paths, rows = {}, []
    for record in records:
        paths.setdefault(record["path"], []).append(record)
    counts = sorted({int(r["label"]) for r in records if r["group"] == "level"})
    for path, group in paths.items():
        of = {r["label"]: r for r in group}
        row = [path]
        for label in [*map(str, counts), "auto"]:
            record = of.get(label, {})
            row.append(f"{record['bytes'] * 8e-6 / record['median']:.1f}" if "median" in record
                       else "")
        found = law(group)
        if found:
            row += [found["fewest"], " ".join(map(str, found["ended"])),
                    f"{statistics.median(found['ended']):g}", f"{found['ratio']:.2f}",
                    f"{found['within']} of {len(found['ended'])}"]
        else:
            row += [""] * 5
        rows.append(row)
    head = ["path", *map(str, counts), "auto", "fewest within 5 %", "auto ended with", "median",
            "auto / best", "runs within 5 %"]
    return "Mbit/s of the data, medians, for each number of connections.\n\n" + table(head, rows)
