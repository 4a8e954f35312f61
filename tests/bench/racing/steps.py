"""A link whose rate steps while one long file crosses it: what arrives in a fixed time, and how soon after
each step it arrives as fast as it can."""
import bisect
import os
import random
import signal
import statistics
import time

from .data import MB, most_like_programs
from .levels import THREE
from .processes import Failed, Processes
from .sections import adoc_tools, some_peers

RATES = ("1gbit", "10mbit")
SAMPLE_SECONDS = 0.02
WINDOW_SECONDS = 0.4   # some blocks at 10 Mbit/s, so that the rate says more than the borders of blocks
DRAIN_SECONDS = 0.1    # after a step down what the link still held arrives first
SLACK_BYTES = 64 * MB  # of the end, where blocks may have arrived in another order
REACHED = 0.9


def long_file(item, path, size):
    """So many bytes out of the item, in pieces of 1 MB in an order of chance: no window reaches back over
    a whole item to where the same bytes were."""
    with open(item.path, "rb") as file:
        pieces = [piece for piece in iter(lambda: file.read(MB), b"")]
    generator = random.Random(7)
    with open(path, "wb") as file:
        while file.tell() < size:
            generator.shuffle(pieces)
            for piece in pieces:
                file.write(piece)
        file.truncate(size)


def written(pid):
    """What the process has written to files: what is sent over a socket does not count here."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("wchar:")).split()[1])


def arrived_as_sent(pid, source, count):
    """Compares the first count bytes of the largest file that the process has open with the source."""
    path, size = None, 0
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        candidate = f"/proc/{pid}/fd/{descriptor}"
        try:
            if os.readlink(candidate).startswith("/") and os.path.isfile(candidate):
                if os.path.getsize(candidate) >= size:
                    path, size = candidate, os.path.getsize(candidate)
        except OSError:
            continue
    if path is None:
        return False
    with open(source, "rb") as one, open(path, "rb") as other:
        while count > 0:
            length = min(count, MB)
            if one.read(length) != other.read(length):
                return False
            count -= length
    return True


def settled_after(samples, begin, end, down):
    """Seconds from a step to the first window that reaches 90 % of what the second half of the time until
    the next step gives; None when none does."""
    times = [t for t, _ in samples]

    def at(moment):
        i = min(max(bisect.bisect_left(times, moment), 1), len(times) - 1)
        (t0, b0), (t1, b1) = samples[i - 1], samples[i]
        return b0 + (b1 - b0) * (moment - t0) / (t1 - t0) if t1 > t0 else b1
    middle = (begin + end) / 2
    best = (at(end) - at(middle)) / (end - middle)
    moment = begin + (DRAIN_SECONDS if down else 0)
    while moment + WINDOW_SECONDS <= end:
        if (at(moment + WINDOW_SECONDS) - at(moment)) / WINDOW_SECONDS >= REACHED * best:
            return moment - begin
        moment += SAMPLE_SECONDS
    return None


def measure(bench, tool, source, phases, seconds):
    """One run: (samples, times of the steps, error)."""
    job, samples, steps = bench.job(source), [], []
    with open(f"{bench.work}/log", "w+b") as log, Processes(log) as processes:
        bench.link.rate(phases[0])
        try:
            receiver = bench.start_receiver(tool, job, processes)[-1]
            senders = bench.start_sender(tool, job, processes)
        except Failed as failure:
            return samples, steps, str(failure)
        begin, due = time.monotonic(), 0
        while (now := time.monotonic() - begin) < len(phases) * seconds:
            if now >= due:
                if due:
                    bench.link.rate(phases[len(steps)])
                steps.append(time.monotonic() - begin)
                due += seconds
            ended = any(process.poll() is not None for process in senders)
            if ended or receiver.poll() is not None:
                return samples, steps, "ended before its time"
            samples.append((time.monotonic() - begin, written(receiver.pid)))
            time.sleep(SAMPLE_SECONDS)
        os.kill(receiver.pid, signal.SIGSTOP)
        same = arrived_as_sent(receiver.pid, source, max(0, samples[-1][1] - SLACK_BYTES))
    return samples, steps, "" if same else "what arrived is not what was sent"


def size_for(bench, seconds):
    """Room for what a fast tool moves in that time, twice, in half of what memory is free."""
    with open("/proc/meminfo", encoding="ascii") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    return int(min(500 * MB * seconds, free / 4, bench.options.step_bytes or float("inf")))


def steps(bench, items):
    phases = RATES * 2 if not bench.options.quick else (*RATES, RATES[0])
    seconds = bench.options.step_seconds
    tools = bench.wanted(adoc_tools(bench, THREE) +
                         some_peers(bench, "nc", "zstd-1", "zstd-adapt"))
    item = most_like_programs(items)
    source = f"{bench.work}/long"
    long_file(item, source, size_for(bench, len(phases) * seconds / 2))
    runs = {tool.name: [] for tool in tools}
    for number in range(1 if bench.options.quick else bench.options.rounds):
        order = list(tools)
        if number:
            random.Random(number).shuffle(order)
        for tool in order:
            samples, begins, error = measure(bench, tool, source, phases, seconds)
            total = samples[-1][1] if samples else 0
            bench.note(f"steps  {tool.name}  {total / MB:.1f} MB  {error}")
            if error:
                bench.failures.append(f"{tool.label}, steps: {error}")
            else:
                runs[tool.name].append((samples, begins, total))
    os.unlink(source)
    for tool in tools:
        yield record_of(tool, runs[tool.name], phases, seconds, item.name)


def record_of(tool, runs, phases, seconds, name):
    record = {"data": name, "tool": tool.name, "label": tool.label, "group": tool.group,
              "phases": list(phases), "seconds_each": seconds}
    if not runs:
        return record | {"error": "failed"}
    totals = sorted(total for _, _, total in runs)
    after = {"up": [], "down": []}
    for samples, begins, _ in runs:
        ends = begins[1:] + [samples[-1][0]]
        for i in range(1, len(begins)):
            down = phases[i] == RATES[1]
            after["down" if down else "up"].append(settled_after(samples, begins[i], ends[i], down))
    record |= {"bytes": totals, "mb": statistics.median(totals) / MB, "least_mb": totals[0] / MB,
               "most_mb": totals[-1] / MB, "mb_per_s": statistics.median(totals) / MB / (len(phases) * seconds)}
    for way, values in after.items():
        # A step that was never followed counts as the whole phase: a median must not forget it.
        known = [seconds if value is None else value for value in values]
        record[f"settled_{way}"] = round(statistics.median(known), 3) if known else None
        record[f"settled_{way}_worst"] = round(max(known), 3) if known else None
    return record
