#!/usr/bin/env bash
# Goal: strangers at the port neither end the receiver nor keep a sender out that has the key: a
# port scan, other protocols, openssl s_client, and more connections than there is room for that are
# silent or break off, while an honest transfer goes on beside them.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

strangers=$(cd "$(dirname "$0")/../support" && pwd)/strangers.py
cd "$T"

# What AddressSanitizer holds back of what was freed, 256 MiB if let, is not the receiver's memory.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16

seq 1 20000 >file

# lets_in MILLISECONDS: a sender with the key is through in time.
lets_in() {
  local began=${EPOCHREALTIME/./} took
  rm -f out/file
  sends 0 file
  cmp file out/file
  took=$(((${EPOCHREALTIME/./} - began) / 1000))
  echo "a transfer took $took ms"
  sanitized || ((took < $1))
}

start_recv
for kind in closes resets says-noise says-http says-a-byte; do
  python3 "$strangers" "$PORT" "$kind" 200
  check "after 200 that: $kind" lets_in 5000
done
for _ in 1 2 3; do
  timeout 10 openssl s_client -connect "127.0.0.1:$PORT" </dev/null >client.out 2>&1 || true
  check 's_client is not let in' grep -q 'alert' client.out
done
check 'after openssl s_client' lets_in 5000

# An honest transfer under way, and 500 who wait for nothing.
mkfifo pace
"$ADOC_SEND" -q --name slow - "127.0.0.1:$PORT" <pace 2>slow.err &
SENDER=$!
exec 7>pace
head -c 300000 /dev/zero >&7
eventually bash -c '[[ -n $(find out -name ".adoc-*" -print -quit) ]]'
for kind in holds holds-after-a-byte holds-in-a-handshake; do
  rm -f held.out
  python3 "$strangers" "$PORT" "$kind" 500 >held.out &
  held=$!
  eventually grep -q here held.out
  check "while 500 are there: $kind" lets_in 5000
  threads=$(sed -n 's/^Threads:[[:space:]]*//p' "/proc/$RECV_PID/status")
  check 'they have no threads' [ "$threads" -lt 64 ]
  [[ ! -r /proc/$RECV_PID/fd ]] || check 'and few descriptors' bash -c '(($(ls "/proc/$1/fd" | wc -l) < 192))' _ "$RECV_PID"
  kill "$held"
  wait "$held" 2>/dev/null || true
done
head -c 300000 /dev/zero >&7
exec 7>&-
wait "$SENDER" || fail "the transfer beside them failed: $(cat slow.err)"
check 'the transfer beside them is whole' cmp -n 600000 out/slow /dev/zero
check 'and complete' [ "$(stat -c %s out/slow)" == 600000 ]
check 'the log is not full of them' [ "$(wc -l <recv.err)" -lt 200 ]
check 'memory stays small' [ "$(peak_memory "$RECV_PID")" -lt 131072 ]
stop_recv
