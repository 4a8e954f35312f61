"""Passes TCP connections on and cuts them, by a plan of a seed's and as it is told.

    moody_proxy.py TARGET_PORT [CUTS BYTES SEED]

Prints the port that it listens on. Each of the first CUTS connections is cut after some bytes of
one direction, often few, and after BYTES from the sender at the latest: at both ends, with an end
or a reset, or at one end alone, while the other one hears nothing and is not told. Prints "cut"
each time. Commands, by lines of its standard input, with which it ends:

    cut     cuts all that there are, at both ends, and lets nobody in
    mute    what comes back is passed on no more, until the next cut
    lose    what comes from the sender is read and passed on no more, until the next cut; prints
            "lost N" for each N mebibytes of it
    leave   those that there are stay, and nobody reads what comes over them
    on      lets others in again
"""
import os
import random
import selectors
import socket
import struct
import sys

target = int(sys.argv[1])
cuts, most, seed = (int(argument) for argument in (sys.argv[2:5] or ("0", "1", "0")))
chance = random.Random(seed)
selector = selectors.DefaultSelector()
is_on = True
is_mute = False
is_losing = False
lost = 0


def reset(end):
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Link:
    def __init__(self, client, server, plan):
        self.ends = {client: server, server: client}
        self.client = client
        self.server = server
        self.left, self.way, self.how = plan or (None, None, None)
        self.left_there = most
        for end in self.ends:
            selector.register(end, selectors.EVENT_READ, self)

    def close(self, ends):
        for end in ends:
            if end in self.ends:
                selector.unregister(end)
                end.close()
        for end in ends:
            self.ends.pop(end, None)
        # One that is left alone is not read any more, and stays.
        for end in self.ends:
            selector.unregister(end)
            kept.append(end)
        self.ends = {}
        if self in links:
            links.remove(self)

    def cut(self):
        if self.how in ("reset", "client", "server"):
            reset(self.client), reset(self.server)
        ends = {"client": [self.client], "server": [self.server]}
        self.close(ends.get(self.how, [self.client, self.server]))
        print("cut", flush=True)

    def hear(self, end):
        global lost
        if end not in self.ends:
            return
        if is_mute and end is self.server:
            selector.unregister(end)
            muted.append((self, end))
            return
        try:
            data = end.recv(16384)
            counts = self.left is not None and (end is self.client) == (self.way == "there")
            if counts:
                data = data[: self.left]
                self.left -= len(data)
            if self.left is not None and end is self.client:
                self.left_there -= len(data)
            if data and is_losing and end is self.client:
                before = lost
                lost += len(data)
                if lost >> 20 != before >> 20:
                    print("lost", lost >> 20, flush=True)
            elif data:
                self.ends[end].sendall(data)
            if counts and self.left == 0 or self.left_there <= 0:
                self.cut()
            elif not data:
                self.close([self.client, self.server])
        except OSError:
            self.close([self.client, self.server])


kept = []
links = []
muted = []
listener = socket.create_server(("127.0.0.1", 0))
selector.register(listener, selectors.EVENT_READ)
selector.register(0, selectors.EVENT_READ)
print(listener.getsockname()[1], flush=True)
made = 0
commands = b""
while True:
    for key, _ in selector.select():
        if key.fileobj is listener:
            client, _ = listener.accept()
            if not is_on:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", target))
            except OSError:
                client.close()
                continue
            plan = None
            if made < cuts:
                way = chance.choice(("there", "there", "back"))
                # Of what comes back there is less.
                limit = most if way == "there" else most // 600
                # As often between 100 and 1,000 as between 10,000 and 100,000.
                plan = (int(limit ** chance.uniform(0.4, 1)), way,
                        chance.choice(("end",) * 5 + ("reset",) * 5 + ("client", "server")))
            made += 1
            links.append(Link(client, server, plan))
        elif key.fileobj == 0:
            got = os.read(0, 4096)
            if not got:
                os._exit(0)
            commands += got
            while b"\n" in commands:
                command, commands = commands.split(b"\n", 1)
                if command == b"cut":
                    is_on = is_mute = is_losing = False
                    lost = 0
                    for link, end in muted:
                        if end in link.ends:
                            selector.register(end, selectors.EVENT_READ, link)
                    muted = []
                    for link in list(links):
                        link.how = "end"
                        link.cut()
                if command == b"leave":
                    for link in list(links):
                        link.close([])
                is_mute = is_mute or command == b"mute"
                is_losing = is_losing or command == b"lose"
                is_on = is_on or command == b"on"
        else:
            key.data.hear(key.fileobj)
