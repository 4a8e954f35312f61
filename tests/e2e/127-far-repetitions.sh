#!/usr/bin/env bash
# Goal: over a slow link what came megabytes before is copied, in a first transfer of bytes that no
# level shrinks, and in later ones.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
head -c 3000000 /dev/urandom >once
for _ in 1 2 3 4 5 6 7 8 9 10; do cat once; done >often
start_recv -q
for transfer in first later; do
  sends 0 --json --bwlimit 3M often
  check "the $transfer transfer is whole" cmp often out/often
  sent=$(figure wire_bytes)
  echo "$sent bytes on the wire for 30,000,000"
  # Whether there is time to search depends on how slow a sanitizer makes the programs.
  sanitized || ((sent < 15000000)) || fail "the $transfer transfer took $sent bytes for 30,000,000"
  rm out/often
done
