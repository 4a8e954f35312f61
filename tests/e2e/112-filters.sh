#!/usr/bin/env bash
# Goal: numbers take fewer bytes on a slow link than without filters, and arrive as they were, also
# when the transfer is cut off and gone on with; the trace names the filters; with --no-filters, or
# the paper's law, there are none.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

work_in_memory 100000
mkdir tree
python3 - <<'END'
import array, random
r = random.Random(3)
total = 0.0
def walk():
    global total
    total += r.random() - 0.4
    return total
array.array("d", (walk() for _ in range(150000))).tofile(open("tree/walk.f64", "wb"))
array.array("i", (r.randrange(1 << 19) for _ in range(70000))).tofile(open("tree/keys.i32", "wb"))
array.array("H", (r.randrange(4096) for _ in range(50000))).tofile(open("tree/samples.u16", "wb"))
open("tree/text", "w").write(" ".join(str(r.randrange(1000)) for _ in range(20000)))
END

wire_bytes() { figure wire_bytes; }

# sent OPTION...: the tree, whole. The link is so slow that bytes are worth more than time, also
# where other tests have the processors.
sent() {
  start_recv
  sends 0 --json --no-remember --bwlimit 300K "$@" tree
  check "${*:-as it is}: identical" same_trees tree out/tree
  stop_recv
  rm -r out/tree
}

# in_file OPTION...: BYTES are those of the tree in a file. There bytes alone count, whatever
# filters take, also where they are instrumented.
in_file() {
  "$ADOC_SEND" -q --force "$@" --to-file in.adoc tree 2>send.err ||
    fail "to a file: $(cat send.err)"
  BYTES=$(stat -c %s in.adoc)
}

# fewer WHERE FILTERED PLAIN
fewer() { check "$1 a tenth fewer bytes: $2 of $3" [ $(($2 * 10)) -lt $(($3 * 9)) ]; }
named() { grep -qE ',(shuffle|delta|bits)-8$' "$1"; }

in_file --min-level 6 --max-level 6 --no-filters --trace plain
PLAIN=$BYTES
check 'no filter in a file without filters' bash -c '! grep -qE ",(shuffle|delta|bits)-" plain'
in_file --min-level 6 --max-level 6 --trace filtered
fewer 'in a file' "$BYTES" "$PLAIN"
check 'the trace of a file names them' named filtered
# Of a link so slow that also instrumented filters are worth their time.
in_file --for 1mbit --trace auto
check 'auto, too' named auto

sent --min-level 6 --max-level 6 --no-filters --trace plain
PLAIN=$(wire_bytes)
check 'no filter without filters' bash -c '! grep -qE ",(shuffle|delta|bits)-" plain'
sent --min-level 6 --max-level 6 --trace filtered
# Instrumented filters take so long that they may not be worth it on a link.
sanitized || fewer 'on a slow link' "$(wire_bytes)" "$PLAIN"
sanitized || check 'the trace names them' named filtered
sent --trace auto
sanitized || check 'auto on a slow link, too' named auto
sent --streams 3
sent --policy adoc --trace paper
check "the paper's law stays what it is" bash -c '! grep -qE ",(shuffle|delta|bits)-" paper'

start_recv
cut_off --bwlimit 300K tree
start_recv
sends 0 --json tree
check 'gone on with: identical' same_trees tree out/tree
check 'some of it was there' [ "$(figure resumed_bytes)" -gt 0 ]
stop_recv
