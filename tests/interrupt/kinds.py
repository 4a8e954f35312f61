"""The kinds of work at which the programs are interrupted."""
import hashlib
import shutil
import signal
import time

import trees
from trees import MEBIBYTE


class Kind:
    """A transfer of `source` to an empty directory; others say what is different."""

    victims = ("send", "recv")
    send_options = ("--retry", "0")
    recv_options = ("--once", "-v")
    endless = None  # seconds in which to interrupt what does not end by itself
    again = True  # whether the same transfer must succeed afterwards
    on_disk = False
    other_side_s = 10

    @property
    def name(self):
        return type(self).__name__

    def make(self, top, programs):
        raise NotImplementedError

    def begin(self, stage):
        stage.start_send(stage.start_recv().port)


class SmallFiles(Kind):
    def make(self, top, programs):
        trees.write_small_files(top / "source/tree", 20, 30, 2000)


class Flush(SmallFiles):
    on_disk = True

    def make(self, top, programs):
        super().make(top, programs)
        trees.write_random(top / "source/large", 16 * MEBIBYTE)


class LargeFile(Kind):
    def make(self, top, programs):
        trees.write_random(top / "source/large", 48 * MEBIBYTE)


class Plain(LargeFile):
    send_options = (*Kind.send_options, "--insecure", "--level", "0")
    recv_options = (*Kind.recv_options, "--insecure")


class SlowLink(LargeFile):
    send_options = (*Kind.send_options, "--bwlimit", "100K")
    endless = 0.7
    again = False


class Dense(Kind):
    """Where a block takes longest."""

    endless = 2.0
    again = False

    def make(self, top, programs):
        trees.write_words(top / "source/words", 12 * MEBIBYTE)
        last = programs.last_level()
        self.send_options = (*Kind.send_options, "--level", last)


class Sparse(Kind):
    def make(self, top, programs):
        trees.write_sparse(top / "source/sparse", 20 << 30, 2000)


class Checksum(Kind):
    """Both sides read what both have; the sender before it offers."""

    send_options = (*Kind.send_options, "--checksum")

    def make(self, top, programs):
        trees.write_random(top / "source/large", 96 * MEBIBYTE)
        shutil.copytree(top / "source", top / "before")
        (top / "before/large").touch()


class ChecksumOfHoles(Kind):
    send_options = (*Kind.send_options, "--checksum")

    def make(self, top, programs):
        trees.write_sparse(top / "source/sparse", 60 << 30, 3)

    def begin(self, stage):
        trees.write_sparse(stage.out / "sparse", 60 << 30, 3)  # a copy would write all of it
        super().begin(stage)


class Walk(Kind):
    """Nothing of it is sent."""

    victims = ("send",)
    send_options = (*Kind.send_options, "--exclude", "*.o")

    def make(self, top, programs):
        trees.write_small_files(top / "source/tree", 60, 100, suffix=".o")
        (top / "source/tree/kept").write_text("kept")

    again = False


class Resume(Kind):
    """The receiver reads what an earlier transfer left."""

    def make(self, top, programs):
        trees.write_random(top / "source/large", 64 * MEBIBYTE)
        recv = programs.receiver(top / "before", errors=top / "make.recv.err")
        send = programs.start("adoc-send", "--retry", "0", "--bwlimit", "60M", top / "source/large",
                              f"127.0.0.1:{recv.port}", errors=top / "make.send.err")
        end = time.monotonic() + 20
        while time.monotonic() < end and sum(
                path.stat().st_blocks * 512 for path in trees.files_below(top / "before")
        ) < 40 * MEBIBYTE:
            time.sleep(0.01)
        recv.kill()
        send.kill()


class StalledReceiver(Kind):
    victims = ("send",)
    endless = 0.5

    def make(self, top, programs):
        trees.write_random(top / "source/large", 48 * MEBIBYTE)

    def begin(self, stage):
        super().begin(stage)
        stage.until(lambda: any(trees.files_below(stage.out)))
        stage.recv.send_signal(signal.SIGSTOP)


