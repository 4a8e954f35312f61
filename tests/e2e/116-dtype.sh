#!/usr/bin/env bash
# Goal: --dtype says the size of numbers: items of that size and of no other are filtered, or none
# where that gains nothing; what is no whole number of them is named once and arrives whole; what
# contradicts it is an error.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

work_in_memory 60000
mkdir numbers integers others
python3 - <<'END'
import array, random
r = random.Random(5)
total = 0.0
def walk():
    global total
    total += r.random() - 0.4
    return total
array.array("d", (walk() for _ in range(100000))).tofile(open("numbers/walk.f64", "wb"))
array.array("i", (r.randrange(1 << 19) for _ in range(130000))).tofile(open("integers/keys", "wb"))
open("others/words", "w").write(" ".join(str(r.randrange(1000)) for _ in range(20000)))
open("others/more", "w").write("123")
END
cp numbers/walk.f64 others/walk.f64
printf odd >>others/walk.f64

# sent TREE OPTION...: the tree, whole; FILTERS are those of the trace, each once. The link is so
# slow that bytes are worth more than time, also where other tests have the processors.
sent() {
  local tree=$1
  shift
  start_recv
  sends 0 --json --no-remember --bwlimit 300K --min-level 6 --max-level 6 --trace trace "$@" \
    "$tree"
  check "${*:-as it is}: identical" same_trees "$tree" "out/$tree"
  stop_recv
  rm -r "out/$tree"
  FILTERS=$(tail -n +2 trace | sed 's/.*,//' | sort -u)
}

# filtered TREE BYTES OPTION...: its items are filtered, of so many bytes each: in a file, where
# bytes alone count, and on a slow link. There instrumented ones may take too long to be worth it.
filtered() {
  local tree=$1 pattern="^(shuffle|delta|bits)-$2\$"
  shift 2
  "$ADOC_SEND" -q --force --min-level 6 --max-level 6 --trace trace "$@" --to-file in.adoc "$tree" \
    2>send.err || fail "to a file: $(cat send.err)"
  FILTERS=$(tail -n +2 trace | sed 's/.*,//' | sort -u)
  check "$*: in a file $FILTERS" grep -qE "$pattern" <<<"$FILTERS"
  sent "$tree" "$@"
  sanitized || check "$*: on a slow link $FILTERS" grep -qE "$pattern" <<<"$FILTERS"
}

filtered numbers 8 --dtype float64
check 'nothing is wrong with them' [ "$(grep -c 'whole number' send.err)" = 0 ]
filtered numbers 8 --dtype complex128
filtered integers 4 --dtype int32
sent numbers --dtype int32
check "of no other size than is said: $FILTERS" [ "$(grep -c -e -8 <<<"$FILTERS")" = 0 ]
sent numbers --dtype uint8
check "bytes are not filtered: $FILTERS" [ "$FILTERS" = none ]

sent others --dtype float64
check 'one of those is named' [ "$(grep -c 'is no whole number of items of 8 bytes' send.err)" = 1 ]

for options in '--no-filters' '--policy adoc' '--level 3'; do
  # shellcheck disable=SC2086
  sends 2 --dtype float64 $options numbers
  check "not with $options" \
    grep -q -- "--dtype float64 says what to filter, and with ${options% 3} nothing is filtered" \
    send.err
done
sends 2 --dtype float80 numbers
check 'the types there are' grep -q -e 'none of int8, .*complex128' send.err
