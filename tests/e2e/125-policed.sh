#!/usr/bin/env bash
# Goal: behind a policer, which has no queue and drops what comes in bursts, a sender on a system
# without BBR spaces out what it sends, and so has less than two thirds of the packets dropped of
# one that sends as much at once as its window allows.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/wan.sh"

: "${ADOC_NO_BBR:?the library without BBR}"
work_over_wan 100000
link_wan 100mbit:20ms:0%:20mbit/12kB
head -c 6000000 /dev/urandom >data

# sent_again: packets that the sender's system has sent again so far.
sent_again() {
  in_sender awk '$1 == "Tcp:" && !n { n = split($0, name) }
                 { split($0, value) }
                 $1 == "Tcp:" { for (i in name) if (name[i] == "RetransSegs") sum = value[i] }
                 END { print sum }' /proc/net/snmp
}

# dropped OPTION...: how many are sent again in a transfer of one connection, in $DROPPED.
dropped() {
  local before
  before=$(sent_again)
  rm -rf out
  in_receiver "$ADOC_RECV" --once --insecure --out out --listen "$LINK_RECEIVER_ADDRESS:4400" \
    </dev/null >recv.out 2>recv.err &
  RECV_PID=$!
  link_wait_listening 4400
  in_sender env LD_PRELOAD="$ADOC_NO_BBR" "$ADOC_SEND" --insecure --streams 1 --level 0 \
    --no-remember "$@" data "$LINK_RECEIVER_ADDRESS:4400" </dev/null >send.out 2>send.err ||
    fail "$(cat send.err)"
  recv_ends 0
  check "$* arrives" cmp data out/data
  DROPPED=$(($(sent_again) - before))
}

dropped --congestion cubic
at_once=$DROPPED
check 'the policer drops' [ "$at_once" -gt 10 ]
dropped --congestion auto
echo "sent again: $at_once at once, $DROPPED spaced out"
check 'less than two thirds of it where it is spaced out' [ $((3 * DROPPED)) -lt $((2 * at_once)) ]
