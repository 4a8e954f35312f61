"""Each end of the link on a processor of its own, as two machines have."""

import contextlib
import os
import pathlib
import subprocess

FREE, PINNED = "all processors", "one processor each"
SETTINGS = {"off": (FREE,), "on": (PINNED,), "both": (FREE, PINNED)}


def siblings(cpu):
    """The processors that share a core with this one, itself among them."""
    path = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        words = path.read_text(encoding="ascii").strip()
    except OSError:
        return {cpu}
    found = set()
    for part in words.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def two_processors(allowed, siblings_of=siblings):
    """One for each end, on two cores if there are two; None when there is only one processor."""
    allowed = sorted(allowed)
    if len(allowed) < 2:
        return None
    shared = siblings_of(allowed[0])
    return allowed[0], next((cpu for cpu in allowed if cpu not in shared), allowed[1])


class Pins:
    """The setting that runs now; the kernel's work on arriving packets goes with the programs."""

    def __init__(self, bench):
        self._bench = bench
        self._pair = two_processors(os.sched_getaffinity(0))

    def possible(self, settings):
        """Those of the settings that this machine has."""
        if PINNED in settings and not self._pair:
            self._bench.note("no race with one processor each: there is only one")
            return [setting for setting in settings if setting != PINNED]
        return list(settings)

    @contextlib.contextmanager
    def set(self, setting):
        """Inside, what is started at the ends s and r is where the setting says."""
        bench, before = self._bench, dict(self._bench.hold)
        if setting == PINNED:
            for end, cpu in zip("sr", self._pair):
                bench.hold[end] = lambda cpu=cpu: os.sched_setaffinity(0, {cpu})
                self._steer(end, f"{1 << cpu:x}")
        try:
            yield
        finally:
            bench.hold.update(before)
            if setting == PINNED:
                for end in "sr":
                    self._steer(end, "0")

    def _steer(self, end, mask):
        # A veth delivers packets on the processor that sent them: the sender would do the
        # receiver's share of TCP. The mask is in groups of 32 processors.
        mask = ",".join(
            mask.rjust(-(-len(mask) // 8) * 8, "0")[i : i + 8]
            for i in range(0, -(-len(mask) // 8) * 8, 8)
        )
        done = subprocess.run(
            [
                "ip",
                "netns",
                "exec",
                f"{self._bench.link.name}-{end}",
                "sh",
                "-c",
                f"echo {mask} >/sys/class/net/link0/queues/rx-0/rps_cpus",
            ],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            self._bench.note(
                "packets are handled where they were sent, not at their own end: "
                + done.stderr.strip()
            )
