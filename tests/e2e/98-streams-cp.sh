#!/usr/bin/env bash
# Goal: a copy to another machine or from there has as many connections of its own as are asked for,
# and one of them may be lost without anybody noticing; one through ssh has none of them.
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
source "$support/cp.sh"
((EUID == 0)) || skip 'to cut the connections of another process needs root'

cd "$T"
mkdir far
start_far
head -c 8000000 /dev/urandom >data

"$ADOC_CP" -F "$SSH_CONFIG" -v --json --streams 3 --via direct --bwlimit 2M data "far:$T/far/" \
  </dev/null >cp.out 2>cp.err &
CP=$!
eventually grep -q '3 connections are there' cp.err
# A number leads to one of them, or to the port that it listens on.
is_cut() { (($(python3 "$support/cut_connections.py" "$CP" close 1) > 0)); }
eventually is_cut
ends 0 "$CP" 60
check 'over three connections: identical' cmp data far/data
[[ $(figure streams cp.out) == 3 && $(figure retries cp.out) == 0 ]] || fail "$(cat cp.out)"

rm far/data
cp_ends 0 --json --via ssh --streams 3 data "far:$T/far/"
check 'through ssh: identical' cmp data far/data
[[ $(figure streams cp.out) == 1 ]] || fail "$(cat cp.out)"
expect_exit 2 "$ADOC_CP" --streams 17 data "far:$T/far/"

# From there: the far side is confined and opens no connection, so this side opens those that it
# takes.
mv data far/data
"$ADOC_CP" -F "$SSH_CONFIG" -v --streams 3 --via direct --bwlimit 2M "far:$T/far/data" . \
  </dev/null >cp.out 2>cp.err &
CP=$!
# What has brought nothing yet may not have been let in.
are_three() { (($(python3 "$support/cut_connections.py" "$CP" receive) == 3)); }
eventually are_three
is_cut
ends 0 "$CP" 60
check 'from there over three connections: identical' cmp data far/data
check 'nobody noticed that one was lost' bash -c '! grep -q "is lost" cp.err'
