#!/usr/bin/env bash
# Goal: whatever senders send, the receiver's resident memory stays under the constant that its
# manual states and --memory for each transfer: the worst offers and the worst blocks at once, from
# one and from several.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

sanitized && exit 0 # they take memory of their own
work_in_memory 800000
constant=$((64 * 1024)) # KiB, as in adoc-recv(1)

# measure MEMORY_MIB SENDERS
measure() {
  local memory=$1 senders=$2 peak
  start_recv -q --insecure --memory "${memory}M" --max-transfers "$senders"
  timeout 100 "$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" memory "$T" "$senders" ||
    fail 'the attack itself fails'
  peak=$(peak_memory "$RECV_PID")
  echo "    $senders transfers, --memory ${memory}M: $peak KiB"
  check "$senders x ${memory}M and the constant suffice" \
    [ "$peak" -le $((constant + senders * memory * 1024)) ]
  check 'the blocks were taken' [ "$peak" -gt $((48 * 1024)) ]
  stop_recv
  rm -rf out
}
measure 120 1
measure 224 1
measure 120 4
expect_exit 2 "$ADOC_RECV" --out out --memory 100M 2>recv.err
check 'less than the worst offers and blocks take is refused' says recv.err '--memory' 'does not suffice'
