#!/usr/bin/env bash
# Goal: a tree of 1,500 levels costs the receiver opens in proportion to its levels, and not to
# their square, when it is new and when nothing in it has changed.
set -euo pipefail
[[ ! -w /dev/shm ]] || export TMPDIR=/dev/shm
source "$(dirname "$0")/../support/transfer.sh"
command -v strace >/dev/null || fail 'strace is not installed'
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # which does not work below strace

levels=1500
cd "$T"
python3 - "$levels" <<'END'
import os, sys
os.mkdir("deep")
os.chdir("deep")
for level in range(int(sys.argv[1])):
    os.mkdir("d")
    os.chdir("d")
    if level % 5 == 0:
        with open("f", "w") as file:
            file.write(str(level))
END
printf '#!/bin/sh\nexec strace -D -f -c -e trace=openat,openat2,mkdirat -o "%s" "%s" "$@"\n' \
  "$T/calls" "$ADOC_BIN_DIR/adoc-recv" >counted
chmod +x counted
ADOC_RECV=$T/counted

calls() { awk -v "name=$1" '$NF == name { print $4 }' calls; }

# few_opens MOST SENTENCE
few_opens() {
  rm -f calls
  start_recv --insecure --max-depth 2000
  sends 0 --insecure --json deep
  stop_recv
  eventually grep -q 'total$' calls
  local opens=$(($(calls openat) + $(calls openat2)))
  echo "    $opens opens for $levels levels"
  check "$2" [ "$opens" -le "$1" ]
}

# A batch of 256 entries flushes all directories on its way, each of which is opened for that once.
few_opens 60000 'a new tree costs few opens'
figures_are committed=$((levels + 1 + levels / 5))
check 'each directory was made once' [ "$(calls mkdirat)" -le $((levels + 5)) ]
few_opens 30000 'so does a tree that is there'
figures_are skipped=$((levels + 1 + levels / 5))
check 'the deepest file is there' [ "$(find out -name f | wc -l)" == $((levels / 5)) ]
