#!/usr/bin/env bash
# Goal: 5 GB of standard input arrive whole, in memory that does not grow with them: both processes
# stay below 64 MiB. Instrumented programs get 300 MB and are not measured.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

bytes=5000000000
if sanitized; then bytes=300000000; fi
# In plain text: a link that encryption slows down gets denser levels, and those take more memory.
kLimitKib=65536

work_in_memory 6500000

# Text, noise and zeros, so that levels and codecs change all the time.
{ seq 1 1500000; head -c 3000000 /dev/urandom; head -c 5000000 /dev/zero; } >part
cat part part part part part >chunk
chunk_bytes=$(stat -c %s chunk)
head -c $((bytes % chunk_bytes)) chunk >rest
mapfile -t parts < <(for ((i = 0; i < bytes / chunk_bytes; ++i)); do echo chunk; done)

arrives_whole() {
  local i
  [[ $(stat -c %s out/stream) == "$bytes" ]] || return 1
  for i in "${!parts[@]}"; do
    cmp -i "$((i * chunk_bytes)):0" -n "$chunk_bytes" out/stream chunk || return 1
  done
  cmp -i "$((${#parts[@]} * chunk_bytes)):0" out/stream rest
}

start_recv -q --insecure
"$ADOC_SEND" --insecure --json --name stream - "127.0.0.1:$PORT" < <(cat "${parts[@]}" rest) >send.out 2>send.err &
SENDER=$!
send_kib=0
while peak=$(peak_memory "$SENDER") && [[ -n $peak ]]; do
  send_kib=$peak
  sleep 0.05
done
wait "$SENDER" || fail "adoc-send: $(cat send.err)"
recv_kib=$(peak_memory "$RECV_PID")

figures_are "bytes=$bytes" committed=1
check 'every byte arrives' arrives_whole
echo "peak of adoc-send: $send_kib KiB, of adoc-recv: $recv_kib KiB"
if ! sanitized; then
  check 'the sender was measured' [ "$send_kib" -gt 1000 ]
  check 'adoc-send stays below 64 MiB' [ "$send_kib" -lt "$kLimitKib" ]
  check 'adoc-recv stays below 64 MiB' [ "$recv_kib" -lt "$kLimitKib" ]
fi
rm -f out/stream
stop_recv
