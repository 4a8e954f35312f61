#!/usr/bin/env bash
# Goal: work whose length a sender decides on, such as comparing a large file, ends when the
# receiver is told to stop and when the sender goes, also one that the receiver has stopped to read
# from.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

# It cannot look for leaks in a program that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
work_in_memory 100000
mkdir tree
head -c 16M /dev/urandom >tree/big
real_recv=$ADOC_RECV

# Each read of a file takes half a second, and there are 64: what does not stop is still at it.
printf '#!/bin/sh\nexec strace -f -qq -o /dev/null -e trace=pread64 %s "%s" "$@"\n' \
  '-e inject=pread64:delay_enter=500000' "$real_recv" >slow-recv
chmod +x slow-recv
# start_slow_recv OPTION...: sets $SLOW_PID, that of the program itself.
start_slow_recv() {
  ADOC_RECV=$T/slow-recv
  start_recv "$@"
  ADOC_RECV=$real_recv
  SLOW_PID=$(pgrep -P "$RECV_PID" adoc-recv)
  # It outlives the program that traces it.
  ALSO_KILLED=$SLOW_PID
}
stop_slow_recv() {
  kill -TERM "$SLOW_PID"
  ends_within 15 "$RECV_PID" || fail 'adoc-recv does not stop'
  wait "$RECV_PID" || true
  ALSO_KILLED=
}

# Comparing what is there.
mkdir -p out
cp tree/big out/big
start_slow_recv
"$ADOC_SEND" -q --retry 0 --checksum tree/big "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually has_open "$SLOW_PID" "$T/out/big"
check 'a receiver that compares stops when it is told to' stop_slow_recv
wait "$sender" && fail 'and yet the sender is content'
check 'the sender hears why' grep -q interrupted send.err

start_slow_recv --insecure --max-transfers 1
timeout 60 "$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" comparing "$T" >hostile.out
# One place: who is served is so because those before have lost theirs.
echo small >tree/small
check 'senders that go while their file is compared give back their place' \
  timeout 20 "$ADOC_SEND" -q --insecure tree/small "127.0.0.1:$PORT"
stop_slow_recv
rm -rf out

# Looking through what an earlier transfer has left.
start_recv
"$ADOC_SEND" -q --retry 0 --bwlimit 4M tree/big "127.0.0.1:$PORT" 2>/dev/null &
sender=$!
left_something() { [[ -n $(find out/.adoc -name '*.partial' -size +5M 2>/dev/null) ]]; }
eventually left_something
kill -KILL "$RECV_PID"
wait "$sender" "$RECV_PID" || true
start_slow_recv
"$ADOC_SEND" -q --retry 0 tree/big "127.0.0.1:$PORT" 2>send.err &
sender=$!
partial_is_open() { has_open "$SLOW_PID" "$(echo "$T"/out/.adoc/.adoc-*.partial)"; }
eventually partial_is_open
check 'a receiver that looks through what was left stops when it is told to' stop_slow_recv
wait "$sender" && fail 'and yet the sender is content'
check 'the sender hears why' grep -q interrupted send.err
check 'what was left is still there' left_something

# The hash of the whole, behind the last block of a file that is gone on with.
start_recv
before=$(stat -c %b out/.adoc/.adoc-*.partial)
"$ADOC_SEND" -q --retry 0 --bwlimit 2M tree/big "127.0.0.1:$PORT" 2>send.err &
sender=$!
goes_on() { (($(stat -c %b out/.adoc/.adoc-*.partial) > before)); }
eventually goes_on
# From here on reads are slow: what was there has been looked through.
strace -f -o reads -e trace=pread64 -e inject=pread64:delay_enter=500000 -p "$RECV_PID" \
  2>strace.err &
tracer=$!
eventually grep -q attached strace.err
eventually grep -qs pread64 reads
kill -TERM "$RECV_PID"
ends_within 15 "$RECV_PID" || fail 'adoc-recv does not stop'
wait "$RECV_PID" || true
wait "$tracer" || true
wait "$sender" && fail 'and yet the sender is content'
check 'a receiver that hashes the whole stops when it is told to' grep -q interrupted send.err
check 'the file has no name yet' [ ! -e out/big ]

# The look at the start through a directory that thousands of files were left in.
for i in {1..3000}; do : >"out/.adoc/.adoc-$i.part"; done
strace -f -qq -o looks -e trace=unlinkat -e inject=unlinkat:delay_enter=100000 \
  "$ADOC_RECV" --out out --listen 127.0.0.1:0 >scan.out 2>scan.err &
tracer=$!
eventually grep -qs 'unlinkat.*part' looks
SLOW_PID=$(pgrep -P "$tracer" adoc-recv)
ALSO_KILLED=$SLOW_PID
kill -TERM "$SLOW_PID"
check 'a receiver that looks at what was left stops when it is told to' ends_within 15 "$tracer"
wait "$tracer" || true
check 'it was not done with that' [ "$(find out/.adoc -name '*.part' | wc -l)" -gt 2000 ]
ALSO_KILLED=

# Emptying the holes of a file that is gone on with.
rm -rf out
truncate -s 64M tree/sparse
for i in {0..63}; do
  dd if=/dev/urandom of=tree/sparse bs=128K count=1 seek=$((i * 8)) conv=notrunc status=none
done
start_recv
cut_off --bwlimit 2M tree/sparse
rm -f holes
printf '#!/bin/sh\nexec strace -f -qq -o holes -e trace=fallocate %s "%s" "$@"\n' \
  '-e inject=fallocate:delay_enter=300000' "$real_recv" >slow-recv
start_slow_recv
"$ADOC_SEND" -q --retry 0 tree/sparse "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually grep -qs PUNCH_HOLE holes
check 'a receiver that empties holes stops when it is told to' stop_slow_recv
wait "$sender" && fail 'and yet the sender is content'
check 'the sender hears why' grep -q interrupted send.err
check 'it was not done with that' [ "$(grep -c PUNCH_HOLE holes)" -lt 32 ]

# A copy, where the file is for another mount of its file system.
rm -rf out
mkdir -p out/mount elsewhere tree/mount
mv tree/big tree/mount/big
if ! unshare -m mount --bind elsewhere out/mount 2>/dev/null; then
  echo 'nothing can be mounted here: copies between mounts are not tested' >&2
  exit 0
fi
cat >mounted-recv <<END
#!/bin/sh
mount --bind "$T/elsewhere" "$T/out/mount"
exec strace -f -qq -o /dev/null -e trace=pread64 -e inject=pread64:delay_enter=500000 "$real_recv" "\$@"
END
printf '#!/bin/sh\nexec unshare -m "%s" "$@"\n' "$T/mounted-recv" >slow-recv
chmod +x mounted-recv
start_slow_recv
"$ADOC_SEND" -q --retry 0 --name mount/big tree/mount/big "127.0.0.1:$PORT" 2>send.err &
sender=$!
copies() { [[ -n $(find elsewhere -name '.adoc-*') ]]; }
eventually copies
check 'a receiver that copies between mounts stops when it is told to' stop_slow_recv
wait "$sender" && fail 'and yet the sender is content'
check 'the sender hears why' grep -q interrupted send.err
check 'nothing is left of the copy' [ -z "$(ls -A elsewhere)" ]
