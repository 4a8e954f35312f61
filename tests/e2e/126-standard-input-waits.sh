#!/usr/bin/env bash
# Goal: what comes from standard input over one connection arrives as it was given, although either
# side pauses, is silent, or stays behind a connection that nobody reads; who waits for another one
# waits no longer than it may, and is told when nobody comes.
set -euo pipefail
source "$(dirname "$0")/../support/standard_input.sh"

# The one that gives it pauses, and ends, while there is no connection.
start_recv
start_proxy
begin
cat noise >&7
eventually test -s "$T/send.err"
eventually arrived
tell cut
eventually grep -q 'connecting again' send.err
tail -c +3000001 data >&7 &
feeder=$!
eventually is_new send.err 'connecting again' 1
tell on
wait "$feeder"
tell cut
eventually is_new send.err 'connecting again' 2
exec 7>&-
tell on
ends 0
arrives 'a pause'
check 'it is told' [ "$(figure retries)" -ge 1 ]
says send.err 'is lost' 'connecting again in'
says send.err 'connected again'
check 'the receiver has one transfer' \
  [ "$(grep -c 'transfer 1 from.*received 1 file' recv.err)" == 1 ]
stop_recv
rm out/data

# All is there, and committed, and the sender has not heard it.
start_recv
start_proxy
begin
cat noise >&7
eventually arrived
tell mute
exec 7>&-
eventually test -e out/data
was=$(stat -c %i:%Y out/data)
check 'the sender does not know' kill -0 "$SENDER"
tell cut
tell on
ends 0
check 'committed: it is there' cmp noise out/data
check 'committed: once' [ "$(stat -c %i:%Y out/data)" == "$was" ]
figures_are committed=1 retries=1
stop_recv
check 'committed: the receiver agrees' [ "$(grep -c 'received 1 file' recv.err)" == 1 ]
rm out/data

# More is on its way than a short path holds: what does not arrive is sent again all the same. More
# than is kept at all: nothing waits for that, and now the loss is one.
for copies in 5 14; do
  start_recv
  start_proxy
  begin --level 0
  cat noise >&7
  eventually arrived
  tell lose
  for ((i = 0; i < copies; ++i)); do cat noise; done >&7
  mebibytes=$((copies * 3000000 >> 20))
  eventually grep -q "lost $((mebibytes - 1))" proxy.out
  # At once: a sender that gives up looks for another connection to say so, and not twice.
  tell $'cut\non'
  if ((mebibytes < 32)); then
    exec 7>&-
    ends 0
    for ((i = 0; i <= copies; ++i)); do cat noise; done >whole
    check "$mebibytes MiB on the way: it arrives" cmp whole out/data
    rm whole out/data
  else
    ends 3
    exec 7>&-
    says send.err 'what standard input gave is gone, so nothing can go on'
    eventually grep -q 'transfer 1 from.*failed' recv.err
  fi
  stop_recv
done

# One that is silent for too long, and there again.
start_recv
begin --timeout 1s
cat noise >&7
eventually arrived
kill -STOP "$RECV_PID"
eventually grep -q 'nothing heard from .* for 1 s.*connecting again' send.err
kill -CONT "$RECV_PID"
tail -c +3000001 data >&7
exec 7>&-
ends 0
arrives 'a silence'
stop_recv
rm out/data

# Some that stay although nobody reads them: nothing is left to one of them, to wait there.
start_recv
start_proxy
begin --timeout 1s
cp noise whole
cat noise >&7
for left in 1 2 3 4 5 6; do
  eventually grew_to $((left * 2900))k
  tell leave
  cat noise >&7
  cat noise >>whole
done
exec 7>&-
ends 0
check 'some that stay: it arrives' cmp whole out/data
attempts=$(grep -c 'connecting again' send.err)
check 'each is lost once' [ "$attempts" -le 8 ]
stop_recv
rm whole out/data

# A receiver that was started again does not know it, and says so at once.
start_recv
at=$PORT
begin
cat noise >&7
eventually arrived
kill -KILL "$RECV_PID"
recv_ends 137
start_recv --listen "127.0.0.1:$at"
ends 3
exec 7>&-
says send.err 'is lost' 'what standard input gave is gone, so nothing can go on'
stop_recv

# What may not be tried again is lost at once; what may is given up in time.
for retry in 0 1s; do
  start_recv --timeout 1s
  start_proxy
  begin --retry "$retry"
  cat noise >&7
  eventually arrived
  is_lost
  attempts=$(grep -c 'connecting again' send.err || true)
  if [[ $retry == 0 ]]; then
    check 'no attempt if it may not' [ "$attempts" == 0 ]
  else
    says send.err 'gave up after 1 s without a connection'
    check 'more than one attempt' [ "$attempts" -ge 2 ]
  fi
  eventually grep -q 'transfer 1 from.*failed' recv.err
  stop_recv
  check "--retry $retry: nothing half-written" [ ! -e out/data ]
done

# A sender that waits for a connection can be stopped.
start_recv --timeout 1s
start_proxy
begin
cat noise >&7
eventually arrived
tell cut
eventually grep -q 'connecting again' send.err
kill -INT "$SENDER"
ends 130
exec 7>&-
eventually grep -q 'transfer 1 from.*failed' recv.err
# And one that finds one when its receiver waits no longer is told so.
tell on
begin
cat noise >&7
eventually arrived
tell cut
eventually grep -q 'transfer 2 from.*failed' recv.err
tell on
ends 3
exec 7>&-
says send.err 'what standard input gave is gone, so nothing can go on'
stop_recv

# A sender that is stopped says so: its place is free at once. One that is killed cannot.
start_recv --timeout 60s --max-transfers 1
for signal in INT KILL; do
  begin
  cat noise >&7
  eventually arrived
  kill "-$signal" "$SENDER"
  wait "$SENDER" || true
  exec 7>&-
  [[ $signal == INT ]] || break
  sends 0 noise
  check 'the next one has its turn' cmp noise out/noise
  rm out/noise
done
kill -KILL "$RECV_PID"
recv_ends 137
start_recv --timeout 1s --once
begin
cat noise >&7
eventually arrived
kill -KILL "$SENDER"
recv_ends 3
exec 7>&-
check 'killed: nothing half-written' [ ! -e out/data ]

# Where there is no room for that it is lost, as it was.
start_recv --memory 120M
start_proxy
begin
cat noise >&7
eventually arrived
is_lost
stop_recv
