#!/usr/bin/env bash
# Goal: a receiver that is not there yet is waited for as long as was asked, and nothing else is; a
# signal ends the waiting at once; what is connected to is told.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
cd "$T"
mkdir tree
seq 1 1000 >tree/a

# Somebody listens there, and then nobody: a port that is free.
start_recv
free=$PORT
stop_recv

# start_waiting OPTION...: a sender that has found nobody; $SENDER.
start_waiting() {
  rm -f send.err
  "$ADOC_SEND" "$@" tree "127.0.0.1:$free" >send.out 2>send.err &
  SENDER=$!
  eventually grep -qs 'waiting for the receiver' send.err
}

# The receiver comes later.
for keys in '' --insecure; do
  # shellcheck disable=SC2086 # none or one
  start_waiting --wait 1h $keys
  # shellcheck disable=SC2086
  start_recv --listen "127.0.0.1:$free" $keys
  ends 0
  check 'a receiver that comes later gets everything' same_trees tree out/tree
  says send.err 'connection refused' 'waiting for the receiver'
  check 'that is told once' [ "$(grep -c 'waiting for the receiver' send.err)" == 1 ]
  stop_recv
  rm -r out
done

# Nobody comes.
PORT=$free
sends 3 --wait 1s tree
says send.err 'connection refused' 'gave up after 1 s of waiting'
sends 3 tree
check 'who is not told to wait does not' [ "$(grep -c waiting send.err)" == 0 ]
sends 3 --retry 1h tree
check 'what was never there is not lost' [ "$(grep -c again send.err)" == 0 ]
sends 3 --progress always --wait 3s tree
says send.err 'waiting for the receiver'
for signal in INT TERM HUP; do
  start_waiting --wait 1h
  kill -"$signal" "$SENDER"
  ends 130
done

# A tunnel or a proxy that is there before what is behind it: it takes connections and closes them.
mkfifo proxy.in
python3 "$SUPPORT/cutting_proxy.py" "$free" 0 0 <proxy.in >proxy.out 2>proxy.err &
exec 8>proxy.in
eventually test -s proxy.out
behind=$free
free=$(cat proxy.out)
start_waiting --wait 1h
start_recv --listen "127.0.0.1:$behind"
ends 0
check 'a receiver behind a tunnel gets everything' same_trees tree out/tree
stop_recv
exec 8>&-

# What waiting does not help against.
start_recv
ADOC_KEY=adoc1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaj3slr sends 4 --wait 1h tree
sends 4 --wait 1h --insecure tree
sends 0 -v --wait 1h tree
says send.err "connecting to 127.0.0.1:$PORT"
says send.err "connected to 127.0.0.1:$PORT"
stop_recv

for time in 90 90s 10m 2h 0; do sends 2 --wait "$time" --retry "$time" --level 1000 tree; done
check 'these are times' grep -q 'level' send.err
for time in -1 often 5x; do
  expect_exit 2 "$ADOC_SEND" --wait "$time" tree 127.0.0.1
  expect_exit 2 "$ADOC_SEND" --retry "$time" tree 127.0.0.1
done
