#!/usr/bin/env bash
# Goal: 5 GB of standard input arrive whole, in memory that does not grow with them: both processes
# stay below 64 MiB at low levels, and, of 1.5 GB, below 256 MiB at any that a fast link may get.
# Instrumented programs get 300 MB and are not measured.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

work_in_memory 6500000

# Text, noise and zeros, so that levels and codecs change all the time.
{ seq 1 1500000; head -c 3000000 /dev/urandom; head -c 5000000 /dev/zero; } >part
cat part part part part part >chunk
chunk_bytes=$(stat -c %s chunk)
# stream_of BYTES: that is in parts and rest.
stream_of() {
  local i
  bytes=$1
  head -c $((bytes % chunk_bytes)) chunk >rest
  mapfile -t parts < <(for ((i = 0; i < bytes / chunk_bytes; ++i)); do echo chunk; done)
}

arrives_whole() {
  local i
  [[ $(stat -c %s out/stream) == "$bytes" ]] || return 1
  for i in "${!parts[@]}"; do
    cmp -i "$((i * chunk_bytes)):0" -n "$chunk_bytes" out/stream chunk || return 1
  done
  cmp -i "$((${#parts[@]} * chunk_bytes)):0" out/stream rest
}

# stays_below KIB [OPTION...]: sends all of it with these options.
stays_below() {
  local limit=$1 peak send_kib=0 recv_kib
  shift
  start_recv -q --insecure
  "$ADOC_SEND" --insecure --json "$@" --name stream - "127.0.0.1:$PORT" \
    < <(cat "${parts[@]}" rest) >send.out 2>send.err &
  SENDER=$!
  while peak=$(peak_memory "$SENDER") && [[ -n $peak ]]; do
    send_kib=$peak
    sleep 0.05
  done
  wait "$SENDER" || fail "adoc-send: $(cat send.err)"
  recv_kib=$(peak_memory "$RECV_PID")
  figures_are "bytes=$bytes" committed=1
  check 'every byte arrives' arrives_whole
  rm -f out/stream
  stop_recv
  echo "peak of adoc-send: $send_kib KiB, of adoc-recv: $recv_kib KiB"
  sanitized && return
  check 'the sender was measured' [ "$send_kib" -gt 1000 ]
  check "adoc-send stays below $limit KiB" [ "$send_kib" -lt "$limit" ]
  check "adoc-recv stays below $limit KiB" [ "$recv_kib" -lt "$limit" ]
}

if sanitized; then
  stream_of 300000000
else
  stream_of 5000000000
fi
stays_below 65536 --max-level 5
sanitized || stream_of 1500000000
stays_below 262144
