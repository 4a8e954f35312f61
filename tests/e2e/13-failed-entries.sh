#!/usr/bin/env bash
# Goal: an entry that cannot be read, changes under way or has no place at the destination fails
# alone: both sides name it, the rest arrives, and nothing half-written stays.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/held_up.sh"

# Root reads everything: then the sender is another user.
as_user=()
if ((EUID == 0)); then
  chmod 0755 "$T"
  as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
start_recv -q
cd "$T"
echo good >good

# fails_alone SENTENCE NAME REASON: after a send that ended with 1, both sides tell of the entry, it
# is not there, and the others are.
fails_alone() {
  local name=$2 reason=$3
  says send.err "$name" "$reason"
  eventually grep -qaF -e "$name" recv.err
  says recv.err "$name"
  [[ ! -e out/$name ]] || fail "$name is there"
  nothing_left_over
  : >recv.err
  check "$1" cmp good out/good
  empty_out
}

# What is known before the transfer.
mkdir -p dark/closed
echo secret >dark/unreadable
echo hidden >dark/closed/inside
cp good dark/readable
truncate -s 1M dark/sparse
chmod 0 dark/unreadable dark/closed dark/sparse
[[ $EUID != 0 ]] || chown -R 65534:65534 dark
code=0
ADOC_KEY=$(cat "$KEY_FILE") "${as_user[@]}" "$ADOC_SEND" good dark "127.0.0.1:$PORT" >send.out 2>send.err || code=$?
check 'unreadable sources: exit code 1' [ "$code" == 1 ]
check 'the readable one beside them arrives' cmp good out/dark/readable
says send.err dark/sparse 'ermission denied'
says send.err dark/closed 'ermission denied'
says recv.err dark/sparse
says recv.err dark/closed
fails_alone 'an unreadable file fails alone' dark/unreadable 'ermission denied'

sends 1 good missing
fails_alone 'a missing path fails alone' missing 'o such file'
sends 1 good missing/
fails_alone 'a missing directory fails alone' missing 'o such file'
sends 1 dark/readable/ good
fails_alone 'a file is no directory, whatever its name' readable 'ot a directory'
sends 6 missing
says send.err missing 'o such file'
sends 6 missing another/
says send.err missing 'o such file'

mkfifo fifo
sends 1 fifo good
fails_alone 'a FIFO is not sent' fifo 'not a file'
sends 1 good /dev/null
fails_alone 'a device is not sent' null 'not a file'

# What is in its place at the destination.
mkdir -p taken out/taken out/tree/directory/sub
echo new >taken/x
mkdir -p tree/file
echo x >tree/directory
echo below >tree/file/below
echo old >out/tree/file
sends 1 good tree
says send.err tree/directory 'directory has its name'
says recv.err tree/directory 'directory has its name'
says send.err tree/file/below 'not a directory'
says send.err tree/file 'is not a directory'
check 'what was there stays: a directory' test -d out/tree/directory/sub
check 'what was there stays: a file' [ "$(<out/tree/file)" == old ]
check 'the rest arrives' cmp good out/good
nothing_left_over
: >recv.err
empty_out
mkdir elsewhere
ln -s "$T/elsewhere" out/tree
sends 1 good tree
says send.err tree/directory 'not a directory'
check 'no link is followed' [ -z "$(ls -A elsewhere)" ]
check 'the link stays' test -L out/tree
rm -rf tree
: >recv.err
empty_out

# What happens between listing and reading.
make_what_holds
for file in removed grown shrunk touched replaced linked; do seq 1 1000 >"$file"; done
hold_up removed grown shrunk touched replaced linked good
rm removed replaced linked
echo more >>grown
truncate -s 10 shrunk
touch -d '2001-01-01 UTC' touched
mkfifo replaced
ln -s good linked
let_go 1
check 'standard input arrives' [ "$(<out/paced)" == end ]
check 'what comes later arrives' [ "$(stat -c %s out/hold/12)" == 67108864 ]
for file in grown shrunk touched replaced linked; do
  says send.err "$file"
  says recv.err "$file"
  check "not there: $file" [ ! -e "out/$file" ]
done
says send.err grown changed
says send.err shrunk changed
fails_alone 'a file that goes between listing and reading fails alone' removed vanished

# What happens while it is read. At the highest level and in small blocks that takes seconds; the
# sender is stopped as soon as it has the file open, which it keeps until it has looked at it a last
# time.
head -c 1000000 /dev/urandom | od -An -tx1 >large
# while_reading SENTENCE REASON COMMAND...
while_reading() {
  local sentence=$1 reason=$2 code=0
  shift 2
  cp large changing
  "$ADOC_SEND" --ladder zstd --level 28 --block-size 200K changing good "127.0.0.1:$PORT" >send.out 2>send.err &
  SENDER=$!
  eventually has_open "$SENDER" "$T/changing"
  kill -STOP "$SENDER"
  check 'stopped while it reads' has_open "$SENDER" "$T/changing"
  "$@"
  kill -CONT "$SENDER"
  wait "$SENDER" || code=$?
  [[ $code == 1 ]] || fail "exit code $code: $(cat send.err)"
  fails_alone "$sentence" changing "$reason"
}
while_reading 'a file that grows while it is read fails alone' changed eval 'echo more >>changing'
while_reading 'a file that shrinks while it is read fails alone' shorter truncate -s 1000 changing
while_reading 'a file that is written while it is read fails alone' changed \
  change_byte changing 3000000
stop_recv
