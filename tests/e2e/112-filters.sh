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
array.array("d", (walk() for _ in range(900000))).tofile(open("tree/walk.f64", "wb"))
array.array("i", (r.randrange(1 << 19) for _ in range(400000))).tofile(open("tree/keys.i32", "wb"))
array.array("H", (r.randrange(4096) for _ in range(300000))).tofile(open("tree/samples.u16", "wb"))
open("tree/text", "w").write(" ".join(str(r.randrange(1000)) for _ in range(100000)))
END

wire_bytes() { figure wire_bytes; }

# sent OPTION...: the tree, whole.
sent() {
  start_recv
  sends 0 --json --no-remember --bwlimit 3M "$@" tree
  check "${*:-as it is}: identical" same_trees tree out/tree
  stop_recv
  rm -r out/tree
}
sent --min-level 6 --max-level 6 --no-filters --trace plain
PLAIN=$(wire_bytes)
check 'no filter without filters' bash -c '! grep -qE ",(shuffle|delta|bits)-" plain'
sent --min-level 6 --max-level 6 --trace filtered
FILTERED=$(wire_bytes)
check "a tenth fewer bytes: $FILTERED of $PLAIN" [ $((FILTERED * 10)) -lt $((PLAIN * 9)) ]
check 'the trace names them' grep -qE ',(shuffle|delta|bits)-8$' filtered
sent --trace auto
check 'auto, too' grep -qE ',(shuffle|delta|bits)-8$' auto
sent --streams 3
sent --policy adoc --trace paper
check "the paper's law stays what it is" bash -c '! grep -qE ",(shuffle|delta|bits)-" paper'

start_recv
cut_off --bwlimit 1M tree
start_recv
sends 0 --json tree
check 'gone on with: identical' same_trees tree out/tree
check 'some of it was there' [ "$(figure resumed_bytes)" -gt 0 ]
stop_recv
