"""One transfer, or the beginning of one, that is going to be interrupted."""
import os
import shutil
import socket
import subprocess
import time

from programs import Failure


class Stage:
    """`top` has what the kind of work made; `out` and all that is started is of this moment."""

    def __init__(self, kind, programs, top, scratch):
        self.kind, self.programs, self.top = kind, programs, top
        self.source, self.scratch = top / "source", scratch
        self.out = top / "out"
        self.send = self.recv = None
        self.helpers = []
        shutil.rmtree(self.out, ignore_errors=True)
        if (top / "before").exists():
            shutil.copytree(top / "before", self.out, symlinks=True, copy_function=shutil.copy2)

    def start_recv(self, *options, listens=True):
        errors = self.scratch / "recv.err"
        options = (*self.kind.recv_options, *options)
        if listens:
            self.recv = self.programs.receiver(self.out, *options, errors=errors)
        else:
            self.recv = self.programs.start("adoc-recv", "--out", self.out, "--listen",
                                            "127.0.0.1:0", *options, errors=errors)
        return self.recv

    def start_send(self, to, *options, paths=None, stdin=subprocess.DEVNULL):
        if isinstance(to, int):
            to = f"127.0.0.1:{to}"
        if paths is None:
            paths = sorted(self.source.iterdir())
        self.send = self.programs.start("adoc-send", *self.kind.send_options, *options, *paths, to,
                                        errors=self.scratch / "send.err", stdin=stdin)
        return self.send

    def silent_listener(self):
        """Takes connections and says nothing; its port."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.helpers.append(listener)
        return listener.getsockname()[1]

    def dead_listener(self):
        """Neither takes connections nor refuses them; its port."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        self.helpers.append(listener)
        while True:
            waiting = socket.socket()
            self.helpers.append(waiting)
            waiting.settimeout(0.1)
            try:
                waiting.connect(listener.getsockname())
            except TimeoutError:
                return listener.getsockname()[1]

    def stranger(self, words=b""):
        """Connects to the receiver, says that and holds the connection."""
        connection = socket.create_connection(("127.0.0.1", self.recv.port))
        self.helpers.append(connection)
        connection.sendall(words)

    def pipe(self, first_bytes):
        """A standard input that says no more after that."""
        read, write = (open(fd, mode, buffering=0) for fd, mode in zip(os.pipe(), ("rb", "wb")))
        self.helpers += [read, write]
        write.write(first_bytes)
        return read

    def until(self, what, seconds=10):
        end = time.monotonic() + seconds
        while not what():
            if time.monotonic() > end:
                raise Failure(f"{self.kind.name}: the scene does not come about")
            time.sleep(0.002)

    def end(self):
        for program in (self.send, self.recv):
            if program is not None:
                program.kill()
        for helper in self.helpers:
            helper.close()
        self.helpers.clear()
