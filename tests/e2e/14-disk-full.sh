#!/usr/bin/env bash
# Goal: a full disk, and every other failure of a disk, fails the entries it hits: both sides say
# so, the rest arrives, nothing is left over. A figure or trace that cannot be written is an error.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/transfer.sh"
command -v strace >/dev/null || fail 'strace is not installed'
# The leak checker cannot work in a process that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

cd "$T"
mkdir many out
for i in {1..20}; do echo "$i" >"many/$i"; done
seq 1 100000 >file

if [[ -n ${IN_MOUNT_NAMESPACE:-} ]]; then
  mount_out size=4m
  head -c 8000000 /dev/urandom >many/10-large
  start_recv
  sends 1 --json many
  says send.err many/10-large 'o space left'
  says send.out many/10-large 'o space left'
  figures_are files=21 directories=1 committed=21
  eventually grep -q 'received' recv.err
  says recv.err many/10-large 'o space left'
  check 'the large one is not there' [ ! -e out/many/10-large ]
  rm many/10-large
  check 'the small ones beside it are' diff -r many out/many
  nothing_left_over
  check 'its room is free again' [ "$(df --output=used -B1K out | tail -n 1)" -lt 500 ]
  head -c 3000000 /dev/urandom >fits
  sends 0 fits
  check 'what fits arrives afterwards' cmp fits out/fits
  # What does not end is not sent on, whether more of it comes or not.
  sends 1 --name endless - </dev/urandom
  says send.err endless 'o space left'
  mkfifo silent
  exec 7<>silent
  head -c 8000000 /dev/urandom >&7 &
  sends 1 --name silent - <silent
  says send.err silent 'o space left'
  exec 7>&-
  check 'nothing of either is there' [ "$(find out -name endless -o -name silent)" == '' ]
  nothing_left_over
  # More directories than the disk has room for names.
  umount -l out
  stop_recv
  mount_out nr_inodes=30
  start_recv
  mkdir -p inodes/{1..40}
  sends 1 inodes
  says send.err 'o space left'
  [[ $(find out -mindepth 2 | wc -l) -gt 20 ]] || fail 'the directories that have room are not there'
  check 'directories up to the last that has room' test -d out/inodes
  stop_recv
  umount out
fi

# with_fault WHERE FAULT: from now on this program has this fault, in the way of strace's inject.
with_fault() {
  cat >"$1-with-fault" <<END
#!/bin/sh
exec strace -f -qq -o /dev/null -e trace=${2%%:*} -e inject=$2 "$ADOC_BIN_DIR/adoc-$1" "\$@"
END
  chmod +x "$1-with-fault"
}
# receiver_fails SENTENCE FAULT REASON: one file of many fails at the receiver.
receiver_fails() {
  local sentence=$1 reason=$3 arrived
  rm -rf out
  mkdir out
  with_fault recv "$2"
  ADOC_RECV=$T/recv-with-fault start_recv --once
  sends 1 many
  recv_ends 1
  says send.err "$reason" 'on the other side'
  says recv.err "$reason"
  nothing_left_over
  arrived=$(find out -type f | wc -l)
  check "$sentence" [ "$arrived" == 19 ]
  check 'what arrived is whole' [ "$(diff -r many out/many | grep -cv '^Only in many')" == 0 ]
}
receiver_fails 'a write that fails' pwrite64:error=ENOSPC:when=3 'o space left'
receiver_fails 'a write that fails for the disk' pwrite64:error=EIO:when=1 'nput/output error'
receiver_fails 'a flush that fails' fsync:error=EIO:when=5 'nput/output error'
receiver_fails 'a rename that fails' renameat:error=EACCES:when=2 'ermission denied'
receiver_fails 'a mode that cannot be set' fchmod:error=EPERM:when=4 'ot permitted'

# What is left of a file that has failed is not sent, and the next one is.
rm -rf out
mkdir out
head -c 60000000 /dev/urandom >large
with_fault recv pwrite64:error=ENOSPC:when=1
ADOC_RECV=$T/recv-with-fault start_recv --once
sends 1 --json --level 0 --bwlimit 40M large file
recv_ends 1
says send.err large 'o space left'
figures_are files=2 committed=1
check 'no more than what was under way' [ "$(figure wire_bytes)" -lt 40000000 ]
check 'what comes after it arrives' cmp file out/file
nothing_left_over
rm large

# A directory that cannot be flushed, after all files were: nothing in the batch is known to be
# safe.
rm -rf out
mkdir out
with_fault recv fsync:error=EIO:when=21
ADOC_RECV=$T/recv-with-fault start_recv --once
sends 1 --json many
figures_are committed=0
says send.err 'nput/output error'
recv_ends 1
says recv.err 'nput/output error'
nothing_left_over

# The sender's disk.
rm -rf out
start_recv
with_fault send pread64:error=EIO:when=3
# How much is read at once is not to follow from the transfers before: the third read is file's.
ADOC_SEND=$T/send-with-fault sends 1 --no-remember --packet-size 8K file many/1
says send.err file 'nput/output error'
eventually grep -q file recv.err
says recv.err file 'nput/output error'
check 'what comes after it arrives' cmp many/1 out/1
check 'a file that cannot be read to its end is not there' [ ! -e out/file ]
with_fault send getdents64:error=EIO:when=1
ADOC_SEND=$T/send-with-fault sends 1 many file
says send.err many 'nput/output error'
check 'a directory that cannot be read fails alone' cmp file out/file
nothing_left_over

# What is told about the transfer.
empty_out
code=0
"$ADOC_SEND" --json file "127.0.0.1:$PORT" >/dev/full 2>send.err || code=$?
check '--json to a full disk' [ "$code" == 6 ]
says send.err 'standard output' 'o space left'
check 'the file is there all the same' cmp file out/file
empty_out
sends 6 --trace /dev/full file
says send.err /dev/full 'o space left'
sends 6 --trace "$T/none/trace" file
says send.err none/trace 'o such file'
sends 0 --trace trace --level 3 file
check 'a trace has a row for each block' [ "$(wc -l <trace)" -ge $(($(stat -c %s file) / 204800 + 1)) ]
stop_recv
rm -rf out
: >recv.out
"$ADOC_RECV" --out out --listen 127.0.0.1:0 --once --json >recv.out 2>recv.err &
RECV_PID=$!
eventually grep -q '^listening' recv.out
PORT=$(sed -n 's/.*://p;q' recv.out)
sends 0 file
recv_ends 0
check '--json of the receiver' [ "$(figure committed recv.out)" == 1 ]
