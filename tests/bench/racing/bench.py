"""One run of one tool: receivers up, clock, what arrived compared. And rounds of them."""
import dataclasses
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

from .data import cut
from .pins import Pins
from .processes import Failed, Processes
from .tools import Job
from .turns import Terms, Turns


@dataclasses.dataclass
class Outcome:
    seconds: float
    wire_bytes: int
    error: str = ""
    gave_up: bool = False


class Bench:
    """The link, the places, the tools; and hold, a function for each end ("s", "r") that is called in
    each process there, which the section about slow machines sets."""

    def __init__(self, options, link, toolbox, work):
        self.options, self.link, self.toolbox, self.work = options, link, toolbox, str(work)
        self.hold = {"s": None, "r": None}
        self.pins = Pins(self)
        self.failures = []

    def note(self, text):
        print(f"race: {text}", file=sys.stderr, flush=True)

    def wanted(self, tools):
        """Those of them that were asked for and that this machine has."""
        return [tool for tool in tools if self.options.wants(tool.name) and not self.toolbox.missing(tool)]

    def limit(self, rate):
        return self.options.limit(rate)

    def cut(self, item, rate):
        """The item as this rate gets it, on the tmpfs."""
        return cut(item, self.limit(rate), f"{self.work}/source")

    def job(self, source, inbox=None):
        """With an empty inbox."""
        inbox = inbox or f"{self.work}/inbox"
        for folder in (inbox, f"{self.work}/scratch"):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        return Job(source, inbox, f"{self.work}/scratch")

    def at(self, end, pipeline):
        return dataclasses.replace(pipeline, commands=[self.link.at(end, c) for c in pipeline.commands])

    def start_receiver(self, tool, job, processes):
        receivers = processes.start(self.at("r", tool.receive(job)), self.hold["r"])
        deadline = time.monotonic() + 20
        while not self.link.listens(tool.port):
            if time.monotonic() > deadline or receivers[0].poll() is not None:
                raise Failed("the receiver does not listen")
            time.sleep(0.002)
        return receivers

    def start_sender(self, tool, job, processes):
        return processes.start(self.at("s", tool.send(job)), self.hold["s"])

    def run(self, tool, job, limit):
        """Sends it once; gives up after so many seconds."""
        with open(f"{self.work}/log", "w+b") as log, Processes(log) as processes:
            begin, wire = time.monotonic(), self.link.wire_bytes()
            try:
                receivers = self.start_receiver(tool, job, processes)
                begin, wire = time.monotonic(), self.link.wire_bytes()
                senders = self.start_sender(tool, job, processes)
                processes.wait(senders + (receivers if tool.ends_itself else []), begin + limit)
                outcome = Outcome(time.monotonic() - begin, self.link.wire_bytes() - wire)
            except TimeoutError:
                return Outcome(time.monotonic() - begin, self.link.wire_bytes() - wire, gave_up=True)
            except Failed as failure:
                log.seek(0)
                said = log.read().decode(errors="replace").strip().splitlines()
                outcome = Outcome(0, 0, f"{failure}: {said[-1] if said else 'without a word'}")
        if not outcome.error:
            compare = ["diff", "-r"] if os.path.isdir(job.source) else ["cmp", "-s"]
            if subprocess.run([*compare, job.source, job.target], check=False, stdout=subprocess.DEVNULL).returncode:
                outcome.error = "what arrived is not what was sent"
        return outcome

    def race(self, tools, source, about, prepare=None, inbox=None, prune=True, repeat=math.inf,
             peers_lost=math.inf):
        """All tools in turns, each round in another order. Returns one record for each tool: the figures,
        and what it was about (a dict, told on the way). prepare() is called before each run; short runs are repeated
        for no more than repeat seconds, where that is less than was asked for; another tool is given up at
        peers_lost times the best."""
        options = self.options
        turns = Turns(tools, Terms(options.rounds, options.prune if prune else 0, min(repeat, options.repeat),
                                   options.time_limit_of(source, about.get("rate", "none")), peers_lost))
        for number in turns.rounds():
            for tool in turns.order(number):
                job = self.job(source.path, inbox)
                if prepare:
                    prepare()
                outcome = self.run(tool, job, turns.limit(tool, number))
                turns.add(tool, outcome)
                self.tell(tool, source, about, outcome)
        shutil.rmtree(inbox or f"{self.work}/inbox", ignore_errors=True)
        return [self.record(tool, source, about, turns.outcomes[tool.name]) for tool in tools]

    def tell(self, tool, source, about, outcome):
        result = f"{outcome.seconds:.4f} s"
        if outcome.gave_up:
            result = f"given up after {result}"
        if outcome.error:
            result = outcome.error
            self.failures.append(f"{tool.label}, {source.name}, {' '.join(map(str, about.values()))}: {result}")
        print(*about.values(), source.name, tool.name, result, sep="  ", file=sys.stderr, flush=True)

    @staticmethod
    def record(tool, source, about, outcomes):
        errors = [outcome.error for outcome in outcomes if outcome.error]
        good = [outcome for outcome in outcomes if not outcome.error and not outcome.gave_up]
        record = {**about, "data": source.name, "bytes": source.bytes,
                  "tool": tool.name, "label": tool.label, "group": tool.group}
        if errors:
            record["error"] = errors[0]
        if good:
            seconds = [outcome.seconds for outcome in good]
            median = statistics.median(seconds)
            record |= {"seconds": [round(s, 5) for s in seconds], "median": round(median, 5),
                       "least": round(min(seconds), 5), "most": round(max(seconds), 5),
                       "mb_per_s": source.bytes / median / 1e6,
                       "wire_bytes": int(statistics.median(outcome.wire_bytes for outcome in good))}
        elif outcomes and not errors:
            record["longer_than"] = round(outcomes[0].seconds, 5)
        return record
