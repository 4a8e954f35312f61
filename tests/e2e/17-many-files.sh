#!/usr/bin/env bash
# Goal: a tree of 20,000 small files in 200 directories arrives whole, in memory that does not grow
# with it: both processes stay below 64 MiB, at levels that need little themselves. Also when its
# offers come while blocks are still being compressed. Instrumented programs get 4,000 and are not
# measured.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

directories=200
files=100
if sanitized; then directories=40; fi

work_in_memory 500000
mkdir tree
for ((d = 0; d < directories; ++d)); do
  mkdir "tree/$d"
  for ((f = 0; f < files; ++f)); do
    printf 'file %d of directory %d\n%*s\n' "$f" "$d" $((f * 37 % 3000)) '' >"tree/$d/$f"
  done
done

start_recv -q
# On a machine that is busy with other things even loopback may be slow enough for dense levels.
"$ADOC_SEND" -q --json --max-level 5 tree "127.0.0.1:$PORT" >send.out 2>send.err &
SENDER=$!
send_kib=0
while peak=$(peak_memory "$SENDER") && [[ -n $peak ]]; do
  send_kib=$peak
  sleep 0.02
done
wait "$SENDER" || fail "adoc-send: $(head -n 5 send.err)"
recv_kib=$(peak_memory "$RECV_PID")

figures_are files=$((directories * files)) directories=$((directories + 1)) \
  committed=$((directories * files + directories + 1))
check 'the whole tree arrives' same_trees tree out/tree
sends 0 -q --json tree
figures_are bytes=0 skipped=$((directories * files + directories + 1))

# Sixteen letters at random: blocks of many packets that take their time. More than eight batches.
mkdir letters
head -c 6000000 /dev/urandom | od -An -v -tx1 | tr -d ' \n' | split -b 4000 -a 4 - letters/
sends 0 -q --json --ladder zlib --level 9 letters
figures_are committed=3001
check 'the offers of many batches come between packets' same_trees letters out/letters
echo "peak of adoc-send: $send_kib KiB, of adoc-recv: $recv_kib KiB"
if ! sanitized; then
  check 'the sender was measured' [ "$send_kib" -gt 1000 ]
  check 'adoc-send stays below 64 MiB' [ "$send_kib" -lt 65536 ]
  check 'adoc-recv stays below 64 MiB' [ "$recv_kib" -lt 65536 ]
fi
nothing_left_over
stop_recv
