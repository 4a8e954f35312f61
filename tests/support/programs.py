"""adoc-send and adoc-recv as processes of a test, with a home and a key of their own."""
import os
import resource
import select
import signal
import subprocess
import time
from pathlib import Path


class Failure(Exception):
    """What a test found, in words."""


class Program:
    """One process; what it says on standard error is in a file."""

    def __init__(self, command, errors, environment, stdin=subprocess.DEVNULL, limits=()):
        def set_limits():
            for which, value in limits:
                resource.setrlimit(which, (value, value))

        self.name = Path(command[0]).name
        self.errors = Path(errors)
        with open(errors, "wb") as stderr:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdin=stdin, stdout=subprocess.PIPE, stderr=stderr,
                env=environment, start_new_session=True, preexec_fn=set_limits if limits else None)
        self.said = b""

    def line(self, seconds=20):
        """The first line of standard output; empty when there is none in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self.said:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return ""
            more = os.read(self.process.stdout.fileno(), 4096)
            if not more:
                return ""
            self.said += more
        return self.said.split(b"\n")[0].decode()

    def alive(self):
        return self.process.poll() is None

    def wait(self, seconds):
        """The exit code, negative for a signal; none while it runs on."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def is_in_flush(self):
        """Whether a thread of it waits for a disk, in a call that no signal ends."""
        try:
            states = [(task / "stat").read_text().rsplit(") ", 1)[1][0]
                      for task in Path(f"/proc/{self.process.pid}/task").iterdir()]
        except OSError:
            return False  # it ends just now
        return "D" in states

    def send_signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """And whatever it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        if not self.process.stdout.closed:
            self.process.stdout.close()

    def has_left_processes(self):
        """Once it has been waited for."""
        try:
            os.killpg(self.process.pid, 0)
            return True
        except ProcessLookupError:
            return False

    def heard(self, words):
        """Whether it has said that on standard error."""
        return words in self.errors.read_text(errors="replace")

    def last_words(self, lines=3):
        text = self.errors.read_text(errors="replace").strip().splitlines()
        return " | ".join(text[-lines:])


class Programs:
    """What is started from one directory of built programs; kill_all() at the end."""

    def __init__(self, bin_directory, home):
        self.bin = Path(bin_directory)
        self.home = Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        self.started = []
        self.environment = dict(os.environ, XDG_CONFIG_HOME=str(self.home),
                                XDG_CACHE_HOME=str(self.home / "cache"), LC_ALL="C.UTF-8")
        self.environment.pop("ADOC_KEY", None)
        subprocess.run([self.bin / "adoc-recv", "--new-key"], env=self.environment, check=True,
                       capture_output=True)

    def start(self, name, *arguments, errors, **how):
        program = Program([self.bin / name, *arguments], errors, self.environment, **how)
        self.started.append(program)
        return program

    def receiver(self, out, *options, errors, **how):
        """Once it can be reached, with its port; Failure when it ends before."""
        program = self.start("adoc-recv", "--out", out, "--listen", "127.0.0.1:0", *options,
                             errors=errors, **how)
        line = program.line()
        if not line.startswith("listening on "):
            raise Failure(f"adoc-recv does not listen: {program.last_words()}")
        program.port = int(line.rsplit(":", 1)[1])
        return program

    def kill_all(self):
        for program in self.started:
            program.kill()
        self.started.clear()
