"""The ways to get a file or a tree across: what runs at either end for each."""
import dataclasses
import getpass
import os
import shutil
import subprocess
from typing import Callable

from .link import RECEIVER_ADDRESS
from .processes import Pipeline

NC_PORT, SSH_PORT, ADOC_PORT, RSYNC_PORT = 4398, 4399, 4400, 4401  # the first three as in tools.sh


@dataclasses.dataclass(frozen=True)
class Build:
    """One build of AdOC; its name tells it from others in the same race."""
    name: str
    bin: str


@dataclasses.dataclass
class Job:
    """One transfer."""
    source: str   # a file or a directory
    inbox: str    # where it is to appear, under its own name
    scratch: str  # for what a tool keeps in between

    @property
    def target(self):
        return os.path.join(self.inbox, os.path.basename(self.source))


@dataclasses.dataclass
class Tool:
    """receive() runs before the clock starts, and listens; send() is what is timed. Where the receiver
    is a pipeline of its own (ends_itself), the clock stops when that has ended, too; where it is a
    daemon, its sender ends only when the daemon has answered that all is there."""
    name: str
    label: str
    group: str  # adoc: chooses by itself; level: one level of AdOC; peer; naive
    port: int
    receive: Callable
    send: Callable
    ends_itself: bool = True
    needs: tuple = ()
    keeps_on: bool = False  # it runs in every round, however far behind


def _packer(command, source):
    return [*command.split(), "-q", "-c", source]


def piped(name, command="", unpacker=""):
    """A compressor in front of nc, and its opposite behind it; without one, nc alone."""
    sender = ["nc", "-N", RECEIVER_ADDRESS, str(NC_PORT)]
    receiver = ["nc", "-l", RECEIVER_ADDRESS, str(NC_PORT)]

    def send(job):
        if not command:
            return Pipeline([sender], stdin=job.source)
        return Pipeline([_packer(command, job.source), sender])

    def receive(job):
        unpack = [[unpacker, "-d", "-q", "-c"]] if unpacker else []
        return Pipeline([receiver, *unpack], stdout=job.target)
    return Tool(name, f"{command} | nc" if command else "nc", "peer", NC_PORT, receive, send,
                needs=("nc", *command.split()[:1]))


def naive(name, pack, unpack):
    """All packed into a file, the file sent, the file unpacked: nothing overlaps."""
    def send(job):
        return Pipeline([["sh", "-c", f'{pack} -q -c "$1" >"$2/sent" && exec nc -N {RECEIVER_ADDRESS} {NC_PORT} '
                          '<"$2/sent"', "sh", job.source, job.scratch]])

    def receive(job):
        return Pipeline([["sh", "-c", f'nc -l {RECEIVER_ADDRESS} {NC_PORT} >"$1/came" && exec {unpack} <"$1/came"',
                          "sh", job.scratch]], stdout=job.target)
    return Tool(f"naive-{name}", f"naive {pack}", "naive", NC_PORT, receive, send, needs=("nc", pack.split()[0]))


def tree_over_nc(name, label, finish=""):
    """tar, zstd and nc; finish is what the receiver does at the end."""
    def send(job):
        where, what = os.path.split(job.source)
        return Pipeline([["tar", "-C", where, "-cf", "-", what], ["zstd", "-1", "-T2", "-q", "-c"],
                         ["nc", "-N", RECEIVER_ADDRESS, str(NC_PORT)]])

    def receive(job):
        unpack = ["tar", "-C", job.inbox, "-xf", "-"]
        if finish:
            unpack = ["sh", "-c", f'tar -C "$1" -xf - && {finish} "$1"', "sh", job.inbox]
        return Pipeline([["nc", "-l", RECEIVER_ADDRESS, str(NC_PORT)], ["zstd", "-d", "-q", "-c"], unpack])
    return Tool(name, label, "peer", NC_PORT, receive, send, needs=("nc", "zstd", "tar"))


# The parts but the last are of the same length, so that they are where they belong when joined.
SEND_PARTS = """
part=$((($(stat -c %s "$1") + 3) / 4)) at=0
for port in $2; do
  tail -c +$((at + 1)) "$1" | head -c "$part" | nc -N "$3" "$port" &
  at=$((at + part))
done
wait
"""
RECEIVE_PARTS = """
cd "$1"
for port in $2; do nc -l "$3" "$port" >"$port" & done
wait
cat $2 >"$4"
"""


def four_ncs():
    """The file in four parts, each over a connection of its own."""
    first = NC_PORT + 100
    ports = " ".join(str(first + i) for i in range(4))

    def send(job):
        return Pipeline([["sh", "-c", SEND_PARTS, "sh", job.source, ports, RECEIVER_ADDRESS]])

    def receive(job):
        return Pipeline([["sh", "-c", RECEIVE_PARTS, "sh", job.scratch, ports, RECEIVER_ADDRESS,
                          job.target]])
    return Tool("nc-4", "four ncs", "peer", first + 3, receive, send, needs=("nc",))