class StalledSender(StalledReceiver):
    victims = ("recv",)

    def begin(self, stage):
        Kind.begin(self, stage)
        stage.until(lambda: any(trees.files_below(stage.out)))
        stage.send.send_signal(signal.SIGSTOP)


class Connect(SmallFiles):
    victims = ("send",)
    endless = 0.4

    def begin(self, stage):
        stage.start_send(stage.dead_listener())


class Handshake(SmallFiles):
    victims = ("send",)
    endless = 0.4

    def begin(self, stage):
        stage.start_send(stage.silent_listener())


class Hello(Handshake):
    send_options = (*Kind.send_options, "--insecure")
    recv_options = (*Kind.recv_options, "--insecure")


class SilentStrangers(SmallFiles):
    victims = ("recv",)
    endless = 0.4

    def begin(self, stage):
        stage.start_recv()
        for _ in range(10):
            stage.stranger()
            stage.stranger(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")


class SilentStrangersInPlainText(SilentStrangers):
    recv_options = (*Kind.recv_options, "--insecure")
    send_options = (*Kind.send_options, "--insecure")


class Lookup(SmallFiles):
    """Only where the test has made a namespace whose name server does not answer."""

    victims = ("send",)
    endless = 0.5

    def begin(self, stage):
        # There is no key of nowhere.
        stage.start_send("nowhere.test", "--insecure")


class StandardInput(Kind):
    endless = 0.5
    again = False

    def make(self, top, programs):
        trees.write_small_files(top / "source", 1, 1, 10)

    def begin(self, stage):
        stage.start_send(stage.start_recv().port, "--name", "stream", paths=["-"],
                         stdin=stage.pipe(b"x" * 30_000))


class Reconnect(LargeFile):
    """The receiver dies, and the sender waits for another."""

    victims = ("send",)
    send_options = ("--bwlimit", "30M")
    endless = 1.5

    def begin(self, stage):
        super().begin(stage)
        stage.until(lambda: any(trees.files_below(stage.out)))
        stage.recv.kill()
        stage.recv = None


class Wait(SmallFiles):
    victims = ("send",)
    send_options = (*Kind.send_options, "--wait", "1h")
    endless = 1.5

    def begin(self, stage):
        stage.start_send(1)


class Leftovers(SmallFiles):
    """A receiver that starts among very many files that may be gone on with."""

    victims = ("recv",)
    endless = 0.3

    def make(self, top, programs):
        super().make(top, programs)
        own = top / "before/.adoc"
        own.mkdir(parents=True, mode=0o700)
        for i in range(1500):
            stem = f".adoc-{hashlib.md5(str(i).encode()).hexdigest()}"
            for suffix in ("partial", "journal"):
                (own / f"{stem}.{suffix}").write_bytes(b"x")

    def begin(self, stage):
        stage.start_recv(listens=False)


class Idle(SmallFiles):
    victims = ("recv",)
    recv_options = ()
    endless = 0.3

    def begin(self, stage):
        stage.start_recv()


class ListLevels(Kind):
    victims = ("send",)
    endless = 1.0
    again = False

    def make(self, top, programs):
        trees.write_words(top / "source/words", 2 * MEBIBYTE)

    def begin(self, stage):
        stage.send = stage.programs.start("adoc-send", "--list-levels", stage.source / "words",
                                          errors=stage.scratch / "send.err")


KINDS = (SmallFiles, Flush, LargeFile, Plain, SlowLink, Dense, Sparse, Checksum, ChecksumOfHoles,
         Walk, Resume, StalledReceiver, StalledSender, Connect, Handshake, Hello, SilentStrangers,
         SilentStrangersInPlainText, Lookup, StandardInput, Reconnect, Wait, Leftovers, Idle,
         ListLevels)
