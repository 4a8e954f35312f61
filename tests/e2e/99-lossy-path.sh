#!/usr/bin/env bash
# Goal: over a long path that loses packets, with a congestion control that goes slower for each,
# "auto" has several connections in use while one alone would still be at it for long; over the same
# path without loss it stays with one; what arrives is the same.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../bench/link.sh"

says_why=$(link_possible 2>&1) || skip "$says_why"
[[ -c /dev/net/tun ]] || skip 'there is no /dev/net/tun'
export LINK_WAN_PROGRAM=${ADOC_WAN_LINK:?the program that is a long path}
work_in_memory 100000
at_end link_down
link_up || skip 'no network namespaces here'
head -c 8000000 /dev/urandom >data

# over PATH: a first transfer, and what it says of itself.
over() {
  link_wan "$1"
  rm -rf out
  in_receiver "$ADOC_RECV" --once --insecure --out out --listen "$LINK_RECEIVER_ADDRESS:4400" \
    </dev/null >recv.out 2>recv.err &
  RECV_PID=$!
  link_wait_listening 4400
  in_sender "$ADOC_SEND" --insecure --json --level 0 --no-remember --congestion cubic data \
    "$LINK_RECEIVER_ADDRESS:4400" </dev/null >send.out 2>send.err || fail "$(cat send.err)"
  recv_ends 0
  check "$1: identical" cmp data out/data
}

over 20mbit:60ms:1%
check 'with loss, at least four connections' [ "$(figure streams)" -ge 4 ]
over 20mbit:60ms:0%
figures_are streams=1
