#!/usr/bin/env bash
# Goal: a file that goes on from an earlier transfer is compared as a whole before it has its name:
# new contents under the old size and time never make a mixture, and the next transfer is whole.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

size=$((24 << 20))
work_in_memory $((size * 6 >> 10))
head -c "$size" /dev/urandom >big
# A file with holes, of which the first run of data is what arrives.
truncate -s 64M sparse
dd if=big of=sparse bs=1M seek=2 count=20 conv=notrunc status=none
dd if=big of=sparse bs=1M seek=40 count=2 conv=notrunc status=none

partial() { find out/.adoc -name '*.partial' 2>/dev/null; }
kept() {
  local file
  file=$(partial)
  [[ -n $file ]] && (($(stat -c '%b' "$file") > 8 << 11))
}
# cut_off FILE: the receiver is killed when 8 MiB of it are there.
cut_off() {
  start_recv
  "$ADOC_SEND" --retry 0 --threads 1 --level 0 --bwlimit 40M "$1" "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
  eventually kept
  kill -KILL "$RECV_PID"
  wait "$SENDER" "$RECV_PID" 2>/dev/null || true
  [[ ! -e out/$1 ]] || fail 'it was over before it could be cut off'
}
# changed FILE OFFSET: other contents of the same size and time.
changed() {
  touch -r "$1" time
  printf 'not what it was' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
  touch -r time "$1"
}

for file in big sparse; do
  cut_off "$file"
  changed "$file" $((3 << 20))
  start_recv
  sends 1 "$file"
  says send.err "$file" 'not what the sender has' 'the same command sends all of it'
  check "$file: a mixture gets no name" [ ! -e "out/$file" ]
  nothing_left_over
  sends 0 --json "$file"
  check "$file: the same command sends it whole" cmp "$file" "out/$file"
  figures_are resumed_bytes=0
  stop_recv
  rm "out/$file"
  cut_off "$file"
  start_recv
  sends 0 --json "$file"
  check "$file: one that did not change goes on" cmp "$file" "out/$file"
  check "$file: from where it was" [ "$(figure resumed_bytes)" -gt $((4 << 20)) ]
  stop_recv
  rm "out/$file"
done

