#!/usr/bin/env bash
# Goal: over a link whose round trips are all that takes time, how many of them a tree of small
# files takes does not depend on how many files it has; also where all of it is there already.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
work_in_memory 150000
head -c 4096 /dev/urandom >4k

# tree NAME FILES: so many of 4 KiB, 500 in a directory.
tree() {
  python3 - "$@" <<'PROGRAM'
import os, sys
name, count = sys.argv[1], int(sys.argv[2])
for i in range(count):
    if i % 500 == 0:
        os.makedirs(f"{name}/{i // 500}")
    os.link("4k", f"{name}/{i // 500}/{i}")
PROGRAM
}

# rounds TREE: $ROUNDS, how often something had to cross before something else could be
# said; of two ways, a round trip is two.
rounds() {
  local proxy
  start_recv --insecure --once --timeout 600
  rm -f begin proxy.out
  mkfifo begin
  # It has to know whom it looks at, and the sender where to connect to.
  (read -r <begin && exec "$ADOC_SEND" --insecure --json --streams 1 --no-remember --level 0 \
    --timeout 600 "$1" "127.0.0.1:$(head -n 1 proxy.out)") >send.out 2>send.err &
  SENDER=$!
  python3 "$SUPPORT/rounds_proxy.py" "$PORT" "$SENDER" "$RECV_PID" >proxy.out &
  proxy=$!
  eventually test -s proxy.out
  echo >begin
  ends 0 "$SENDER" 200
  ends 0 "$proxy" 60
  recv_ends 0
  ROUNDS=$(sed -n 2p proxy.out | cut -d' ' -f1)
  echo "    $1: $ROUNDS ways"
}

tree few 200
tree some 2000
tree many 7000
rounds few
few=$ROUNDS
# The receiver's hello, what it wants, and what it has committed.
check 'a transfer is two round trips, and one more to connect' [ "$few" -le 6 ]
rounds some
figures_are files=2000
check 'ten times the files take no more of them' [ "$ROUNDS" -le "$few" ]
rounds many
figures_are files=7000
# Until it has heard the receiver, a sender does not know how much it may offer.
check 'many take one way more, whatever their number' [ "$ROUNDS" -le $((few + 1)) ]
check 'they arrive' diff -rq many out/many
rounds many
figures_are files=7000 committed=0
check 'nor do those that are there' [ "$ROUNDS" -le $((few + 1)) ]
