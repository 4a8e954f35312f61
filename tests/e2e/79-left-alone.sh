#!/usr/bin/env bash
# Goal: what a library is at in one call cannot be interrupted, a block of bzip3 or a prefix of zstd
# 19, and nobody waits for it whose peer has gone, whose link has nothing else to send, or who is
# told to stop; the place of a sender that has gone is free. Here such calls take for ever. What is
# left alone keeps its share of --memory: however many come and go, they take no more.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

# The library that holds blocks stands before the sanitizer's, and what is left alone is in use.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
tree=$(realpath "$(dirname "$0")/../..")
work_in_memory 100000
mkfifo go rest
exec 5<>go
for what in decode encode index; do
  printf '#!/bin/sh\nexport ADOC_HOLD=%s ADOC_HELD=%s ADOC_GO=%s\nLD_PRELOAD=%s exec "$@"\n' \
    "$what" "$T/held" "$T/go" "$ADOC_HELD_LIBRARY" >"holding-$what"
  chmod +x "holding-$what"
done
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$T/holding-decode" "$ADOC_RECV" >held-recv
chmod +x held-recv
seq 1 400000 >dense
seq 1 100000 >small
head -c 17M <(yes) >linked
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
# sent_and_gone OPTION...: a sender that has more to send is killed once the receiver is at its
# dense block.
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

# A link that waits: what was read is sent in another way, and no second block is begun so.
start_recv
: >held
cat "$tree"/src/*/*.cpp >sources
check 'a link does not wait for a block that is at the library for ever' \
  timeout 60 ./holding-encode "$ADOC_SEND" -q --no-remember --min-level 20 --max-level 22 \
  --bwlimit 250K sources "127.0.0.1:$PORT"
check 'which there was' [ "$(stat -c %s held)" == 1 ]
check 'and all arrives' cmp sources out/sources
stop_recv
rm -rf out

# Senders, which are at a block for ever, or at the prefix of the second one.
start_recv
# held_sender WHAT OPTION...: sets $SENDER. What others have left would make its blocks others.
held_sender() {
  : >held
  "$T/holding-$1" "$ADOC_SEND" --threads 1 --no-resume "${@:2}" "127.0.0.1:$PORT" 2>send.err &
  SENDER=$!
  eventually is_held
}
for held in 'encode --level 22 dense' 'index --level 20 linked'; do
  # shellcheck disable=SC2086 # words
  held_sender $held
  kill -INT "$SENDER"
  check "$held: who is interrupted does not wait" ends 130
  # Of the first block nothing has been sent.
  [[ $held == encode* ]] ||
    check 'and says how it goes on' says send.err interrupted 'the same command'
  # shellcheck disable=SC2086
  held_sender $held --retry 0
  kill -KILL "$RECV_PID"
  wait "$RECV_PID" || true
  check "$held: nor does one whose connection is lost" ends 3
  start_recv

  # It connects again, and begins when that is through: it takes its memory.
  # shellcheck disable=SC2086
  held_sender $held
  kill -KILL "$RECV_PID"
  wait "$RECV_PID" || true
  start_recv --listen "127.0.0.1:$PORT"
  release
  check "$held: one that comes again goes on" ends 0
  check "$held: and all arrives" cmp "${held##* }" "out/${held##* }"
  hold_again
done
stop_recv
