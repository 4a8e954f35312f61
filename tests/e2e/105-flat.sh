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
# stay_below MIB ROWS: columns 6 and 7 of a table.
stay_below() { awk -F'|' -v most="$1" 'NR > 2 && ($6 > most || $7 > most) { exit 1 }' "$2"; }
grep -ve ' GB' -e ' TB' table >entries
check 'with entries each program stays below 64 MiB' stay_below 64 entries
check 'with bytes also below that and what is kept to copy from' stay_below 128 table
python3 "$bench" "$ADOC_BIN_DIR" --dir "$T" --entries '' --dry-entries '' --gigabytes 0.01,0.1 \
  --terabytes 0.1,1 --sender=--max-level=5 >light
check 'at levels that copy nothing each program stays below 64 MiB' stay_below 64 light
check 'and each transfer has its row there' [ "$(grep -c '^| [0-9o]' light)" == 4 ]
check 'ten times the entries take no more than half as much again' awk -F'|' '
  /dry-run/ { if (sender > 0 && ($6 > sender * 3 / 2 || $7 > receiver * 3 / 2)) exit 1
              sender = $6; receiver = $7 }' table
