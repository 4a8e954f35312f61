"""Who runs when: every round in another order, and no time for those who have lost already."""
import dataclasses
import math
import random
import statistics
import time

SHORT_SECONDS = 1    # a best run below this is repeated until its median is known: it scatters more
SHORT_PRUNE = 1.6    # times prune there, as one run of bad luck is to drop nobody
SHORTER_SECONDS = 0.15  # and below this even more so: a pause of one thread is a tenth of it
SHORTER_PRUNE = 3
LEAST_EXTRA_ROUNDS = 4
KNOWN = 0.01         # the standard error, as a part of the median
NAIVE_LOST = 4       # times the best, when a naive transfer is given up
LEVELS_LEFT = 4      # of AdOC, after the first round: only the best of them is asked for
CONTENDER = 1.15     # times the best median, in the extra rounds


@dataclasses.dataclass
class Terms:
    """How a race is run: rounds at least; the factor at which a tool has lost, 0 for never; for how many
    seconds short runs are repeated; and how many a run may take."""
    rounds: int
    prune: float
    repeat: float
    time_limit: float
    peers_lost: float = math.inf  # times the best, when another tool is given up in the first round


class Turns:
    """A tool that takes more than prune times as long as the best in the first round, or more than that
    where runs are short, runs no more: that it is far behind is known. AdOC's levels are compared with AdOC
    alone, since the best of them is asked for also where another tool beats it; they are many, so in the
    first round one is given up as soon as it has lost, and only the best few go on; another joins them as
    soon as its one run was faster than the median of each. What leads, of levels and of other tools, runs to
    the end. A tool that failed or was given up is not tried again either.

    Short runs are repeated until the medians of all that are left are known, or the time for that is over:
    how often depends on how they scatter, and not on who leads."""

    def __init__(self, tools, terms):
        self._tools, self._terms = tools, terms
        self._factor, self._repeat = terms.prune, terms.repeat
        self._out = set()
        self._waiting = []  # levels that were not among the best in the first round
        self.outcomes = {tool.name: [] for tool in tools}

    def rounds(self):
        for number in range(self._terms.rounds):
            yield number
            if number == 0 and self._factor:
                self._drop(self._prune())
                self._keep_best_levels()
        if self._least() >= SHORT_SECONDS:
            return
        self._drop(CONTENDER)
        end = time.monotonic() + self._repeat
        number = self._terms.rounds
        while number < self._terms.rounds + LEAST_EXTRA_ROUNDS or (
                time.monotonic() < end and any(self._error(tool) > KNOWN for tool in self.order(number))):
            yield number
            number += 1

    def order(self, number):
        self._recall_levels()
        order = [tool for tool in self._tools if tool.name not in self._out]
        if number:  # first of all the one that chooses by itself, which tells when to give up a level
            random.Random(number).shuffle(order)
        return order

    def limit(self, tool, number):
        best = self._best(tool)
        factor = {"level": self._prune(), "naive": NAIVE_LOST, "peer": self._terms.peers_lost}.get(tool.group)
        if not factor or number or best is None or not self._factor:
            return self._terms.time_limit
        return min(self._terms.time_limit, max(factor * best, best + 0.3))

    def add(self, tool, outcome):
        self.outcomes[tool.name].append(outcome)
        if outcome.error or outcome.gave_up:
            self._out.add(tool.name)

    def _median(self, tool):
        good = [o.seconds for o in self.outcomes[tool.name] if not o.error and not o.gave_up]
        return statistics.median(good) if good else None

    def _best(self, tool):
        """Among those that the tool is compared with."""
        rivals = [r for r in self._tools if tool.group in ("peer", "naive") or r.group != "peer"]
        return min((m for m in map(self._median, rivals) if m is not None), default=None)

    def _least(self):
        return min((m for m in map(self._median, self._tools) if m is not None), default=math.inf)

    def _error(self, tool):
        """The standard error of the median, as a part of it, from the order of the runs: half the distance
        of those that are half the root of their number away from the middle."""
        good = sorted(o.seconds for o in self.outcomes[tool.name] if not o.error and not o.gave_up)
        if len(good) < 3:
            return math.inf
        middle, away = (len(good) - 1) / 2, math.sqrt(len(good)) / 2
        return (good[math.ceil(middle + away)] - good[math.floor(middle - away)]) / 2 / statistics.median(good)

    def _prune(self):
        least = self._least()
        return self._factor * (SHORTER_PRUNE if least < SHORTER_SECONDS else SHORT_PRUNE if least < SHORT_SECONDS else 1)

    def _keep_best_levels(self):
        levels = [tool for tool in self._tools if tool.group == "level" and tool.name not in self._out]
        self._waiting = sorted(levels, key=self._median)[LEVELS_LEFT:]
        self._out |= {tool.name for tool in self._waiting}

    def _recall_levels(self):
        racing = [tool for tool in self._tools if tool.group == "level" and tool.name not in self._out]
        if not self._waiting or not racing:
            return
        best = min(map(self._median, racing))
        self._out -= {tool.name for tool in self._waiting if self._median(tool) < best}
        self._waiting = [tool for tool in self._waiting if tool.name in self._out]

    def _drop(self, factor):
        for tool in self._tools:
            median, best = self._median(tool), self._best(tool)
            if not tool.keeps_on and median is not None and median > factor * best and not self._leads(tool):
                self._out.add(tool.name)

    def _leads(self, tool):
        """What is asked for is how it compares, so it runs as often as what it is compared with."""
        medians = [self._median(r) for r in self._tools if r.group == tool.group and r.name not in self._out]
        return self._median(tool) == min((m for m in medians if m is not None), default=None)
