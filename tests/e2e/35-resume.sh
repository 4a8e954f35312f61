#!/usr/bin/env bash
# Goal: a transfer whose sender or receiver is killed goes on where it was when the same command is
# run again: the data is identical, only the rest is sent, nothing is left over. What changed or was
# damaged in between is sent anew; what is old is removed; --no-resume starts over.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

# Large enough that a third of it leaves time to kill a program; instrumented ones are slow anyway.
size=$((48 << 20))
! sanitized || size=$((12 << 20))
work_in_memory $((size * 6 >> 10))
third=$((size / 3 >> 10))
head -c "$size" /dev/urandom >big

partial() { find out/.adoc -name '*.partial' 2>/dev/null; }
journal() { find out/.adoc -name '*.journal' 2>/dev/null; }
on_disk() { stat -c '%b * %B' "$1" | { read -r sum; echo $((sum)); }; }
# kept KIB: so much of the file is in the partial file, and the journal says so.
kept() {
  local file
  file=$(partial)
  [[ -n $file && -s $(journal) ]] && (($(on_disk "$file") > $1 << 10))
}
# cut_off sender|receiver KIB [OPTION...]: kills that side once as much has arrived.
cut_off() {
  local side=$1 kib=$2
  shift 2
  start_recv
  # One thread of zlib is so slow that it can be killed in between.
  "$ADOC_SEND" --retry 0 --threads 1 --ladder zlib --level 1 "$@" "127.0.0.1:$PORT" \
    >send.out 2>send.err &
  SENDER=$!
  eventually kept "$kib"
  if [[ $side == sender ]]; then kill -KILL "$SENDER"; else kill -KILL "$RECV_PID"; fi
  wait "$SENDER" 2>/dev/null || true
  if [[ $side == receiver ]]; then
    wait "$RECV_PID" 2>/dev/null || true
  else
    eventually grep -q 'the sender went away\|is lost' recv.err
    stop_recv
  fi
  [[ ! -e out/big ]] || fail "it was over before it could be cut off"
}
# goes_on SENTENCE [OPTION...]: the same command again; $sent and $resumed in bytes.
goes_on() {
  local sentence=$1
  shift
  start_recv
  sends 0 --json "$@" big
  stop_recv
  check "$sentence: identical" cmp big out/big
  nothing_left_over
  sent=$(figure bytes) resumed=$(figure resumed_bytes)
}

for side in sender receiver; do
  cut_off "$side" "$third" big
  goes_on "a killed $side"
  check "a killed $side: what was there is not sent again" [ $((sent + resumed)) == "$size" ]
  check "a killed $side: that is most of it" [ "$resumed" -gt $((size / 3 - (1 << 20))) ]
  says send.err resumed
  says recv.err 'unfinished' '1 file'
  rm out/big
done

# Both sides tell the same figure.
cut_off receiver "$third" big
start_recv --once --json
sends 0 --json big
recv_ends 0
check 'both sides tell what was resumed' \
  [ "$(figure resumed_bytes)" == "$(figure resumed_bytes recv.out)" ]
check 'it is something' [ "$(figure resumed_bytes)" -gt 0 ]
rm out/big

# Several times, never finishing before.
for round in 1 2 3; do cut_off receiver $((round * third / 2)) big; done
goes_on 'three kills'
check 'three kills: all three parts counted' [ "$resumed" -gt $((size / 2 - (2 << 20))) ]
rm out/big

# A byte that flipped on the disk.
cut_off receiver "$third" big
change_byte "$(partial)" $((size / 10))
goes_on 'a damaged partial file'
check 'a damaged partial file: only the block around it is sent again' \
  [ "$resumed" -gt $((size / 3 - (2 << 20))) ]
rm out/big

# Cut off at its end, as after a crash of the machine.
cut_off receiver "$third" big
truncate -s $((size / 16)) "$(partial)"
goes_on 'a partial file that lost its end'
check 'a partial file that lost its end: the beginning is used' [ "$resumed" -gt $((size / 48)) ]
check 'a partial file that lost its end: and no more' [ "$resumed" -le $((size / 16)) ]
rm out/big

