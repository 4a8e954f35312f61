#!/usr/bin/env bash
# Goal: what the bar shows has crossed the link, behind a tunnel that swallows everything too and
# with a receiver that says nothing of it; while the other side flushes it says so, a log gets a
# line now and then, and the last line stays.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

watch=$(cd "$(dirname "$0")/../support" && pwd)/progress_watch.py
cd "$T"
head -c 2000000 /dev/urandom >noise
mkdir tree
for i in 1 2 3; do head -c 400000 /dev/urandom >"tree/file $i"; done

# watched proxy-mode COMMAND...: writes what progress_watch.py does to `rows`.
watched() {
  local mode=$1
  shift
  python3 "$watch" "$PORT" "$mode" 1000000 "$@" >rows || fail "adoc-send failed: $(tail -n 3 rows)"
}

# true_rows TOTAL SLACK: no bar shows more than has been passed on, all but SLACK bytes; what is
# shown never falls, is there at many moments, and ends with all of it.
true_rows() {
  awk -F '\t' -v total="$1" -v slack="$2" '
    function bytes(text, part) {
      split(text, part, " ")
      return part[1] * (part[2] == "B" ? 1 : part[2] == "kB" ? 1e3 : part[2] == "MB" ? 1e6 : 1e9)
    }
    match($2, /[0-9.]+ [kMG]?B \/ /) {
      shown = bytes(substr($2, RSTART, RLENGTH))
      # Three digits are shown: 1.23 MB may be 1.234.
      if (shown > $1 * 1.01 + slack) { print "too much: " $0; bad = 1 }
      if (shown < before) { print "less than before: " $0; bad = 1 }
      if (shown > before) ++steps
      percent = $2 + 0
      if (percent > 100 * ($1 + slack) / total + 1) { print "too many percent: " $0; bad = 1 }
      before = shown
    }
    END {
      if (before < total * 0.99) { print "the end is " before; bad = 1 }
      if (steps < 6) { print "only " steps + 0 " steps"; bad = 1 }
      exit bad
    }' rows || { cat rows >&9; return 1; }
}

# drawn PATTERN: among the bars.
drawn() { grep -aqE -e "$1" rows || { tail -n 30 rows >&9; return 1; }; }
# not_found PATTERN FILE
not_found() { ! grep -aqE -e "$1" "$2"; }

start_recv --insecure
watched swallows "$ADOC_SEND" --insecure --level 0 noise HOST
check 'behind a tunnel the bar shows what has come out of it' true_rows 2000000 0
check 'all of it arrives' cmp noise out/noise
check 'the last bar stays, and says how long it took' drawn '100%.*in [0-9.]+ s'
check 'the summary is the last line' grep -aq 'adoc-send: sent 1 file' <(tail -n 1 rows)
check 'there is no colour' not_found $'\x1b\\[[0-9;]*m' rows

empty_out
watched swallows "$ADOC_SEND" --insecure --level 0 tree HOST
check 'the file that crosses has its name on it' drawn 'of 3 files.*file 2'
check 'so has a tree' true_rows 1200000 0
check 'files are done one after the other' drawn '3 of 3 files'

# What was received and not read yet is in the proxy.
empty_out
watched throttles "$ADOC_SEND" --insecure --level 0 noise HOST
check 'with a receiver that says nothing it is what TCP has delivered' true_rows 2000000 250000
stop_recv

# A disk that takes its time: what has arrived is not there yet.
command -v strace >/dev/null || fail 'strace is not installed'
# The leak checker cannot work in a process that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
cat >slow-disk <<END
#!/bin/sh
exec strace -D -f -qq -o /dev/null -e trace=fsync,fdatasync,syncfs \
  -e inject=fsync,fdatasync,syncfs:delay_enter=700ms "$ADOC_BIN_DIR/adoc-recv" "\$@"
END
chmod +x slow-disk
empty_out
ADOC_RECV=$T/slow-disk start_recv --insecure
watched swallows "$ADOC_SEND" --insecure --level 0 noise HOST
check 'the final flush is shown' drawn '100%.*flushing  2.00 MB / 2.00 MB'
check 'and not in the bar that stays' not_found 'flushing.* in [0-9]' rows
kill -TERM "$RECV_PID"

# A log gets lines: the first one soon, the second one ten seconds later.
start_recv --insecure
empty_out
sends 0 --insecure --level 0 --bwlimit 150K --progress always noise
lines=$(grep -ac ' left' send.err)
check 'a log gets a line now and then' [ "$lines" = 2 ]
check 'without control characters' not_found '[[:cntrl:]]' send.err
grep -aoE '^adoc-send: [0-9]+%' send.err | tr -dc '0-9\n' >percents
# After two seconds of thirteen and after twelve.
check 'the lines are about the link' \
  [ "$(head -n 1 percents)" -le 30 -a "$(tail -n 1 percents)" -ge 60 ]
says send.err 'now noise'
