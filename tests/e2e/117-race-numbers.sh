#!/usr/bin/env bash
# The race on numbers, tests/bench/race --only numbers: it makes its data, sends them with AdOC,
# with and without filters, and with the others, compares what arrives, and leaves nothing behind.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"
race=$(cd "$(dirname "$0")/../bench" && pwd)/race

"$race" --help >"$T/help"
grep -qw numbers "$T/help" || fail '--help does not name section numbers'

[[ $(id -u) == 0 ]] || skip 'namespaces are only for root'
ip netns add "adoc-probe-$$" 2>/dev/null || skip 'namespaces cannot be made here'
ip netns del "adoc-probe-$$"
for program in ip tc nc ss zstd; do
  command -v "$program" >/dev/null || skip "$program is missing"
done
mkdir "$T/tmp"
TMPDIR=$T/tmp "$race" --bin "$ADOC_BIN_DIR" --only numbers --rates 1gbit --data-limit 1M \
  --rounds 1 --repeat 0.1 --data '*.i64,weights*' --tools 'adoc*,nc,zstd-1' --json "$T/race.json" \
  >"$T/tables" 2>"$T/stderr" &
pid=$!
wait "$pid" || fail "the race failed: $(cat "$T/stderr")"
grep -q '^| link | data | AdOC MB/s | first time |' "$T/tables" || fail "$(cat "$T/tables")"
for data in times.i64 weights.bf16; do
  grep -qE "^\| 1 Gbit/s \| $data \| [0-9]+" "$T/tables" || fail "no $data: $(cat "$T/tables")"
done
python3 - "$T/race.json" <<'END'
import json, sys
records = json.load(open(sys.argv[1]))["sections"]["numbers"]
tools = ["adoc", "adoc-first", "adoc-plain", "nc", "zstd-1"]
assert [r["tool"] for r in records] == 2 * tools, records
for first, plain in ((records[1], records[2]), (records[6], records[7])):
    assert first["bytes"] == plain["bytes"] == 1_000_000, (first, plain)
END
[[ $(ip netns) != *adoc-race-$pid* ]] || fail 'a namespace is left behind'
[[ -z $(ls -A "$T/tmp") ]] || fail "left behind: $(ls -A "$T/tmp")"
