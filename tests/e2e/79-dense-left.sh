#!/usr/bin/env bash
# Goal: one call of libbzip3 cannot be interrupted, and nobody waits for it whose peer has gone or
# who is told to stop; the place of a sender that has gone is free. Here such calls take for ever.
# What is left alone keeps its share of --memory: however many come and go, they take no more.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

# The library that holds blocks stands before the sanitizer's, and what is left alone is in use.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
work_in_memory 100000
mkfifo go rest
exec 5<>go
for what in decode encode; do
  printf '#!/bin/sh\nexport ADOC_HOLD=%s ADOC_HELD=%s ADOC_GO=%s\nLD_PRELOAD=%s exec "$@"\n' \
    "$what" "$T/held" "$T/go" "$ADOC_HELD_BZIP3" >"holding-$what"
  chmod +x "holding-$what"
done
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$T/holding-decode" "$ADOC_RECV" >held-recv
chmod +x held-recv
seq 1 400000 >dense
seq 1 100000 >small
seq 1 100000 | rev >other

start_held_recv() {
  : >held
  ADOC_RECV=$T/held-recv start_recv "$@"
}
# release: all that is held now, and what comes.
release() { head -c 1000 /dev/zero >&5; }
hold_again() {
  exec 5<&-
  rm go
  mkfifo go
  exec 5<>go
}
is_held() { [[ -s held ]]; }
# sent_and_gone OPTION...: a sender that has more to send is killed once the receiver is at its dense block.
sent_and_gone() {
  "$ADOC_SEND" -q "$@" --retry 0 --level 22 --name gone - "127.0.0.1:$PORT" <rest 2>/dev/null &
  local sender=$!
  exec 6>rest
  cat dense >&6
  eventually is_held
  kill -KILL "$sender"
  wait "$sender" || true
  exec 6>&-
}

start_held_recv --max-transfers 1
sent_and_gone
check 'the place of a sender that has gone is free while its block is at the library' \
  timeout 20 "$ADOC_SEND" -q --level 20 small "127.0.0.1:$PORT"
check 'and who has it next is served' cmp small out/small
check 'a receiver that is told to stop does not wait for the block' stop_recv
rm -rf out

# With memory for one block at a time.
start_held_recv --max-transfers 1 --memory 120M
sent_and_gone
check 'with the least memory the place is free, too' \
  timeout 20 "$ADOC_SEND" -q --level 0 small "127.0.0.1:$PORT"
"$ADOC_SEND" -q --level 20 other "127.0.0.1:$PORT" &
sender=$!
release
check 'and blocks of others are decompressed when that one is through' wait "$sender"
check 'all of them' cmp other out/other
stop_recv
rm -rf out
hold_again

# Again and again.
start_held_recv --insecure --max-transfers 1 --memory 120M
sent_and_gone --insecure
check 'senders come and go one after the other' \
  timeout 60 "$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" leaving "$T"
check 'an honest one has its turn' timeout 20 "$ADOC_SEND" -q --insecure --level 0 small \
  "127.0.0.1:$PORT"
if ! sanitized; then
  peak=$(peak_memory "$RECV_PID")
  echo "    after eight of them: $peak KiB"
  # One such call has written to 8 MiB by then, nine of them to more than this.
  check 'only the first has memory for its block' [ "$peak" -le $((64 * 1024)) ]
fi
stop_recv
rm -rf out

# A sender, which is at a block for ever.
: >held
start_recv
"$T/holding-encode" "$ADOC_SEND" -q --level 22 dense "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually is_held
kill -INT "$sender"
check 'a sender that is interrupted does not wait for its block' ends_within 20 "$sender"
wait "$sender" || code=$?
check 'and says so' [ "${code:-0}" = 130 ]
: >held
"$T/holding-encode" "$ADOC_SEND" -q --retry 0 --level 22 dense "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually is_held
kill -KILL "$RECV_PID"
wait "$RECV_PID" || true
check 'one whose connection is lost does not wait for it, either' ends_within 20 "$sender"
code=0
wait "$sender" || code=$?
check 'and says that' [ "$code" = 3 ]

# It connects again, and begins when that block is through: it takes its memory.
start_recv
: >held
"$T/holding-encode" "$ADOC_SEND" -q --level 22 dense "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually is_held
kill -KILL "$RECV_PID"
wait "$RECV_PID" || true
start_recv --listen "127.0.0.1:$PORT"
release
check 'a sender that comes again goes on' wait "$sender"
check 'and all arrives' cmp dense out/dense
stop_recv
