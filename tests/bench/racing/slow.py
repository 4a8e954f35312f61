"""Holding one end of the link to a quarter of a processor."""
import contextlib
import os
import pathlib
import subprocess

PERIOD_US = 20_000  # a short one: with the kernel's 100 ms an end would stand still for 75 ms at a time


class Quarter:
    """Use as a context; hold() is to be called in each process that is to be held. All of them together
    get a quarter. how says by what means."""

    def __init__(self):
        self._group = None
        self._spinners = []
        self.how = ""

    def __enter__(self):
        if not self._make_group():
            # Whatever else runs on processor 0 gets a fair share of it, and three others are always there.
            self.how = "three busy processes on its only processor (about a quarter)"
            for _ in range(3):
                self._spinners.append(subprocess.Popen(
                    ["sh", "-c", "while :; do :; done"], preexec_fn=self._on_first, process_group=0))
        return self

    def __exit__(self, *_):
        for spinner in self._spinners:
            spinner.kill()
            spinner.wait()
        if self._group:
            with contextlib.suppress(OSError):
                self._group.rmdir()

    def _make_group(self):
        root = pathlib.Path("/sys/fs/cgroup")
        quota = PERIOD_US // 4
        for parent, files, how in (
                (root, {"cpu.max": f"{quota} {PERIOD_US}"}, "cgroup v2, cpu.max"),
                (root / "cpu", {"cpu.cfs_period_us": str(PERIOD_US), "cpu.cfs_quota_us": str(quota)},
                 "cgroup v1, cpu.cfs_quota_us")):
            group = parent / f"adoc-race-{os.getpid()}"
            try:
                group.mkdir()
            except OSError:
                continue
            try:
                for name, value in files.items():
                    # Never made: where this is no cgroup, or one without processors, the file is not there.
                    with open(os.open(group / name, os.O_WRONLY), "w", encoding="ascii") as file:
                        file.write(value)
            except OSError:
                group.rmdir()
                continue
            self._group, self.how = group, how
            return True
        return False

    @staticmethod
    def _on_first():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    def hold(self):
        if self._group:
            (self._group / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
        else:
            self._on_first()
