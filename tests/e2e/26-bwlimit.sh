#!/usr/bin/env bash
# Goal: with --bwlimit no more goes in a time than the rate allows, the level follows the limit as
# it would a slow link, all arrives as it was, and a stop request does not wait for the rate.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
head -c 3000000 /dev/urandom >noise
seq 1600000 >numbers

# takes_at_least MILLISECONDS COMMAND...
takes_at_least() {
  local least=$1 begin=${EPOCHREALTIME/./} took
  shift
  "$@"
  took=$(((${EPOCHREALTIME/./} - begin) / 1000))
  echo "$took ms, at least $least"
  ((took >= least))
}

start_recv
# 3,000,000 bytes at 1,048,576 a second, less a tenth.
check 'raw bytes take their time' takes_at_least 2574 sends 0 --bwlimit 1M --level 0 noise
check 'all of them arrive' cmp noise out/noise

sends 0 --bwlimit 512K --no-filters --trace trace --json numbers
check 'with compression all arrives' cmp numbers out/numbers
tail -n 1 trace | grep -Eq ',(zstd|bzip3),' || fail "not at a dense level in the end: $(tail -n 20 trace)"
check 'the level follows the limit' [ "$(figure wire_bytes)" -lt 2000000 ]

cp noise more
"$ADOC_SEND" --bwlimit 1K --level 0 more "127.0.0.1:$PORT" 2>send.err &
SENDER=$!
connected() { [[ ! -r /proc/$SENDER/fd ]] || find "/proc/$SENDER/fd" -lname 'socket:*' 2>/dev/null | grep -q .; }
eventually connected
# Whatever it is doing by then, most likely waiting for the rate.
sleep 0.3
kill -TERM "$SENDER"
begin=${EPOCHREALTIME/./}
code=0
wait "$SENDER" || code=$?
[[ $code == 130 ]] || fail "exit code $code: $(cat send.err)"
check 'a stop request does not wait for the rate' [ $(((${EPOCHREALTIME/./} - begin) / 1000)) -lt 5000 ]

expect_exit 2 send --bwlimit 1023 noise
says send.err '--bwlimit 1023: it is in bytes a second, 1024 at least'
expect_exit 2 send --bwlimit fast noise
stop_recv