class Toolbox:
    """The tools of this machine, with what they need in the directory work."""

    def __init__(self, link, build, work, encrypt=False):
        self._link, self._build, self._work = link, build, work
        self._encrypt = encrypt
        self._scp_options = []
        self._have_sshd = bool(shutil.which("sshd") or os.access("/usr/sbin/sshd", os.X_OK))

    def prepare(self):
        """To be called once, before the first run."""
        if self._encrypt:
            subprocess.run([f"{self._build.bin}/adoc-recv", "--show-key"], capture_output=True, check=True,
                           env=os.environ | {"XDG_CONFIG_HOME": str(self._work)})
        if self._have_sshd and shutil.which("ssh-keygen"):
            self._link.shell("make_ssh_files", WORK=str(self._work))
            self._scp_options = self._link.shell("scp_options", WORK=str(self._work)).splitlines()

    def _key_file(self):
        return f"{self._work}/adoc/key"  # where adoc-recv makes it

    def adoc(self, name, label, *options, group="adoc", build=None):
        """What a build learns of the link is for that build alone."""
        build = build or self._build
        own = {"XDG_CACHE_HOME": f"{self._work}/cache-{build.name}"}
        secrecy = ["--key-file", self._key_file()] if self._encrypt else ["--insecure"]
        address = f"{RECEIVER_ADDRESS}:{ADOC_PORT}"

        def receive(job):
            return Pipeline([[f"{build.bin}/adoc-recv", "-q", *secrecy, "--out", job.inbox,
                              "--listen", address]], environment=own)

        def send(job):
            return Pipeline([[f"{build.bin}/adoc-send", "-q", *secrecy, *options, job.source,
                              address]], environment=own)
        return Tool(name, label, group, ADOC_PORT, receive, send, ends_itself=False, keeps_on=name == "adoc")

    def level(self, number, rung):
        """One level of AdOC, named after what it is: numbers mean other things in another version."""
        return self.adoc("level-" + rung.replace(" ", "-"), f"AdOC {rung}", "--level", str(number), group="level")

    def _over_ssh(self, name, *command):
        def send(job):
            options = self._scp_options
            if command[0] == "mscp":  # a thing of its own that knows few of scp's options
                options = ["-q", "-i", f"{self._work}/ssh/user", "-P", str(SSH_PORT),
                           "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self._work}/ssh/known"]
            recursive = ["-r"] if os.path.isdir(job.source) else []
            return Pipeline([[command[0], *options, *command[1:], *recursive, job.source,
                              f"{getpass.getuser()}@{RECEIVER_ADDRESS}:{job.inbox}/"]])
        environment = ["env", f"WORK={self._work}", f"LINK_NAME={self._link.name}"]
        return Tool(name, " ".join(command), "peer", SSH_PORT,
                    lambda job: Pipeline([[*environment, *self._link.shell_command("run_sshd")]]), send,
                    ends_itself=False, needs=(command[0], "ssh", "ssh-keygen"))

    def _rsync(self, name, label, *options):
        def receive(job):
            config = f"{job.scratch}/rsyncd.conf"
            with open(config, "w", encoding="ascii") as file:
                file.write(f"use chroot = no\nreverse lookup = no\nuid = {os.getuid()}\ngid = {os.getgid()}\n"
                           f"[race]\npath = {job.inbox}\nread only = no\n")
            return Pipeline([["rsync", "--daemon", "--no-detach", f"--address={RECEIVER_ADDRESS}",
                              f"--port={RSYNC_PORT}", f"--config={config}", f"--log-file={job.scratch}/rsyncd.log"]])
        return Tool(name, label, "peer", RSYNC_PORT, receive,
                    lambda job: Pipeline([["rsync", "-a", "--whole-file", *options, job.source,
                                           f"rsync://{RECEIVER_ADDRESS}:{RSYNC_PORT}/race/"]]),
                    ends_itself=False, needs=("rsync",))

    def peers(self):
        return [
            piped("nc"),
            self._over_ssh("scp", "scp"), self._over_ssh("scp-C", "scp", "-C"),
            self._rsync("rsync", "rsync"),
            self._rsync("rsync-lz4", "rsync lz4", "--compress", "--compress-choice=lz4"),
            self._rsync("rsync-zstd", "rsync zstd", "--compress", "--compress-choice=zstd"),
            piped("zstd-1", "zstd -1 -T2", "zstd"),
            piped("zstd-3", "zstd -3 -T2", "zstd"),
            piped("zstd-adapt", "zstd --adapt -T2", "zstd"),
            piped("pzstd", "pzstd", "pzstd"),
            piped("lz4", "lz4", "lz4"),
            self._over_ssh("mscp", "mscp"),
        ]

    def more_levels_of_zstd(self):
        return [piped(f"zstd-{level}", f"zstd -{level} -T2", "zstd") for level in (6, 9, 12, 15, 19)]

    def naive(self):
        return [naive("zstd-1", "zstd -1 -T2", "zstd -d -q -c"), naive("zstd-3", "zstd -3 -T2", "zstd -d -q -c"),
                naive("zstd-19", "zstd -19 -T2", "zstd -d -q -c"), naive("lz4", "lz4", "lz4 -d -q -c")]

    def missing(self, tool):
        """What of the tool's needs this machine lacks, in words; empty when it can run."""
        lacking = [program for program in tool.needs if not shutil.which(program)]
        if "nc" in tool.needs and not lacking:
            usage = subprocess.run(["nc", "-h"], capture_output=True, text=True, check=False)
            if "OpenBSD" not in usage.stdout + usage.stderr:
                lacking.append("the nc of OpenBSD")
        if tool.port == SSH_PORT and not self._have_sshd:
            lacking.append("sshd")
        return ", ".join(lacking)
