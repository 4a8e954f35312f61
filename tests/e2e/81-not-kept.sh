#!/usr/bin/env bash
# Goal: what is in a tree and cannot be sent is no failure, and what of it is not kept is said once.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

start_recv -q
cd "$T"
mkdir -p tree/sub
seq 100 >tree/file
sends 0 tree
check 'nothing is said where everything is kept' [ -z "$(grep -i 'not ' send.err)" ]
for i in 1 2 3 4; do mkfifo "tree/sub/fifo$i"; done
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("tree/socket")'
sends 0 --no-resume tree
check 'one line is said of all' [ "$(grep -c 'not sent' send.err)" == 1 ]
says send.err '5 files are not sent' tree/ 'and 2 more'
check 'the rest arrives' cmp tree/file out/tree/file
check 'and nothing in their place' [ -z "$(find out -type p -o -type s)" ]
sends 0 tree/
check 'also of contents' cmp tree/file out/file
mkfifo -m 600 other
sends 1 tree/file other
says send.err other 'not a file'
rm -r tree/socket tree/sub/fifo* other

# A name that a FIFO has is free for what another source has under it.
mkdir -p first second
mkfifo first/name
echo sent >second/name
sends 0 first/ second/
check 'what is not sent keeps nothing out' [ "$(<out/name)" == sent ]
empty_out

ln tree/file tree/sub/again
sends 0 tree
check 'hard links are no warning' [ -z "$(grep 'not kept' send.err)" ]
empty_out
sends 0 -v tree
says send.err 'not kept' 'hard links of 2'
empty_out
if command -v setfacl >/dev/null && setfacl -m u:12345:r tree/file 2>/dev/null; then
  sends 0 tree
  says send.err 'not kept' 'access control lists of 2'
  setfacl -b tree/file
  empty_out
else
  echo 'not tried: ACLs'
fi
if command -v setfattr >/dev/null && setfattr -n user.note -v x tree/file 2>/dev/null; then
  sends 0 -v tree
  says send.err 'not kept' 'extended attributes of 2'
else
  echo 'not tried: extended attributes'
fi
stop_recv
