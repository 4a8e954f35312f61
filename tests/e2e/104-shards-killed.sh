#!/usr/bin/env bash
# Goal: four senders at once of which each has a part of the same files, while their receiver is
# killed and started again and again, and they themselves, too: each ends well when it is repeated,
# and the tree is there.
set -euo pipefail
source "$(dirname "$0")/../support/shards.sh"

cd "$T"
mkdir tree
for size in 41000000 26000001 8400000; do head -c $size /dev/urandom >"tree/$size"; done
for i in {1..40}; do head -c $((i * 3001)) /dev/urandom >"tree/small-$i"; done
touch -d '2020-01-01 UTC' tree/* tree
start_recv -q
ADDRESS=127.0.0.1:$PORT

# begin K: the sender goes on by itself when the receiver comes back.
begin() {
  "$ADOC_SEND" -q --level 0 --bwlimit 6M --retry 60 --shard "$1/4" tree "$ADDRESS" 2>"$1.err" &
  pids[$1]=$!
}
# The receiver again, at its address, which another program's connection may have got meanwhile.
start_again() {
  local try
  for try in {1..100}; do
    : >recv.out
    "$ADOC_RECV" -q --out out --listen "$ADDRESS" >>recv.out 2>recv.err &
    RECV_PID=$!
    eventually listens_or_ends
    if grep -q '^listening' recv.out; then return; fi
    grep -q 'in use' recv.err || fail "it does not start again: $(cat recv.err)"
    sleep 0.05
  done
  fail "try $try: its port stays taken"
}
listens_or_ends() {
  grep -q '^listening' recv.out || ! kill -0 "$RECV_PID" 2>/dev/null ||
    [[ $(process_state "$RECV_PID") == Z ]]
}

pids=()
for k in 1 2 3 4; do begin $k; done
# What has its name is in no table any more, so the last kills may find fewer.
for wanted in 3 6 9 12; do
  has_pieces() { (($(pieces) >= wanted)) || [[ -e out/tree/41000000 ]]; }
  eventually has_pieces
  kill -KILL "$RECV_PID" || fail "the receiver has ended: $(cat recv.err)"
  wait "$RECV_PID" 2>/dev/null || true
  if ((wanted == 6)); then
    kill -KILL "${pids[2]}"
    wait "${pids[2]}" 2>/dev/null || true
  fi
  start_again
  ((wanted != 6)) || begin 2
done
for k in 1 2 3 4; do ends 0 "${pids[k]}" 60; done
check 'the tree is there' same_trees tree out/tree
nothing_left_over
PORT=${ADDRESS##*:}
each_shard 4 -q tree
check 'and nothing is left to send' [ "$(sum bytes 4)" == 0 ]
