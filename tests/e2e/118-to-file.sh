#!/usr/bin/env bash
# Goal: a transfer that is written to a file and unpacked later, or sent as it is, comes to what the
# same transfer over a connection comes to; the file is there as a whole or not at all, and of one
# that is damaged nothing is taken for good.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/transfer.sh"
golden=$(cd "$(dirname "$0")/../golden/v1/good" && pwd)
without_waiting=$(cd "$(dirname "$0")/../support" && pwd)/without_waiting.py

cd "$T"
mkdir -p tree/empty tree/deep/er
seq 1 200000 >tree/numbers
head -c 3000000 /dev/urandom >tree/random
: >tree/no-bytes
printf 'quiet\n' >tree/deep/er/'a name with spaces'
ln -s ../numbers tree/deep/link
ln -s nowhere tree/dangling
truncate -s 5000000 tree/sparse
printf 'in the middle' | dd of=tree/sparse bs=1 seek=2500000 conv=notrunc status=none
chmod 640 tree/numbers
chmod 750 tree/deep/er
touch -d '2001-02-03 04:05:06.789' tree/random tree/empty tree/deep/er

# to_file CODE ARGUMENT...; unpack CODE ARGUMENT...: as sends of transfer.sh.
to_file() {
  local wanted=$1 code=0
  shift
  "$ADOC_SEND" "$@" >"$T/send.out" 2>"$T/send.err" || code=$?
  [[ $code == "$wanted" ]] || fail "exit code $code instead of $wanted: $* ($(cat "$T/send.err"))"
}
unpack() {
  local wanted=$1 code=0
  shift
  "$ADOC_RECV" --out out "$@" >"$T/recv.out" 2>"$T/recv.err" || code=$?
  [[ $code == "$wanted" ]] || fail "exit code $code instead of $wanted: $* ($(cat "$T/recv.err"))"
}
# nothing_of NAME: neither the file is there nor what it would have become.
nothing_of() { [[ ! -e $1 && -z $(find "$(dirname "$1")" -maxdepth 1 -name '.adoc-*') ]]; }

# There and back.
to_file 0 --json --to-file x.adoc tree
says send.err 'wrote x.adoc: 5 files, 4 directories, 2 links'
figures_are files=5 committed=11
check 'it is smaller than what is in it' [ "$(stat -c %s x.adoc)" -lt 4200000 ]
check 'the figure is its size' [ "$(figure wire_bytes)" == "$(stat -c %s x.adoc)" ]
check 'nothing else is there' [ -z "$(find . -name '.adoc-*')" ]
mode=$(printf %o $((0666 & ~$(umask))))
check 'it has the mode of a new file' [ "$(stat -c %a x.adoc)" == "$mode" ]
unpack 0 --from-file x.adoc --json
says recv.err 'unpacked x.adoc: 5 files' 'into out'
check 'what was unpacked is what was there' same_trees tree out/tree
check 'holes are holes' [ "$(stat -c %b out/tree/sparse)" -lt 200 ]
nothing_left_over
unpack 0 --from-file x.adoc --json
[[ $(figure skipped recv.out) == 11 && $(figure committed recv.out) == 0 ]] ||
  fail "unpacked again, it is not all skipped: $(cat recv.out)"

# Several paths, a pipe on either side, and the trace of it.
rm -rf out
"$ADOC_SEND" --trace trace.csv --to-file - tree/numbers tree/deep 2>send.err |
  "$ADOC_RECV" --out out --from-file - 2>recv.err
says send.err 'wrote 2 files'
check 'both paths came through the pipe' same_trees tree/deep out/deep
check 'the file among them' cmp tree/numbers out/numbers
says trace.csv 'least cost'
echo 'from a pipe' | "$ADOC_SEND" -q --name piped --to-file piped.adoc -
unpack 0 --from-file piped.adoc
check 'standard input is kept under its name' [ "$(<out/piped)" == 'from a pipe' ]
check 'a file of the wire is one' "$ADOC_RECV" -q --out out --from-file "$golden/to-receiver.bin"
check 'and holds what it says' [ "$(<out/hello.txt)" == 'hello AdOC' ]

