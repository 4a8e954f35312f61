#!/usr/bin/env bash
# Goal: what comes from standard input over one connection, and cannot be sent again, arrives as it
# was given although that connection is cut, at any moment, often and in any way, and another one
# takes its place.
set -euo pipefail
source "$(dirname "$0")/../support/standard_input.sh"

SEED=${ADOC_TEST_SEED:-$(od -An -N2 -tu2 /dev/urandom)}
echo "ADOC_TEST_SEED=$((SEED))"

# Cut again and again, from the first byte on, over one connection. Each side has the patience for
# all attempts that a plan of the proxy's may spoil in a row, which take longer with a sanitizer.
late=15s
! sanitized || late=30s
for how in '' --insecure '--streams 1 --congestion cubic' '--streams 4'; do
  # shellcheck disable=SC2086 # words
  recv_how=${how%%--streams*}
  # shellcheck disable=SC2086
  start_recv --timeout "$late" $recv_how
  cuts=25
  [[ $how != *streams* ]] || cuts=8
  start_proxy "$cuts" 300000 $((SEED++))
  code=0
  # shellcheck disable=SC2086
  "$ADOC_SEND" --json --wait 30s --timeout 1s --level 0 $how --name data - "127.0.0.1:$PORT" <data \
    >send.out 2>send.err || code=$?
  [[ $code == 0 ]] || fail "exit code $code: $(tail -n 5 send.err recv.err)"
  arrives "$cuts cuts ${how:-as it is}"
  check 'it was cut' [ "$(grep -c cut proxy.out)" -ge $((cuts - 5)) ]
  figures_are committed=1
  [[ $how == *' 4' ]] || figures_are streams=1
  stop_recv
  nothing_left_over
  rm out/data
done
