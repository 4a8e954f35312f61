#!/usr/bin/env bash
# Goal: a machine that has no thread left to give ends a transfer with a message, whichever of its
# threads is refused; those that were started do not wait for the one that was not.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

# It cannot look for leaks in a program that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
cd "$T"
seq 1 1000 >file

# Of ours there are five, two of which compress; an instrumented program starts others of its own
# before them.
compressing=$(($(nproc) < 2 ? 1 : 2))
start_recv
strace -f -qq -o threads -e trace=clone3,clone "$ADOC_SEND" -q --streams 1 --congestion cubic \
  --threads "$compressing" file "127.0.0.1:$PORT"
stop_recv
ours=$((3 + compressing))
own=$(($(grep -cE 'clone3?\(' threads) - ours))
rm -r out

# refusing N COMMAND...: the Nth thread that it starts is refused. 124 when it has to be ended.
refusing() {
  local nth=$(($1 + own))
  shift
  timeout -k 1 20 strace -f -qq -o /dev/null -e trace=clone3,clone \
    -e inject=clone3,clone:error=EAGAIN:when="$nth" "$@"
}

for ((nth = 1; nth <= ours; ++nth)); do
  start_recv
  code=0
  refusing "$nth" "$ADOC_SEND" --streams 1 --congestion cubic --threads "$compressing" \
    file "127.0.0.1:$PORT" >send.out 2>send.err || code=$?
  check "adoc-send fails without its thread $nth" [ "$code" != 0 ]
  check "and does not wait for it" [ "$code" != 124 ]
  check 'it says so' grep -qi 'thread\|resource' send.err
  stop_recv
  nothing_left_over
done

# One more looks at the path, for further connections and another congestion control: without it the
# transfer goes on as it is.
start_recv
refusing $((ours + 1)) "$ADOC_SEND" --threads "$compressing" file "127.0.0.1:$PORT" 2>send.err
check 'without the thread that looks at the path the file arrives' cmp -s file out/file
stop_recv
nothing_left_over
rm -r out

# More threads than there are processors only get in each other's way: there are fewer, and it is said.
one=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
start_recv
taskset -c "$one" "$ADOC_SEND" --threads 3 file "127.0.0.1:$PORT" >send.out 2>send.err
check 'fewer threads than asked for are told' \
  grep -qF '1 of 3 threads compress: there are no more processors' send.err
check 'and the file is there' cmp -s file out/file
stop_recv
nothing_left_over
rm -r out

# The receiver's first is for signals; without that it does not start.
printf '#!/bin/sh\nexec strace -f -qq -o /dev/null -e trace=clone3,clone %s "%s" "$@"\n' \
  '-e "inject=clone3,clone:error=EAGAIN:when=$NTH"' "$ADOC_RECV" >refusing-recv
chmod +x refusing-recv
ADOC_RECV=$T/refusing-recv
for ((nth = 2; nth <= 4 + compressing; ++nth)); do
  export NTH=$((nth + own))
  start_recv --once --threads "$compressing"
  code=0
  timeout -k 1 20 "$ADOC_SEND" file "127.0.0.1:$PORT" >send.out 2>send.err || code=$?
  check "adoc-recv without its thread $nth does not keep the sender waiting" [ "$code" != 124 ]
  check 'the sender hears why' grep -q 'cannot start a thread' send.err
  code=0
  ends_within 20 "$RECV_PID" || fail 'adoc-recv does not end'
  wait "$RECV_PID" || code=$?
  check 'and adoc-recv fails' [ "$code" != 0 ]
  nothing_left_over
done
