#!/usr/bin/env bash
# Goal: a copy over ssh whose connection of its own is lost goes on, also while its sender's library
# is at a block that cannot be interrupted, for longer than --timeout: the other side hears of the
# loss at once, and waits. Here such calls take for ever.
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
source "$support/cp.sh"
((EUID == 0)) || skip 'to cut the connections of another process needs root'

# The library that holds blocks stands before the sanitizer's, and what is left alone is in use.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0
cd "$T"
mkdir far
far_program=adoc-cp-$$
start_far "$far_program"
mkfifo go
exec 5<>go
printf '#!/bin/sh\nexport ADOC_HOLD=encode ADOC_HELD=%s ADOC_GO=%s\nLD_PRELOAD=%s exec "$@"\n' \
  "$T/held" "$T/go" "$ADOC_HELD_LIBRARY" >holding
chmod +x holding
seq 1 400000 >data

./holding "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" -v --json --level 22 \
  --timeout 2s data "far:$T/far/data" </dev/null >cp.out 2>cp.err &
CP=$!
eventually test -s held
[[ $(python3 "$support/cut_connections.py" "$CP" close) -gt 0 ]]
sleep 3
check 'the other side is there after --timeout' pgrep -x "$far_program"
head -c 1000 /dev/zero >&5
check 'the copy goes on' ends 0 "$CP" 60
check 'over another connection' [ "$(grep -c 'over a connection of its own' cp.err)" == 2 ]
check 'all of it' cmp data far/data
check 'what was made for the connection that was lost does not count' \
  [ "$(figure bytes cp.out)" == "$(stat -c %s data)" ]
