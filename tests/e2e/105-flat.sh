#!/usr/bin/env bash
# Goal: the benchmark of growing trees and files runs, and by it the memory of both programs does
# not grow with entries, with bytes, or with what is a hole.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

bench=$(cd "$(dirname "$0")/../bench" && pwd)/flat.py
cd "$T"
# With fewer than 8,192 entries not all is under way that may be.
few=10000 many=100000
if sanitized; then few=1000 many=4000; else work_in_memory 400000; fi
python3 "$bench" "$ADOC_BIN_DIR" --dir "$T" --entries 1000,4000 --dry-entries "$few,$many" \
  --gigabytes 0.01,0.1 --terabytes 0.1,1 >table
cat table
check 'each transfer has its row' [ "$(grep -c '^| [0-9o]' table)" == 8 ]
! sanitized || exit 0
# Columns 6 and 7. Of a file that is searched for what came far before, 48 MiB are kept.
check 'each program stays below 128 MiB' awk -F'|' \
  'NR > 2 && ($6 > 128 || $7 > 128) { exit 1 }' table
check 'ten times the entries take no more than half as much again' awk -F'|' '
  /dry-run/ { if (sender > 0 && ($6 > sender * 3 / 2 || $7 > receiver * 3 / 2)) exit 1
              sender = $6; receiver = $7 }' table
