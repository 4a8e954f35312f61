"""Pipelines of processes: started, waited for with a deadline, ended. None outlives the race."""
import dataclasses
import os
import select
import subprocess
import time


@dataclasses.dataclass
class Pipeline:
    """Commands joined by pipes, at one end of the link; no file means /dev/null."""
    commands: list
    stdin: str = os.devnull
    stdout: str = os.devnull
    environment: dict = dataclasses.field(default_factory=dict)  # besides the race's own


class Failed(Exception):
    """A process that ended otherwise than it should."""


class Processes:
    """Those of one run. Use as a context: none is left after it."""

    def __init__(self, log):
        self._log = log
        self._all = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The group, as a shell or a daemon has children; a leader not yet reaped keeps its number.
        for process in self._all:
            if process.returncode is None:
                try:
                    os.killpg(process.pid, 9)
                except ProcessLookupError:
                    pass
                process.wait()

    def start(self, pipeline, prepare=None):
        """Returns its processes; prepare() is called in each before its program."""
        started, previous = [], None
        try:
            previous = open(pipeline.stdin, "rb")
            for i, command in enumerate(pipeline.commands):
                last = i + 1 == len(pipeline.commands)
                output = open(pipeline.stdout, "wb") if last else subprocess.PIPE
                process = subprocess.Popen(command, stdin=previous, stdout=output, stderr=self._log,
                                           process_group=0, preexec_fn=prepare,
                                           env=os.environ | pipeline.environment)
                self._all.append(process)
                started.append(process)
                previous.close()
                if last:
                    output.close()
                else:
                    previous = process.stdout
        finally:
            if previous:
                previous.close()
        return started

    @staticmethod
    def wait(processes, deadline):
        """Until all have ended with 0; Failed when one has not, TimeoutError at the deadline.

        Not Popen.wait(timeout), which looks only every now and then: here the clock is stopped."""
        waiting = {}
        poll = select.poll()
        try:
            for process in processes:
                if process.returncode is None:
                    descriptor = os.pidfd_open(process.pid)
                    waiting[descriptor] = process
                    poll.register(descriptor, select.POLLIN)
            while waiting:
                left = deadline - time.monotonic()
                ready = poll.poll(max(0, left * 1000))
                if not ready:
                    raise TimeoutError
                for descriptor, _ in ready:
                    process = waiting.pop(descriptor)
                    poll.unregister(descriptor)
                    os.close(descriptor)
                    if process.wait() != 0:
                        raise Failed(f"{os.path.basename(process.args[2])} ended with {process.returncode}")
        finally:
            for descriptor in waiting:
                os.close(descriptor)
