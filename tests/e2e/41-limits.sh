#!/usr/bin/env bash
# Goal: what a sender may do to the receiving machine has limits, each told with its option: what
# does not fit is refused at the offer, nothing of it is written, and the rest arrives. Bits that
# make a file run as its owner are dropped and told.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
mode() { stat -c %a "$1"; }

# Set-uid, set-gid, sticky.
mkdir -p bits/{shared,sticky}
for mode in 0755 4755 2755 6711 1644; do
  echo "$mode" >"bits/$mode"
  chmod "$mode" "bits/$mode"
done
chmod 2775 bits/shared
chmod 1777 bits/sticky
start_recv
sends 0 bits
for mode in 4755 2755 6711 1644; do
  check "$mode loses its first digit" [ "$(mode "out/bits/$mode")" == "${mode:1}" ]
done
check 'the others are as sent' [ "$(mode out/bits/0755)" == 755 ]
check 'a directory loses its set-gid bit' [ "$(mode out/bits/shared)" == 775 ]
check 'a sticky directory stays one' [ "$(mode out/bits/sticky)" == 1777 ]
eventually grep -q 'not kept, entries that had them: 5 (--keep-setuid' recv.err
sends 0 --json bits
figures_are committed=0
# The parent's set-gid bit is this machine's choice.
rm -rf out/bits
mkdir -p out/bits
chmod 2755 out/bits
sends 0 bits
check 'a directory that has it from its parent keeps it' [ "$(mode out/bits/shared)" == 2775 ]
sends 0 --json bits
figures_are committed=0
stop_recv
rm -rf out
start_recv --keep-setuid
sends 0 bits
check '--keep-setuid: all is as sent' same_trees bits out/bits
! grep -q 'not kept' recv.err || fail 'it says that bits are not kept'
stop_recv

# --max-bytes: what fits arrives, also after what does not.
mkdir bytes
head -c 300000 /dev/urandom >bytes/a
head -c 900000 /dev/urandom >bytes/b
head -c 300000 /dev/urandom >bytes/c
truncate -s 4T bytes/hole
start_recv --max-bytes 1000000
sends 1 bytes
says send.err '1000000 bytes' 'the receiver allows (its --max-bytes raises that)'
says send.err bytes/hole '(its --max-bytes raises that)'
check 'no more than that arrives' [ "$(find out/bytes -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')" -le 1000000 ]
check 'what fits arrives, whichever comes first' test -s out/bytes/a -o -s out/bytes/b
empty_out
sends 1 --name stream - bytes/a <bytes/b
says send.err stream '(its --max-bytes raises that)'
check 'standard input is counted while it comes' [ ! -e out/stream ]
sends 0 --name stream - <bytes/b
check 'and arrives when it fits: each transfer is counted by itself' cmp bytes/b out/stream
sends 1 --name stream - < <(cat bytes/*[abc])
check 'what was there stays' cmp bytes/b out/stream
nothing_left_over
stop_recv
rm -rf out

# Holes take no room.
start_recv
sends 0 bytes/hole
check 'a file of 4 TiB that is a hole arrives' [ "$(stat -c '%s %b' out/hole)" == '4398046511104 0' ]
stop_recv
rm -rf out

# --max-entries ends the transfer, --max-depth fails the entry.
mkdir -p entries/{1..300}
start_recv --max-entries 300 --max-depth 2
sends 7 entries
says send.err '300 entries' '(its --max-entries raises that)'
eventually grep -q -e '--max-entries' recv.err
sends 0 bytes/a
mkdir -p deep/er/and
echo deep >deep/er/file
echo deeper >deep/er/and/file
sends 1 deep
says send.err deep/er/and/file '3 directories deep' '(its --max-depth raises that)'
check 'what is not too deep arrives' cmp deep/er/file out/deep/er/file
stop_recv
rm -rf out

# --max-transfers: those above it wait for their turn.
mkfifo pace
start_recv -v --max-transfers 1
"$ADOC_SEND" --name first - "127.0.0.1:$PORT" <pace 2>first.err &
FIRST=$!
exec 7>pace
eventually grep -q 'transfer 1 from' recv.err
"$ADOC_SEND" bytes/a "127.0.0.1:$PORT" 2>second.err 7>&- &
SECOND=$!
sleep 1
check 'the second one waits' kill -0 "$SECOND"
check 'and has sent nothing' [ ! -e out/a ]
exec 7>&-
wait "$FIRST" || fail "$(cat first.err)"
wait "$SECOND" || fail "$(cat second.err)"
check 'and is served afterwards' cmp bytes/a out/a
stop_recv
rm -rf out

# What cannot be meant.
for wrong in '--max-bytes x' '--max-entries -1' '--max-depth 5000' '--max-transfers 5000' '--min-free 1X'; do
  # shellcheck disable=SC2086 # an option and its value
  expect_exit 2 "$ADOC_RECV" --out out $wrong 2>recv.err
  says recv.err "${wrong%% *}"
done

[[ -n ${IN_MOUNT_NAMESPACE:-} ]] || exit 0
# A disk of 16 MiB.
mount_out size=16m
mkdir -p large
used() { df --output=used -B1K out | tail -n 1; }
truncate -s 10M zeros
for file in a b; do
  head -c 10000000 /dev/urandom >"large/$file"
  echo small >"large/small-$file"
done
start_recv
sends 1 large
says send.err 'no space left' 'takes 10002432 bytes' '(adoc-recv --min-free lowers that)'
check 'one of two large files arrives' [ "$(find out/large -size +1M | wc -l)" == 1 ]
check 'and the small ones' test -s out/large/small-a -a -s out/large/small-b
empty_out
# Two at once: what is promised to one is not promised to the other.
"$ADOC_SEND" --bwlimit 1M large/a "127.0.0.1:$PORT" 2>first.err &
FIRST=$!
refused() { ! send --dry-run large/b; }
eventually refused
says send.err 'no space left'
check 'which is not written yet' [ "$(used)" -lt 9000 ]
wait "$FIRST" || fail "$(cat first.err)"
check 'the first one is whole' cmp large/a out/a
empty_out
code=0
cat large/a large/b | send --name stream - || code=$?
check 'standard input that does not fit fails' [ "$code" == 1 ]
says send.err stream 'no space left'
check 'leaves nothing' [ "$(used)" -lt 100 ]
# Runs of a byte take a block each: more disk than there is for 4 KB.
python3 -c '
with open("runs", "wb") as file:
    for i in range(4090):
        file.seek(i * 8192)
        file.write(b"x")
'
sends 1 runs
says send.err 'no space left' 'takes 16752640 bytes'
stop_recv
start_recv --min-free 10M
sends 1 large/a
says send.err 'no space left'
sends 0 large/small-a
stop_recv
start_recv --min-free 0
# As much as there is, but for the blocks that the directory takes.
head -c $((16 * 1024 * 1024 - 64 * 1024)) /dev/urandom >all
sends 0 all
check '--min-free 0: all of the disk may be used' cmp all out/all
stop_recv
umount out
mount_out size=16m,nr_inodes=500
mkdir -p many/{1..600}
start_recv
sends 1 many
says send.err 'no room for more files'
# But for the receiver's own directory and what is in it.
check 'a hundredth of the files stays free' [ "$(df --output=iavail out | tail -n 1)" -ge 3 ]
stop_recv
