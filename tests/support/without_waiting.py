# without_waiting.py FD COMMAND...: becomes the command, with a descriptor that does not wait.
import fcntl
import os
import sys

fd = int(sys.argv[1])
fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
os.execv(sys.argv[2], sys.argv[2:])
