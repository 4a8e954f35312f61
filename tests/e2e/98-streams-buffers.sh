#!/usr/bin/env bash
# Goal: over a long path the receiver's socket buffer grows beyond where the system's tuning ends,
# as far as the system lets it; where that is too little, one line says which setting would
# help. (The sender's is no limit as surely: the system takes more than its buffer in large writes.)
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/wan.sh"

work_over_wan 200000
link_wan 40mbit:60ms:0%
# What the system's tuning gives is less than half of what such a path has on its way.
LITTLE=131072
(($(cat /proc/sys/net/core/wmem_max) >= LITTLE)) || skip 'nobody gets more here by asking for it'
in_sender sh -c "echo 4096 16384 $LITTLE >/proc/sys/net/ipv4/tcp_wmem"
in_receiver sh -c "echo 4096 $LITTLE $LITTLE >/proc/sys/net/ipv4/tcp_rmem"

head -c 1000000 /dev/urandom >piece
feed() { until [[ -e enough ]]; do cat piece; done; }

# begin: standard input goes over the path, until there was enough of it.
begin() {
  rm -rf out enough sent
  in_receiver "${WHERE[@]}" "$ADOC_RECV" --once --insecure --out out \
    --listen "$LINK_RECEIVER_ADDRESS:4400" </dev/null >recv.out 2>recv.err &
  RECV_PID=$!
  link_wait_listening 4400
  feed | tee sent | in_sender "${WHERE[@]}" "$ADOC_SEND" --insecure --json --level 0 --no-remember \
    --streams 1 --congestion cubic --name data - "$LINK_RECEIVER_ADDRESS:4400" \
    >send.out 2>send.err &
  SENDER=$!
}
finish() {
  touch enough
  ends 0
  recv_ends 0
  check "$1: identical" cmp sent out/data
}

# grows: the receiver's buffer is larger than the tuning's.
grows() {
  local bytes
  bytes=$(in_receiver ss -Htmn '( sport = :4400 )' | grep -o '[(,]rb[0-9]*' | grep -o '[0-9]*' |
    sort -n | tail -n 1)
  ((${bytes:-0} > LITTLE * 3 / 2))
}
WHERE=(env)
begin
eventually grows
finish 'as large as the system lets them'

# Where nobody gets more by asking for it: the longer, as that is what limits.
echo 65536 >most
# shellcheck disable=SC2016 # for the shell that is run
WHERE=(unshare --mount sh -c 'for of in wmem rmem; do
    mount --bind "$0" "/proc/sys/net/core/${of}_max" || exit
  done
  exec "$@"' "$T/most")
begin
# At the rate that such buffers allow that takes longer than is worth no word.
has_sent() { (($(stat -c %s sent 2>/dev/null || echo 0) > 12000000)); }
eventually has_sent
finish 'limited'
says send.err 'socket buffers limited this transfer' 'sysctl -w net.ipv4.tcp_'
