#!/usr/bin/env bash
# Goal: a transfer over several connections arrives as it was sent, with TLS and without; any of
# them may be cut at any moment, and neither program notices; what a receiver takes is bounded;
# others that know nothing of it go on with one.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
work_in_memory 200000
mkdir tree
head -c 30000000 /dev/urandom >tree/big
for i in $(seq 300); do echo "small $i" >"tree/small-$i"; done

# connections: how many the receiver has.
connections() { python3 "$SUPPORT/cut_connections.py" "$RECV_PID" count; }
has_connections() { (($(connections) >= $1)); }

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

# One after the other is cut, at one end or at the other, by numbers that a seed gives.
RANDOM=${ADOC_TEST_SEED:-$(od -An -N2 -tu2 /dev/urandom)}
echo "ADOC_TEST_SEED=$RANDOM"
for round in 1 2 3; do
  start_recv
  "$ADOC_SEND" --json --streams 4 --bwlimit 12M tree "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
  eventually has_connections 4
  # Both directions have changed to records.
  sleep 0.4
  for _ in 1 2 3 4 5 6; do
    end=$RECV_PID
    ((RANDOM % 2)) || end=$SENDER
    python3 "$SUPPORT/cut_connections.py" "$end" close "$RANDOM" >/dev/null || true
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  done
  ends 0
  check "round $round: identical" same_trees tree out/tree
  figures_are retries=0 committed=302
  [[ ! -s recv.err ]] || ! grep -i 'lost' recv.err || fail 'the receiver took a transfer for lost'
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
