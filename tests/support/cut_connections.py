"""Cuts the TCP connections of a process, as root.

    cut_connections.py PID close|silence|deaf|receive [NUMBER]

Prints how many there were. receive: cuts none, and counts those that have brought 8 KiB and more,
each once. With a NUMBER only one of them, which that number leads to. close: both
ends find out. silence: what comes for this end is thrown away, as by a firewall that has changed
its mind, so that nobody hears anything any more. deaf: it listens no more, and what is connected
stays. What one end has cut already is none any more.
"""
import ctypes
import os
import socket
import struct
import sys

SYS_PIDFD_GETFD = 438
process, how = int(sys.argv[1]), sys.argv[2]
number_of_one = int(sys.argv[3]) if len(sys.argv) > 3 else None
libc = ctypes.CDLL(None, use_errno=True)
pidfd = os.pidfd_open(process)


def silence(connection):
    # One instruction of BPF: return 0, which keeps nothing of a packet.
    program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
    filter_ = struct.pack("HL", 1, ctypes.addressof(program))
    connection.setsockopt(socket.SOL_SOCKET, 26, filter_)  # SO_ATTACH_FILTER


def has_received(connection):
    # tcpi_bytes_received of tcp_info.
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 136)
    return struct.unpack_from("Q", info, 128)[0] >= 8 << 10


found = []
inodes = set()
for number in os.listdir(f"/proc/{process}/fd"):
    try:
        if not os.readlink(f"/proc/{process}/fd/{number}").startswith("socket:"):
            continue
    except FileNotFoundError:
        continue
    fd = libc.syscall(SYS_PIDFD_GETFD, pidfd, int(number), 0)
    if fd < 0:
        continue
    connection = socket.socket(fileno=fd)
    if connection.family not in (socket.AF_INET, socket.AF_INET6):
        continue
    listens = connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) != 0
    # The first byte of tcp_info is the state; 2: being connected.
    is_open = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in (1, 2)
    if listens == (how == "deaf") and (listens or is_open):
        found.append(connection)
        if not listens and has_received(connection):
            inodes.add(os.fstat(fd).st_ino)

if how == "receive":
    print(len(inodes))
    sys.exit(0)
if number_of_one is not None and found:
    found = [found[number_of_one % len(found)]]
cuts = 0
for connection in found:
    try:
        if how == "silence":
            silence(connection)
        else:
            connection.shutdown(socket.SHUT_RDWR)
        cuts += 1
    except OSError:
        pass
print(cuts)
