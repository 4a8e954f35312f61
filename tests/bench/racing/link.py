"""The link of link.sh, from Python: made, shaped, looked at, removed."""
import os
import re
import subprocess
import time

SENDER_ADDRESS = "10.77.0.1"  # as in link.sh
RECEIVER_ADDRESS = "10.77.0.2"


def bits_per_second(rate):
    """Of a rate as tc writes it; infinite for none. ValueError for anything else."""
    if rate == "none":
        return float("inf")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)bit", rate)
    if not match or float(match[1]) == 0:
        raise ValueError(rate)
    return float(match[1]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[match[2]]


def wan_path(words):
    """The rate of RATE:RTT:LOSS[:QUEUE][:POLICED/BURST], the policer's where that is less.
    ValueError for what is no path."""
    number = r"\d+(?:\.\d+)?"
    match = re.fullmatch(rf"([^:]+):{number}m?s:({number})%(?::{number}m?s)?"
                         rf"(?::([^:/]+)/({number}(?:B|kB|MB)))?", words)
    if not match:
        raise ValueError(words)
    rate, loss, policed, _ = match.groups()
    if policed:
        bits_per_second(policed)
    if "none" in (rate, policed) or float(loss) > 100:
        raise ValueError(words)
    return min(filter(None, (rate, policed)), key=bits_per_second)


def in_words(rate):
    if rate == "none":
        return "no limit"
    return re.sub(r"([kmg]?)bit", lambda m: f" {m[1].upper()}bit/s", rate)


class Link:
    """Use as a context: the link is there inside, and gone, with all that ran at its ends, after.
    """

    def __init__(self, scripts):
        self._scripts = scripts
        self.name = f"adoc-race-{os.getpid()}"
        self._anchors = {}

    def shell(self, script, **environment):
        """Runs a line of bash with the functions of link.sh and tools.sh; returns what it printed.
        """
        return subprocess.run(self.shell_command(script), check=True,
                              stdout=subprocess.PIPE, text=True,
                              env=os.environ | {"LINK_NAME": self.name} | environment).stdout

    def shell_command(self, script):
        return ["bash", "-euc", f'. "$0/link.sh"; . "$0/tools.sh"; {script}', str(self._scripts)]

    def possible(self):
        return subprocess.run(self.shell_command("link_possible"), check=False).returncode == 0

    def __enter__(self):
        try:
            self.shell("link_up")
            # A process at either end, through which /proc shows that end.
            for end in "sr":
                self._anchors[end] = subprocess.Popen(self.at(end, ["sleep", "infinity"]),
                                                      process_group=0)
            for anchor in self._anchors.values():
                while os.readlink(f"/proc/{anchor.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
                    time.sleep(0.001)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for anchor in self._anchors.values():
            anchor.kill()
            anchor.wait()
        self._anchors = {}
        subprocess.run(self.shell_command("link_down"), check=False,
                       env=os.environ | {"LINK_NAME": self.name})

    def at(self, end, command):
        """The command, to be run at the end s or r."""
        return ["nsenter", f"--net=/run/netns/{self.name}-{end}", *command]

    def rate(self, rate):
        self.shell(f"link_rate {rate}")

    def wan(self, path, program):
        """A long path of PathModel in the place of the link, until rate() is called."""
        self.shell(f"link_wan {path}", LINK_WAN_PROGRAM=program)

    def wire_bytes(self):
        """What the sender has put on the wire so far, with headers."""
        with open(f"/proc/{self._anchors['s'].pid}/net/dev", encoding="ascii") as file:
            for line in file:
                if "link0:" in line:
                    return int(line.split(":")[1].split()[8])
        raise RuntimeError("the link has gone")

    def listens(self, port):
        """Whether something at the receiving end does."""
        with open(f"/proc/{self._anchors['r'].pid}/net/tcp", encoding="ascii") as file:
            return any(f":{port:04X} " in words[1] + " " and words[3] == "0A"
                       for words in map(str.split, file))
