#!/usr/bin/env bash
# Goal: a transfer over several connections arrives as it was sent, with TLS and without; any of
# them, and all at once, may be cut or fall silent, and nothing is sent anew; what a receiver takes
# is bounded; others that know nothing of it go on with one.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
work_in_memory 200000
mkdir tree
head -c 30000000 /dev/urandom >tree/big
for i in $(seq 300); do echo "small $i" >"tree/small-$i"; done

for how in '' --insecure; do
  # shellcheck disable=SC2086 # none or one word
  start_recv $how
  # shellcheck disable=SC2086
  sends 0 --json --streams 4 --bwlimit 40M $how tree
  check "several connections${how:+, not encrypted}: identical" same_trees tree out/tree
  figures_are retries=0 committed=302
  nothing_left_over
  stop_recv
  rm -r out/tree
done

# Standard input, which cannot be sent again, lasts until there was enough of it.
head -c 1000000 /dev/urandom >piece
feed() { until [[ -e enough ]]; do cat piece; done; }

# begin OPTION...: sends it over four connections, of which any may be lost from then on.
begin() {
  rm -rf enough sent out/data
  : >send.err # what the sender before said is not what this one says
  start_recv "$@"
  feed | tee sent | "$ADOC_SEND" -v --json --streams 4 --bwlimit 8M --retry 0 "$@" --name data - \
    "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
  eventually grep -q '4 connections are there' send.err
}

# finish WHAT: all of it arrives, and nobody has noticed anything.
finish() {
  touch enough
  ends 0
  check "$1: identical" cmp sent out/data
  figures_are streams=4 retries=0 committed=1
  # But for one that was cut before it was let in.
  check "$1: the receiver says nothing of it" \
    [ "$(grep -v 'was not let in' recv.err | grep -ci lost)" == 0 ]
  stop_recv
}

break_up() { python3 "$SUPPORT/cut_connections.py" "$@" 2>/dev/null; }
# is_cut ARGUMENT...: there was one to be cut.
is_cut() {
  kill -0 "$SENDER" 2>/dev/null || fail "the sender has ended: $(cat send.err send.out recv.err)"
  (($(break_up "$@" || echo 0) > 0))
}

# One after the other is cut, at one end or at the other, by numbers that a seed gives; then all
# that there are at once.
SEED=${ADOC_TEST_SEED:-$(od -An -N2 -tu2 /dev/urandom)}
echo "ADOC_TEST_SEED=$((SEED))"
RANDOM=$SEED
for how in '' --insecure; do
  # shellcheck disable=SC2086
  begin $how
  for _ in 1 2 3 4 5 6; do
    end=$RECV_PID
    ((RANDOM % 2)) || end=$SENDER
    eventually is_cut "$end" close "$RANDOM"
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
  done
  eventually is_cut "$RECV_PID" close
  finish "cut${how:+, not encrypted}"
done

# Nothing comes over one of them any more, and nobody says so: what it has not brought across goes
# over the others, and another one takes its place.
begin
eventually is_cut "$RECV_PID" silence "$RANDOM"
eventually grep -q '3 connections are there' send.err
comes_back() { [[ $(grep 'connections are there' send.err | tail -n 1) == *' 4 '* ]]; }
eventually comes_back
finish 'silent'

# A receiver that is killed and started again knows nothing of the transfer, which begins anew as
# soon as that is heard, not when nothing has come for long.
: >send.err
start_recv
"$ADOC_SEND" -v --json --streams 4 --bwlimit 3M tree "127.0.0.1:$PORT" >send.out 2>send.err &
SENDER=$!
eventually grep -q '4 connections are there' send.err
at=$PORT
kill -KILL "$RECV_PID"
recv_ends 137
start_recv --listen "127.0.0.1:$at"
ends 0
check 'started again: identical' same_trees tree out/tree
figures_are retries=1 committed=302
says send.err 'connecting again'
check 'started again: heard at once' [ "$(grep -c 'nothing heard' send.err)" == 0 ]
stop_recv
rm -r out/tree

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
