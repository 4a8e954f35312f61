#!/usr/bin/env bash
# Goal: whatever senders send, the receiver's resident memory stays under the constant that its
# manual states and --memory for each transfer: the worst offers and the worst blocks at once, from
# one and from several, plain and encrypted, while as many wait as can. And of an ordinary transfer
# memory is used again and again: a longer one takes no more of it from the system.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

support=$(cd "$(dirname "$0")/../support" && pwd)
sanitized && exit 0 # they take memory of their own
work_in_memory 800000
constant=$((64 * 1024)) # KiB, as in adoc-recv(1)

# measure MEMORY_MIB SENDERS [ATTACK]
measure() {
  local memory=$1 senders=$2 attack=${3:-memory} peak
  start_recv -q --insecure --memory "${memory}M" --max-transfers "$senders"
  timeout 100 "$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" "$attack" "$T" "$senders" ||
    fail 'the attack itself fails'
  peak=$(peak_memory "$RECV_PID")
  echo "    $senders transfers, $attack, --memory ${memory}M: $peak KiB"
  check "$senders x ${memory}M and the constant suffice" \
    [ "$peak" -le $((constant + senders * memory * 1024)) ]
  check 'the blocks were taken' [ "$peak" -gt $((48 * 1024)) ]
  stop_recv
  rm -rf out
}
measure 120 1
measure 256 1
# Shorter offers, and the most entries that may be under way; the longest of several are below.
measure 120 4 entries
# Blocks of block sorting.
if "$ADOC_SEND" --list-levels | grep -q bzip3; then
  measure 120 1 dense
  measure 256 2 dense
fi

# So that 44 fill the waiting room, each with a process for its TLS; there are 128 places at most.
printf '#!/usr/bin/env bash\nulimit -n 704\nexec "%s" "$@"\n' "$ADOC_RECV" >limited-recv
chmod +x limited-recv

# measure_all MEMORY_MIB TRANSFERS: encrypted, with a full waiting room and strangers at the gate.
measure_all() {
  local memory=$1 transfers=$2 peak relay waiting held
  ADOC_RECV=$T/limited-recv start_recv -q --memory "${memory}M" --max-transfers "$transfers"
  python3 "$support/tls_relay.py" "$PORT" "$(python3 "$support/psk.py" "$KEY_FILE")" >relay.out &
  relay=$!
  eventually test -s relay.out
  mkfifo begun stays
  timeout 100 "$ADOC_BIN_DIR/tests/hostile_sender" "$(cat relay.out)" memory "$T" "$transfers" \
    two-steps >begun.out <begun &
  local attack=$!
  exec 8>begun
  eventually grep -q here begun.out
  # Each of them has threads of its own once it has its place.
  eventually has_threads $((1 + transfers * 3))
  timeout 100 "$ADOC_BIN_DIR/tests/hostile_sender" "$(cat relay.out)" waiting "$T" 44 \
    >waiting.out <stays 8>&- &
  waiting=$!
  exec 7>stays
  python3 "$support/strangers.py" "$PORT" holds 44 >held.out 7>&- 8>&- &
  held=$!
  eventually has_open_files $((transfers + 44 + 40))
  exec 8>&-
  wait "$attack" || fail 'the attack itself fails'
  peak=$(peak_memory "$RECV_PID")
  echo "    $transfers encrypted transfers and all who can wait, --memory ${memory}M: $peak KiB"
  check "$transfers x ${memory}M and the constant suffice" \
    [ "$peak" -le $((constant + transfers * memory * 1024)) ]
  check 'the blocks were taken' [ "$peak" -gt $((48 * 1024)) ]
  exec 7>&-
  stop_recv
  kill "$relay" "$held"
  wait "$relay" "$held" "$waiting" || true
  rm -rf out begun stays relay.out held.out waiting.out begun.out
}
has_open_files() { (($(find "/proc/$RECV_PID/fd" -mindepth 1 | wc -l) >= $1)); }
has_threads() { (($(find "/proc/$RECV_PID/task" -mindepth 1 -maxdepth 1 | wc -l) >= $1)); }
measure_all 120 8
expect_exit 2 "$ADOC_RECV" --out out --memory 100M 2>recv.err
check 'less than the worst offers and blocks take is refused' \
  says recv.err '--memory' 'does not suffice'

# page_faults LEVEL BYTES: SEND_FAULTS and RECV_FAULTS, of a transfer by programs of its own.
page_faults() {
  head -c "$2" data >long
  start_recv -q --insecure
  SEND_FAULTS=$(python3 - "$ADOC_SEND" -q --insecure --no-remember --ladder zstd --level "$1" long \
    "127.0.0.1:$PORT" <<'PROGRAM'
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_minflt)
sys.exit(os.waitstatus_to_exitcode(status))
PROGRAM
  ) || fail 'adoc-send fails'
  # Its tenth field, the second word of which may be a name with spaces.
  RECV_FAULTS=$(sed 's/.*) //' "/proc/$RECV_PID/stat" | cut -d' ' -f8)
  check 'it arrives' cmp long out/long
  stop_recv
  rm -rf out long
}
for _ in {1..20}; do seq 1 400000; head -c 10000000 /dev/urandom; done >data
for level in 0 1; do
  page_faults "$level" 20000000
  short_send=$SEND_FAULTS short_recv=$RECV_FAULTS
  page_faults "$level" 240000000
  echo "    level $level, page faults: sender $short_send and $SEND_FAULTS," \
    "receiver $short_recv and $RECV_FAULTS"
  # 220 MB of memory that is always new are 53,000 pages.
  check "level $level: the sender uses its memory again" \
    [ "$SEND_FAULTS" -lt $((short_send + 1000)) ]
  check "level $level: the receiver uses its memory again" \
    [ "$RECV_FAULTS" -lt $((short_recv + 1000)) ]
done
