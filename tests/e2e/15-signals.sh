#!/usr/bin/env bash
# Goal: whoever is ended under way ends at once and cleanly, and the other side notices, says so and
# leaves nothing half-written; one transfer's end is not another's.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
echo good >good
mkfifo pace
has_temporary() { [[ -n $(find out -name '.adoc-*' -print -quit 2>/dev/null) ]]; }

# start_send ARGUMENT...: in the background; $SENDER.
start_send() {
  "$ADOC_SEND" "$@" "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
}
# start_busy_send: the link is full when this returns.
start_busy_send() {
  "$ADOC_SEND" --level 0 good --name stream - "127.0.0.1:$PORT" </dev/urandom >send.out 2>send.err &
  SENDER=$!
  eventually has_temporary
}
# start_silent_send OPTION...: something was sent, and standard input says no more.
start_silent_send() {
  "$ADOC_SEND" "$@" good --name stream - "127.0.0.1:$PORT" <pace >send.out 2>send.err &
  SENDER=$!
  exec 7>pace
  head -c 300000 /dev/zero >&7
  eventually has_temporary
}
for kind in busy silent; do
  for signal in INT TERM; do
    rm -rf out
    start_recv --once
    "start_${kind}_send"
    kill -"$signal" "$SENDER"
    ends 130 "$SENDER" 5
    check "SIG$signal ends a $kind sender" grep -q 'interrupted' send.err
    ends 3 "$RECV_PID" 5
    check 'its receiver says that it is gone' grep -q 'went away before its end' recv.err
    nothing_left_over
    check 'nothing half-written' [ ! -e out/stream ]

    rm -rf out
    start_recv
    "start_${kind}_send"
    kill -"$signal" "$RECV_PID"
    ends 130 "$RECV_PID" 5
    check "SIG$signal ends the receiver of a $kind sender" grep -q 'interrupted' recv.err
    ends 3 "$SENDER" 5
    check 'its sender says why' grep -q 'the receiver gave up: interrupted' send.err
    nothing_left_over
    check 'nothing half-written' [ ! -e out/stream ]
  done
done

exec 7>&-  # not for what is started from here on

# A receiver that vanishes without a word, while standard input is silent.
rm -rf out
start_recv
start_silent_send --retry 0
kill -KILL "$RECV_PID"
ends 3 "$SENDER" 5
check 'a sender with a silent standard input notices that its receiver died' \
  grep -q 'is lost' send.err
wait "$RECV_PID" 2>/dev/null || true
exec 7>&-

# A sender that vanishes without a word: it might come back as long as that.
rm -rf out
start_recv --timeout 1s
start_busy_send
kill -KILL "$SENDER"
wait "$SENDER" 2>/dev/null || true
eventually grep -q 'the sender went away\|is lost' recv.err
eventually eval '! has_temporary'
sends 0 good
check 'the receiver goes on after a sender that died' cmp good out/good
rm out/good

# Several at once: one is held up, one dies, two go through.
start_silent_send
held_up=$SENDER
mkdir first second
seq 1 100000 >first/a
seq 1 200000 >second/b
"$ADOC_SEND" first "127.0.0.1:$PORT" 2>first.err &
one=$!
"$ADOC_SEND" second "127.0.0.1:$PORT" 2>second.err &
two=$!
"$ADOC_SEND" --name lost - "127.0.0.1:$PORT" </dev/urandom 2>lost.err &
three=$!
ends 0 "$one" 5
ends 0 "$two" 5
kill -KILL "$three"
wait "$three" 2>/dev/null || true
check 'senders are served at once: the first' diff -r first out/first
check 'senders are served at once: the second' diff -r second out/second
exec 7>&-
ends 0 "$held_up" 5
check 'the one that was held up' [ "$(stat -c %s out/stream)" == 300000 ]
eventually eval '! has_temporary'
check 'not the one that died' [ ! -e out/lost ]
eventually eval '[[ $(grep -c received recv.err) == 4 ]]'
stop_recv

# Waiting for the first sender.
for signal in INT TERM HUP; do
  start_recv
  kill -"$signal" "$RECV_PID"
  ends 130 "$RECV_PID" 5
  check "SIG$signal ends a receiver that waits" grep -q interrupted recv.err
done

# --once: the verdict of the one transfer.
rm -rf out
start_recv --once
sends 0 good
recv_ends 0
start_recv --once
sends 1 good missing
recv_ends 1
start_recv --once
sends 1 good /dev/null
recv_ends 1
check 'a receiver with --once is gone afterwards' expect_exit 3 send good
says send.err 'refused' 'adoc-recv'
