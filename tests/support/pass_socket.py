"""Starts a program as a service manager does that has opened the socket for it, descriptor 3.

pass_socket.py WHAT FDS PID PORT_FILE PROGRAM [ARGUMENT...]
  WHAT       listens | two | idle | connected | udp | unix | file | nothing
  FDS        value of LISTEN_FDS, or "unset"
  PID        "own", or the value of LISTEN_PID, or "unset"
  PORT_FILE  where the port of what listens is written
"""

import os
import socket
import sys

what, fds, pid, port_file = sys.argv[1:5]
program = sys.argv[5:]


def listening(family=socket.AF_INET, address=("127.0.0.1", 0)):
    one = socket.socket(family)
    one.bind(address)
    one.listen()
    return one


kept = []
if what in ("listens", "two"):
    kept = [listening() for _ in range(2 if what == "two" else 1)]
    with open(port_file, "w") as file:
        file.write(str(kept[0].getsockname()[1]))
elif what == "idle":
    kept = [socket.socket()]
elif what == "connected":
    door = listening()
    guest = socket.create_connection(door.getsockname())
    os.set_inheritable(guest.fileno(), True)
    kept = [door.accept()[0]]
elif what == "udp":
    kept = [socket.socket(type=socket.SOCK_DGRAM)]
elif what == "unix":
    kept = [listening(socket.AF_UNIX, "")]
elif what == "file":
    kept = [open("/dev/null")]
# High first, so that none is lost when another one takes its place.
high = [os.dup2(one.fileno(), 100 + i) for i, one in enumerate(kept)]
for i in range(3, 20):
    try:
        os.close(i)
    except OSError:
        pass
for i, number in enumerate(high):
    os.dup2(number, 3 + i)
    os.close(number)
for name, value in (("LISTEN_FDS", fds), ("LISTEN_PID", str(os.getpid()) if pid == "own" else pid)):
    if value == "unset":
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
os.execv(program[0], program)