# For a link.
to_file 0 --json --for 10mbit --force --to-file x.adoc tree
says send.err 'over 1.25 MB/s:' 'to compress and' 'to send,' 'in all;' 'if sent raw'
python3 -c '
import json, sys
figures = json.load(open("send.out"))
assert abs(figures["link_seconds"] - int(sys.argv[1]) / 1.25e6) < 1e-3, figures
assert abs(figures["raw_link_seconds"] - figures["bytes"] / 1.25e6) < 1e-3, figures
' "$(stat -c %s x.adoc)" || fail 'the times are not those of the link'
to_file 0 --for 1K --to-file slow.adoc tree/numbers
to_file 0 --for 100gbit --to-file fast.adoc tree/numbers
check 'for a slow link it is denser' [ "$(stat -c %s slow.adoc)" -lt "$(stat -c %s fast.adoc)" ]
rm -rf out
unpack 0 --from-file slow.adoc
check 'as dense as it is, it is the same' cmp tree/numbers out/numbers

# One that is there.
to_file 6 --to-file x.adoc tree
says send.err 'x.adoc' 'there already' '--force'
ln -s x.adoc link.adoc
to_file 6 --force --to-file link.adoc tree
says send.err 'link.adoc' 'not a regular file'
mkdir inside
cp tree/numbers inside
to_file 0 --to-file inside/x.adoc inside
rm -rf out
unpack 0 --from-file inside/x.adoc
check 'it is not in itself' [ "$(ls -A out/inside)" == numbers ]

# Sent as it is.
rm -rf out
start_recv --once
sends 0 --json x.adoc
recv_ends 0
check 'it arrives as it is' cmp x.adoc out/x.adoc
most=$(($(stat -c %s x.adoc) * 101 / 100))
check 'and is not compressed again' [ "$(figure wire_bytes)" -lt "$most" ]
mv out/x.adoc arrived.adoc
rm -rf out
unpack 0 --from-file arrived.adoc
check 'what arrived is unpacked' same_trees tree out/tree

# An unpacking that is killed goes on.
rm -rf out
head -c 40000000 /dev/urandom >large
to_file 0 --to-file large.adoc large tree
mkfifo pipe
"$ADOC_RECV" --out out --from-file - <pipe 2>recv.err &
RECV_PID=$!
exec 8>pipe
head -c 20000000 large.adoc >&8
eventually has_journal
kill -KILL "$RECV_PID"
recv_ends 137
exec 8>&-
check 'there is nothing of it under its name' [ ! -e out/large ]
unpack 0 --json --from-file large.adoc
check 'something of it was there' [ "$(figure resumed_bytes recv.out)" -gt 0 ]
check 'it is whole' cmp large out/large
check 'and so is what comes behind it' same_trees tree out/tree
nothing_left_over

# damaged SENTENCE FRAGMENT: X.adoc, which is damaged, is refused, and nothing of it is taken.
damaged() {
  rm -rf out
  unpack 5 --from-file damaged.adoc
  says recv.err damaged.adoc "$2"
  [[ $(find out -type f -not -path 'out/.adoc/*' 2>/dev/null | wc -l) == 0 ]] ||
    fail "$1: something of it is there: $(find out)"
  echo "ok: $1"
}
to_file 0 --to-file whole.adoc tree/random
size=$(stat -c %s whole.adoc)
for length in 24 100 1000000 $((size - 20)); do
  head -c "$length" whole.adoc >damaged.adoc
  damaged "cut off behind $length bytes" 'it is cut off'
done
head -c -1 whole.adoc >damaged.adoc
rm -rf out
unpack 5 --from-file damaged.adoc
says recv.err damaged.adoc 'it is cut off'
[[ ! -e out/random ]] || check 'what was committed by then is whole' cmp tree/random out/random
cp whole.adoc damaged.adoc
change_byte damaged.adoc 1500000
damaged 'one byte is another one' 'checksum'
head -c 100000 /dev/urandom >damaged.adoc
damaged 'garbage' 'is not a file that a transfer was written to'
: >damaged.adoc
damaged 'nothing' 'it is empty'
(cat whole.adoc && echo) >damaged.adoc
rm -rf out
unpack 5 --from-file damaged.adoc
says recv.err damaged.adoc "after the sender's end"