# A journal that is none.
cut_off receiver "$third" big
head -c 300 /dev/urandom >"$(journal)"
goes_on 'a damaged journal'
check 'a damaged journal: all is sent' [ "$sent" == "$size" ]
rm out/big

# The source changed: another time, another size, and with --checksum other contents alone.
cut_off receiver "$third" big
touch -d '2001-02-03 04:05:06' big
goes_on 'a source with another time'
check 'a source with another time is sent anew' [ "$sent" == "$size" ]
rm out/big
cut_off receiver "$third" big
echo more >>big
goes_on 'a source that grew'
check 'a source that grew is sent anew' [ "$sent" == $((size + 5)) ]
rm out/big
cut_off receiver "$third" --checksum big
touch -r big time
printf 'not what it was' | dd of=big bs=1 seek=100 conv=notrunc status=none
touch -r time big
goes_on 'other contents of the same size and time' --checksum
check 'other contents of the same size and time, with --checksum, are sent anew' \
  [ "$resumed" == 0 ]
rm out/big

# --no-resume on either side.
cut_off receiver "$third" big
goes_on '--no-resume of the sender' --no-resume
check '--no-resume of the sender starts over' [ "$resumed" == 0 ]
rm out/big
cut_off receiver "$third" big
start_recv --no-resume
check '--no-resume of the receiver removes what is there' [ -z "$(partial)" ]
sends 0 --json big
check '--no-resume of the receiver starts over' [ "$(figure resumed_bytes)" == 0 ]
stop_recv
nothing_left_over
rm out/big

# Of a tree: what was committed is there, and the large file goes on.
mkdir tree
seq 1000 >tree/a
cp big tree/m
seq 2000 >tree/z
cut_off sender "$third" tree
start_recv
sends 0 --json tree
stop_recv
check 'a tree: identical' same_trees tree out/tree
check 'a tree: resumed' [ "$(figure resumed_bytes)" -gt $((size / 3 - (1 << 20))) ]
nothing_left_over
rm -r out/tree

# What is old is removed, and told.
cut_off receiver "$third" big
touch -d '6 days ago' "$(journal)"
start_recv
says recv.err 'unfinished' '1 file'
stop_recv
check 'six days are not old' [ -n "$(partial)" ]
touch -d '8 days ago' "$(journal)"
start_recv
says recv.err 'removed' '1 file'
stop_recv
nothing_left_over
cut_off receiver "$third" big
touch -d '2 days ago' "$(journal)"
start_recv --partial-age 1
check 'the age is what is asked for' [ -z "$(partial)" ]
stop_recv
expect_exit 2 "$ADOC_RECV" --out out --partial-age soon

# Two receivers of one directory: the second neither uses nor removes what the first is at work on.
mkfifo pace
start_recv
first=$RECV_PID
"$ADOC_SEND" --threads 1 --ladder zlib --level 1 big "127.0.0.1:$PORT" >send.out 2>first.err &
one=$!
eventually kept $((third / 4))
kill -STOP "$one"
start_recv --no-resume
sends 0 --json big
check 'two receivers: the second does not use what the first works on' \
  [ "$(figure resumed_bytes)" == 0 ]
check 'two receivers: nor does it remove it' [ -n "$(partial)" ]
check 'two receivers: the second delivers' cmp big out/big
stop_recv
kill -CONT "$one"
wait "$one" || fail "the first receiver's transfer: $(cat first.err)"
check 'two receivers: so does the first' cmp big out/big
RECV_PID=$first
kill -TERM "$first"
ends_within 20 "$first" || fail 'the first receiver does not end'
nothing_left_over

# Names that lead into the receiver's own directory are not sent.
mkdir -p own/.adoc
echo secret >own/.adoc/file
echo plain >own/plain
start_recv
sends 1 own/
says send.err .adoc
check 'the rest is sent' cmp own/plain out/plain
check 'nothing named .adoc' [ ! -e out/.adoc ]
sends 0 --exclude /.adoc own/
stop_recv
