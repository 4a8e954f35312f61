#!/usr/bin/env bash
# Goal: a file of several senders gets its name when all of it is there, whoever brings the last
# part: after kills, over receivers that are started again or run side by side, and never of two
# states of its source.
set -euo pipefail
source "$(dirname "$0")/../support/shards.sh"

cd "$T"
mkdir tree
head -c 50000000 /dev/urandom >tree/large
head -c 21000000 /dev/urandom >tree/other
touch -d '2020-01-01 UTC' tree/large tree/other tree

# One after the other, each over a receiver of its own.
for k in 2 3; do
  start_recv -q --once
  shard "$k/3" -q tree
  recv_ends 0
  check 'a file that is not whole has no name' [ ! -e out/tree/large ]
  [[ $(figure in_parts "$T/$k-3.out") == 2 ]] || fail "not in parts: $(cat "$T/$k-3.out")"
done
start_recv --once
says recv.err 'unfinished' '2 files'
shard 1/3 -q tree
recv_ends 0
check 'the last part makes it whole' same_trees tree out/tree
nothing_left_over
check 'nothing is sent twice' [ "$(sum bytes 3)" == 71000000 ]
rm -r out

# Killed in the middle, on both sides: what is whole of a part is not sent again.
start_recv -q
"$ADOC_SEND" -q --retry 0 --bwlimit 4M --level 0 --shard 1/2 tree "127.0.0.1:$PORT" 2>send.err &
# shellcheck disable=SC2034 # of ends
SENDER=$!
has_piece() { (($(pieces) > 0)); }
eventually has_piece
# However long the other one takes, this one is in the middle.
kill -STOP "$SENDER"
shard 2/2 -q tree
kill -KILL "$RECV_PID"
recv_ends 137
kill -CONT "$SENDER"
ends 3
check 'a file without its first part has no name' [ ! -e out/tree/large ]
start_recv -q
shard 1/2 -q tree
check 'the part is gone on with' [ "$(figure resumed_bytes 1-2.out)" -ge 4194304 ]
check 'and then the tree is whole' same_trees tree out/tree
shard 2/2 -q tree
check 'the other part is there' [ "$(figure bytes 2-2.out)" == 0 ]
nothing_left_over
empty_out

# Two receivers with one directory, and two senders of one part.
"$ADOC_RECV" -q --out out --listen 127.0.0.1:0 >second.out 2>second.err &
SECOND=$!
eventually grep -q listening second.out
OTHER=$(sed -n 's/.*://p' second.out)
for k in 1 2 3 4; do
  ((k % 2)) && to=$PORT || to=$OTHER
  "$ADOC_SEND" -q --shard $k/4 tree "127.0.0.1:$to" 2>"$k.err" &
  pids[k]=$!
done
for k in 1 2 3 4; do wait "${pids[k]}" || fail "sender $k: $(cat "$k.err")"; done
check 'over two receivers' same_trees tree out/tree
kill -TERM "$SECOND"
ends 130 "$SECOND"
nothing_left_over
empty_out

# A source that changes between two senders, of the same size and time.
shard 1/2 -q tree
change_byte tree/large 30000000
touch -d '2020-01-01 UTC' tree/large
sends 1 -q --shard 2/2 tree
says send.err large 'has changed'
check 'no file is made of two states' [ ! -e out/tree/large ]
check 'one that has not changed is' cmp tree/other out/tree/other
sends 1 -q --shard 2/2 tree
shard 1/2 -q tree
check 'once all have sent it again it is whole' same_trees tree out/tree
check 'the part that was kept is not sent again' [ "$(figure bytes 1-2.out)" -lt 30000000 ]
nothing_left_over
empty_out

# Copies of the source: compared by contents.
shard 1/2 -q --checksum tree
cp -a tree copy && mv tree tree.first && mv copy tree
shard 2/2 -q --checksum tree
check 'senders of copies compare contents' same_trees tree out/tree
empty_out
rm -rf tree && mv tree.first tree

# Other numbers of senders: pieces count, whoever had them.
shard 1/2 -q tree
each_shard 3 -q tree
check 'another number of senders goes on' same_trees tree out/tree
check 'and sends only what is missing' [ "$(sum bytes 3)" -lt 48000000 ]
nothing_left_over
empty_out

shard 1/2 -q tree
shard 1/2 -q --no-resume tree
check 'or starts over' [ "$(figure bytes 1-2.out)" -gt 20000000 ]
sends 0 -q tree
check 'one sender alone brings what is missing' same_trees tree out/tree
sends 0 -n --shard 1/2 tree
check 'a dry run finds all there' empty send.out
empty_out
sends 0 -n --shard 1/2 tree
check 'a dry run lists what a sender has a part in' grep -qx tree/large send.out
check 'and makes nothing' [ -z "$(ls -A out)" ]
