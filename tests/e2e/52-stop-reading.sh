#!/usr/bin/env bash
# Goal: however long the sender would have to read, a signal or the receiver's end ends it; and
# holes are not read at all.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
command -v strace >/dev/null || fail 'strace is not installed'

work_in_memory 81920
start_recv -q

# Holes are hashed by what they are: both sides hash 2 x 60 GB here.
mkdir holes out/holes
for file in one two; do
  truncate -s 60G "holes/$file" "out/holes/$file"
  touch -d '2020-01-01 UTC' "holes/$file" "out/holes/$file"
done
touch -d '2020-01-01 UTC' holes out/holes
timeout 30 "$ADOC_SEND" --json --checksum holes "127.0.0.1:$PORT" >send.out 2>send.err ||
  fail "60 GB of holes take too long: $(cat send.err)"
figures_are skipped=3 bytes=0
echo 'ok: holes are not read'

# A disk that takes a quarter of a second for each read: hashing 64 MiB takes a minute then.
head -c 64M /dev/urandom >slow
start_slow_send() {
  : >trace
  # LeakSanitizer does not work below strace.
  ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -D -f -qq -o trace -e trace=pread64 \
    -e inject=pread64:delay_enter=250000 "$ADOC_SEND" "$@" "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
  # The first ones are the loader's.
  eventually eval '(($(grep -c " 262144" trace) > 1))'
}
start_slow_send --checksum slow
kill -INT "$SENDER"
ends 130 "$SENDER" 5
echo 'ok: a signal ends hashing'
start_slow_send --level 0 slow
kill -INT "$SENDER"
ends 130 "$SENDER" 5
echo 'ok: a signal ends reading'
start_slow_send --checksum --retry 0 slow
stop_recv
ends 3 "$SENDER" 5
echo 'ok: so does the end of the receiver'
