#!/usr/bin/env bash
# Goal: a transfer over several connections arrives as it was sent, with TLS and without; any of them
# may be cut at any moment, and neither program notices; what a receiver takes is bounded; others
# that know nothing of it go on with one.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
work_in_memory 200000
mkdir tree
head -c 30000000 /dev/urandom >tree/big
for i in $(seq 300); do echo "small $i" >"tree/small-$i"; done

# has_connections NUMBER PID: the process has as many, or more.
has_connections() {
  local count
  count=$(python3 "$SUPPORT/cut_connections.py" "$2" count 2>/dev/null) && ((count >= $1))
}

for how in '' --insecure; do
  # shellcheck disable=SC2086 # none or one word
  start_recv $how
  # shellcheck disable=SC2086
  sends 0 --json --streams 4 --bwlimit 40M $how tree
  check "four connections${how:+, not encrypted}: identical" same_trees tree out/tree
  figures_are streams=4 retries=0 committed=302
  nothing_left_over
  stop_recv
  rm -r out/tree
done

# One after the other is cut, at one end or at the other, by numbers that a seed gives; the first one
# only in the last round: before both directions have changed to records it takes the transfer with
# it, and who can say when they have.
RANDOM=${ADOC_TEST_SEED:-$(od -An -N2 -tu2 /dev/urandom)}
echo "ADOC_TEST_SEED=$RANDOM"
for round in 1 2; do
  start_recv
  "$ADOC_SEND" --json --streams 4 --bwlimit 8M tree "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
  eventually has_connections 4 "$RECV_PID"
  ((round < 2)) || sleep 0.4
  cuts=0
  while kill -0 "$SENDER" 2>/dev/null && ((cuts < 6)); do
    end=$RECV_PID
    ((RANDOM % 2)) || end=$SENDER
    has_connections 3 "$end" || continue
    which=$RANDOM
    ((round == 2)) || which=$((1 + RANDOM % 2))
    ((cuts += $(python3 "$SUPPORT/cut_connections.py" "$end" close "$which" 2>/dev/null || echo 0)))
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  done
  ends 0
  check "round $round: identical" same_trees tree out/tree
  check "round $round: some were cut" [ "$cuts" -ge 2 ]
  figures_are committed=302
  ((round == 2)) || figures_are retries=0
  check "round $round: at most the first took it along" [ "$(figure retries)" -le 1 ]
  stop_recv
  rm -r out/tree
done

# Where nothing may join it goes on with one.
start_recv --memory 120M
sends 0 --json --streams 4 tree
check 'too little memory: identical' same_trees tree out/tree
figures_are streams=1 retries=0
stop_recv
rm -r out/tree

# The option is checked.
sends 2 --streams 0 tree
says send.err '--streams' 'from 1 to 16'
sends 2 --streams 17 tree
sends 2 --streams many tree
