#!/usr/bin/env bash
# Goal: who comes while all places are taken is let in, hears where it is in the queue, and is
# served in its turn, however long that takes; who leaves is not waited for; who never says a hello
# is no transfer.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

strangers=$(cd "$(dirname "$0")/../support" && pwd)/strangers.py
cd "$T"
for i in 1 2 3; do seq "$i" 20000 >file$i; done
mkfifo pace
# A busy machine may keep a program from running for a second.
patience=3
! sanitized || patience=6

# waits NAME FILE [OPTION...]: a sender with little patience, in the background; sets $NAME to its
# process.
waits() {
  local name=$1 file=$2
  shift 2
  # What the one before it was told is not taken for its own.
  : >"$name.err"
  "$ADOC_SEND" --timeout "${patience}s" "$@" "$file" "127.0.0.1:$PORT" 2>"$name.err" 7>&- &
  printf -v "$name" '%s' $!
}

for mode in '' --insecure; do
  # shellcheck disable=SC2086 # an option or nothing
  start_recv --max-transfers 1 $mode
  # shellcheck disable=SC2086
  "$ADOC_SEND" -q $mode --name slow - "127.0.0.1:$PORT" <pace 2>slow.err &
  slow=$!
  exec 7>pace
  head -c 300000 /dev/zero >&7
  eventually bash -c '[[ -n $(find out -name ".adoc-*" -print -quit) ]]'

  # shellcheck disable=SC2086
  waits first file1 $mode
  eventually grep -q 'waiting for its turn: the next one, 1 transfer under way' first.err
  # shellcheck disable=SC2086
  waits second file2 $mode
  eventually grep -q 'waiting for its turn: 1 before it, 1 transfer under way' second.err
  # shellcheck disable=SC2086
  waits third file3 $mode --progress always
  eventually grep -q 'waiting for its turn: 2 before it, 1 transfer under way' third.err
  # Longer than either side would wait for one that is silent.
  sleep $((patience + 1))
  # shellcheck disable=SC2154 # waits() sets them.
  for sender in $first $second $third; do
    check "${mode:-with the key}: a sender waits longer than its --timeout" kill -0 "$sender"
  done
  kill -KILL "$second"
  eventually grep -q 'waiting for its turn: 1 before it, 1 transfer under way' third.err
  eventually grep -q 'it left while it waited for its turn' recv.err
  check 'nobody was served early' [ ! -e out/file1 ]
  exec 7>&-
  wait "$slow" || fail "the one before them failed: $(cat slow.err)"
  wait "$first" || fail "the first failed: $(cat first.err)"
  wait "$third" || fail "the third failed: $(cat third.err)"
  check 'the first is there' cmp file1 out/file1
  check 'the third is there' cmp file3 out/file3
  check 'the one that left is not' [ ! -e out/file2 ]
  stop_recv
  rm -rf out
done

# Strangers are no transfer: neither those that left nor those that are still there.
for kind in closes resets says-noise says-http says-a-byte; do
  start_recv --insecure --once
  python3 "$strangers" "$PORT" "$kind" 3
  rm -f held.out
  python3 "$strangers" "$PORT" holds 3 >held.out &
  held=$!
  eventually grep -q here held.out
  rm -rf out/file1
  sends 0 --insecure file1
  recv_ends 0
  check "--insecure --once waits for a sender after one that: $kind" cmp file1 out/file1
  kill "$held"
done
