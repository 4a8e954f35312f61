#!/usr/bin/env bash
# The race, tests/bench/race: what cannot be meant is refused before anything is done, tables and chart
# are drawn from figures of an earlier run, and, where namespaces can be made, a short race is run through
# and leaves nothing behind.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"
here=$(cd "$(dirname "$0")" && pwd)
race=$here/../bench/race

# refuses FRAGMENT ARGUMENT...: exit 2, with FRAGMENT on standard error and nothing on standard output.
refuses() {
  local fragment=$1
  shift
  expect_exit 2 "$race" "$@" >"$T/stdout" 2>"$T/stderr"
  [[ ! -s $T/stdout ]] || fail "$*: standard output is not empty"
  grep -qF -e "$fragment" "$T/stderr" || fail "$*: '$fragment' is not in: $(cat "$T/stderr")"
}

"$race" --help >"$T/help"
for section in cells builds unseen steps compete slow patterns naive random threads small; do
  grep -qw "$section" "$T/help" || fail "--help does not name section $section"
done
refuses --nonsense --nonsense
refuses fast --only cells,fast
refuses 'not a rate' --rates 100mbit,10
refuses 'not a rate' --rates 0mbit
for value in 0 -1 x nan; do refuses 'not a number' --rounds "$value"; done
refuses 'not a number' --repeat 0
refuses 'not a size' --data-limit 10X
refuses 'not a rate' --data-limit slow:10M
refuses 'not a number' --time-limit inf
refuses 'neither 0 nor' --prune 0.5
refuses 'is not a directory' "$T/no-such-data"
refuses 'no such directory' --json "$T/no-such-place/figures.json"
refuses 'cannot be read' --from "$T/no-such-file"
expect_exit 1 "$race" --bin "$T" 2>"$T/stderr"
grep -q 'adoc-send is not in' "$T/stderr" || fail "no word about --bin: $(cat "$T/stderr")"
echo 'ok: what cannot be meant is refused'

cat >"$T/figures.json" <<'END'
{"machine": {"date": "2000-01-01 00:00 UTC", "system": "S", "processor": "P", "cpus": 2, "linux": "6",
             "tcp": "cubic", "load_before": ["0", "0", "0"]},
 "sections": {"cells": [
  {"rate": "1gbit", "data": "a<b", "bytes": 1000000, "tool": "adoc", "label": "AdOC", "group": "adoc",
   "seconds": [0.01, 0.02, 0.04], "median": 0.02, "least": 0.01, "most": 0.04, "mb_per_s": 50.0, "wire_bytes": 250000},
  {"rate": "1gbit", "data": "a<b", "bytes": 1000000, "tool": "adoc-first", "label": "AdOC, first time", "group": "adoc",
   "seconds": [0.025], "median": 0.025, "least": 0.025, "most": 0.025, "mb_per_s": 40.0, "wire_bytes": 250000},
  {"rate": "1gbit", "data": "a<b", "bytes": 1000000, "tool": "level-zstd-1", "label": "AdOC zstd 1", "group": "level",
   "seconds": [0.0195], "median": 0.0195, "least": 0.0195, "most": 0.0195, "mb_per_s": 51.282, "wire_bytes": 250000},
  {"rate": "1gbit", "data": "a<b", "bytes": 1000000, "tool": "level-zstd-19", "label": "AdOC zstd 19",
   "group": "level", "longer_than": 0.1},
  {"rate": "1gbit", "data": "a<b", "bytes": 1000000, "tool": "lz4", "label": "lz4 | nc", "group": "peer",
   "seconds": [0.016], "median": 0.016, "least": 0.016, "most": 0.016, "mb_per_s": 62.5, "wire_bytes": 500000},
  {"rate": "1gbit", "data": "a<b", "bytes": 1000000, "tool": "nc", "label": "nc", "group": "peer", "error": "it broke"}
 ]}}
END
"$race" --from "$T/figures.json" --svg "$T/chart.svg" --html "$T/page.html" --markdown >"$T/tables"
has() { grep -qF -e "$1" "$T/tables" || fail "'$1' is not in: $(cat "$T/tables")"; }
has '## Every tool, every link'
has '| 50.0 <sub>25.0–100</sub> | 4.00 | 51.3 (zstd 1) | 0.98 | yes | 0.78 | 62.5 (lz4 \| nc) | 0.80 | **no** |'
has '< 10.0'
has failed
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$T/chart.svg"
grep -qF 'a&lt;b' "$T/chart.svg" || fail 'the chart does not name the data'
grep -q '[a]&lt;b' "$T/page.html" || fail 'the page does not name the data'
! grep -q 'a<b' "$T/page.html" || fail 'a name is markup on the page'
bars=$(grep -oE "width:[0-9.]+%' role='img' [^>]*data-tool='[a-z0-9-]+' data-mb-per-s='[0-9.]+" "$T/page.html" |
  sed -E "s/^width:([0-9.]+)%.*data-tool='([a-z0-9-]+)' data-mb-per-s='(.*)/\2 \3 \1/")