# Interrupted, and killed: there is nothing under its name, or what was there before.
# writes_to FILE: adoc-send is writing FILE, $SENDER, and waits for more of a pipe.
writes_to() {
  "$ADOC_SEND" --force --name piped --to-file "$1" - <pipe >send.out 2>send.err &
  SENDER=$!
  exec 8>pipe
  head -c 3000000 /dev/urandom >&8
  eventually writes_some
}
writes_some() { [[ -n $(find cut -name '.adoc-*.part' -size +0) ]]; }
mkdir cut
writes_to cut/x.adoc
kill -INT "$SENDER"
ends 130
exec 8>&-
says send.err interrupted 'nothing was written to cut/x.adoc' 'standard input'
check 'nothing is left of what was interrupted' nothing_of cut/x.adoc
cp large.adoc cut/x.adoc
writes_to cut/x.adoc
kill -TERM "$SENDER"
ends 130
exec 8>&-
check 'what was there is there' cmp large.adoc cut/x.adoc
check 'and nothing else' [ "$(ls -A cut)" == x.adoc ]
rm cut/x.adoc
writes_to cut/x.adoc
kill -KILL "$SENDER"
ends 137
exec 8>&-
check 'what was killed has no name' [ ! -e cut/x.adoc ]
to_file 0 --to-file cut/x.adoc tree/random
check 'the same command writes it' cmp cut/x.adoc whole.adoc
"$ADOC_SEND" --name piped --to-file - - <pipe >written 2>send.err &
SENDER=$!
exec 8>pipe
head -c 3000000 /dev/urandom >&8
eventually test -s written
kill -INT "$SENDER"
ends 130
exec 8>&-
says send.err interrupted 'what went to standard output is cut off' 'standard input'
# Also while it waits for a pipe that nobody reads. It ends without its threads then, which
# ThreadSanitizer would report.
mkfifo full
exec 7<>full
TSAN_OPTIONS=${TSAN_OPTIONS:-}:report_thread_leaks=0 \
  "$ADOC_SEND" --to-file - tree/random >full 2>send.err &
SENDER=$!
is_full() { python3 -c 'import select, sys; sys.exit(bool(select.select([], [0], [], 0)[1]))' <&7; }
eventually is_full
kill -INT "$SENDER"
ends 130
exec 7>&-
says send.err interrupted 'what went to standard output is cut off' \
  'the same command writes it from the start'

# Pipes that do not wait by themselves, as whoever shares them may have made them.
is_full_or_over() { is_full || [[ $(process_state "$SENDER") == Z ]]; }
exec 7<>full 6<full
python3 "$without_waiting" 1 "$ADOC_SEND" --to-file - tree/random >full 2>send.err 6<&- 7>&- &
SENDER=$!
eventually is_full_or_over
exec 7>&-
cat <&6 >written.adoc
exec 6<&-
ends 0
check 'a pipe that does not wait gets all of it' cmp written.adoc whole.adoc
exec 7<>full
python3 "$without_waiting" 1 "$ADOC_SEND" --to-file - tree/random >full 2>send.err 7>&- &
SENDER=$!
eventually is_full_or_over
kill -INT "$SENDER"
ends 130
exec 7>&-
says send.err interrupted 'what went to standard output is cut off'
rm -rf out
exec 8<>pipe
python3 "$without_waiting" 0 "$ADOC_RECV" -q --out out --from-file - <pipe 2>recv.err 8>&- &
RECV_PID=$!
# It waits for what is not there, or has given up.
eventually sleeps_or_over "$RECV_PID" "$ADOC_RECV"
cat whole.adoc >&8
exec 8>&-
recv_ends 0
check 'and all is unpacked from one' cmp tree/random out/random

# Options that are about a connection.
for option in '--streams 2' --insecure '--key-file key' '--bwlimit 1M' '--retry 0' --dry-run \
  '--shard 1/2' '--report x.html' '--policy adoc'; do
  # shellcheck disable=SC2086 # an option and its value
  to_file 2 $option --to-file none.adoc tree
  says send.err "${option%% *}" 'not go with --to-file'
done
to_file 2 --for 10mbit tree host
says send.err --for --to-file
for option in --once '--listen :1' --insecure --show-key; do
  # shellcheck disable=SC2086
  unpack 2 $option --from-file x.adoc
  says recv.err "${option%% *}" 'does not go with --from-file'
done
check 'nothing was written' [ ! -e none.adoc ]

# A disk that is full, for the one and for the other.
if [[ -n ${IN_MOUNT_NAMESPACE:-} ]]; then
  rm -rf out
  mount_out size=4m
  head -c 8000000 /dev/urandom >8M
  to_file 6 --json --to-file out/x.adoc tree/numbers 8M
  says send.err 'cannot write out/x.adoc' 'o space left'
  figures_are committed=0
  check 'nothing of it is left' nothing_of out/x.adoc
  to_file 0 --to-file x8.adoc tree/numbers 8M
  unpack 1 --from-file x8.adoc
  says recv.err 8M 'o space left'
  check 'what fits is there' cmp tree/numbers out/numbers
  nothing_left_over
  umount out
fi
