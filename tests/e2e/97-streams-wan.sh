#!/usr/bin/env bash
# Goal: over a long path that loses packets "auto" finds out that several connections bring more
# across, and over a short one it stays with one; TCP's congestion control is the one that was asked
# for, or BBR where the path loses packets that no queue explains.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/wan.sh"

work_over_wan 100000

# over PATH BYTES OPTION...: a transfer of so many bytes over such a path.
over() {
  link_wan "$1"
  head -c "$2" /dev/urandom >data
  rm -rf out
  in_receiver "$ADOC_RECV" --once --insecure --out out --listen "$LINK_RECEIVER_ADDRESS:4400" \
    </dev/null >recv.out 2>recv.err &
  RECV_PID=$!
  link_wait_listening 4400
  in_sender "$ADOC_SEND" --insecure --json --level 0 --no-remember "${@:3}" data \
    "$LINK_RECEIVER_ADDRESS:4400" </dev/null >send.out 2>send.err || fail "$(cat send.err)"
  recv_ends 0
  check "$* arrives" cmp data out/data
}

over 40mbit:60ms:1% 12000000 --streams auto --congestion reno
check 'several connections' [ "$(figure streams)" -gt 1 ]
over 40mbit:2ms:0% 12000000 --streams auto
figures_are streams=1

# What the sockets of the sender use is looked at while it sends.
uses() { in_sender ss -Htin 'dport = :4400' | grep -qw "$1"; }
over 40mbit:60ms:1% 100000 --congestion reno
start_recv --insecure
expect_exit 2 send --insecure --congestion no-such data
says send.err '--congestion no-such: the system has none of that name'
stop_recv
if grep -qw bbr /proc/sys/net/ipv4/tcp_available_congestion_control; then
  (over 40mbit:60ms:1% 6000000 --congestion auto) &
  OVER=$!
  eventually uses bbr
  ends 0 "$OVER" 60
fi