[[ $bars == $'lz4 62.5 100.0\nlevel-zstd-1 51.282 82.1\nadoc 50 80.0\nadoc-first 40 64.0' ]] ||
  fail "the page's bars are not the figures: $bars"
echo 'ok: tables, page and chart from earlier figures'

if [[ $(id -u) != 0 ]] || ! ip netns add "adoc-probe-$$" 2>/dev/null; then
  echo 'no race: namespaces cannot be made here'
  exit 0
fi
ip netns del "adoc-probe-$$"
for program in ip tc nc ss; do
  command -v "$program" >/dev/null || {
    echo "no race: $program is missing"
    exit 0
  }
done
mkdir "$T/data" "$T/tmp"
head -c 1100000 /dev/urandom >"$T/data/random"
TMPDIR=$T/tmp "$race" --bin "$ADOC_BIN_DIR" --only cells,random,threads --rates 1gbit --data-limit 1M --rounds 2 --repeat 0.1 --tools "adoc,nc,threads-*" \
  --json "$T/race.json" "$T/data" >"$T/tables" 2>"$T/stderr" &
pid=$!
wait "$pid" || fail "the race failed: $(cat "$T/stderr")"
grep -q '^| 1 Gbit/s | random | 1.0 |' "$T/tables" || fail "no result in: $(cat "$T/tables")"
python3 - "$T/race.json" <<'END'
import json, sys
sections = json.load(open(sys.argv[1]))["sections"]
cells = sections["cells"]
assert [r["tool"] for r in cells] == ["adoc", "nc"], cells
assert all(len(r["seconds"]) >= 1 and r["wire_bytes"] > 1_000_000 for r in cells), cells
assert max(len(r["seconds"]) for r in cells) >= 6, cells  # who is behind after two rounds runs no more
threads = [(r["level"], r["tool"]) for r in sections["threads"] if r["mb_per_s"] > 0]
assert threads == [(level, f"threads-{count}") for level in ("auto", "zstd 1") for count in ("1", "own", "4")], threads
END
TMPDIR=$T/tmp "$race" --adoc "old=$ADOC_BIN_DIR" --adoc "new=$ADOC_BIN_DIR" --pin both --rates 1gbit \
  --data-limit 1M --rounds 2 --repeat 0.1 --json "$T/builds.json" "$T/data" >"$T/tables" 2>"$T/stderr" ||
  fail "the race of two builds failed: $(cat "$T/stderr")"
grep -q '^| all cells |' "$T/tables" || fail "no result in: $(cat "$T/tables")"
python3 - "$T/builds.json" <<'END'
import json, os, sys
records = json.load(open(sys.argv[1]))["sections"]["builds"]
settings = ["all processors", "one processor each"][:len(os.sched_getaffinity(0))]
assert [(r["pin"], r["transfer"], r["build"]) for r in records] == [
    (pin, transfer, build) for pin in settings for transfer in ("first", "later") for build in ("old", "new")], records
for old, new in zip(records[::2], records[1::2]):  # each run has its other half
    assert len(old["seconds"]) == len(new["seconds"]) >= 2, (old, new)
END
mkdir "$T/cache"
printf 'Package: p%s\nVersion: 1\nDescription: x\n\n' {1..500} >"$T/cache/packages.txt"
TMPDIR=$T/tmp "$race" --bin "$ADOC_BIN_DIR" --unseen 1 --families sql --size 1M --no-download \
  --cache "$T/cache" --pin on --rates 1gbit --rounds 1 --repeat 0.1 --tools 'adoc-*,level-raw,nc' \
  --json "$T/unseen.json" >"$T/tables" 2>"$T/stderr" || fail "no race on unseen data: $(cat "$T/stderr")"
grep -q '^- adoc, first transfers: .* over the best other tool' "$T/tables" || fail "no score in: $(cat "$T/tables")"
"$race" --from "$T/unseen.json" --compare "$T/unseen.json" >"$T/tables"
has '| all |  |  | 1.000 | 1.000 | 2 |'
[[ $(ip netns) != *adoc-race-$pid* ]] || fail 'a namespace is left behind'
[[ -z $(ls -A "$T/tmp") ]] || fail "left behind: $(ls -A "$T/tmp")"
echo 'ok: a short race'
