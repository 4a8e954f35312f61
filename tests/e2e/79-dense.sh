#!/usr/bin/env bash
# Goal: the dense levels (bzip3) carry files whole, encrypted or not, within the memory that is
# promised; a receiver that does not take their blocks is sent none; a block of seconds keeps neither
# side when it is told to stop, and what has arrived of such blocks is gone on with.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

list=$("$ADOC_SEND" --list-levels)
last_level=$(tail -n 1 <<<"$list" | cut -d' ' -f1)
# What the build has is no matter of luck where the caller knows it.
check 'the levels are those of the build' [ "$last_level" = "${ADOC_TEST_LAST_LEVEL:-$last_level}" ]
if ((last_level == 20)); then
  check 'without the library there are no dense levels' grep -qx '20  zstd 19' <<<"$list"
  start_recv
  sends 2 --level 21 "$0"
  check 'and the levels that there are are named' says "$T/send.err" 'levels 0 to 20'
  send --level 20 "$0"
  check 'all else is as ever' cmp "$0" "$T/out/$(basename "$0")"
  stop_recv
  exit 0
fi
work_in_memory 200000
check 'the dense levels are listed' grep -qx '23  bzip3 4' <<<"$list"
python3 - text <<'END'
import random, sys
random.seed(1)
letters = 'etaoinshrdlu'
words = [''.join(random.choices(letters, k=random.randint(2, 9))) for _ in range(3000)]
with open(sys.argv[1], 'w') as out:
    while out.tell() < 15 << 20:
        out.write(' '.join(random.choices(words, k=100_000)))
END
head -c 5M text >short
head -c 4M text >middle
head -c 1M text >one
one_mib_blocks() { [[ $(tail -n 1 send.out) == *'"levels":{"21":5}'* ]]; }

start_recv
send --json --level 21 short
check 'level 21 sends encrypted blocks of 1 MiB' one_mib_blocks
check 'and they arrive as they were' cmp short out/short
stop_recv
rm -rf out
start_recv --insecure
send --json --insecure --level 21 short
check 'the same in the clear' one_mib_blocks
check 'and whole' cmp short out/short
stop_recv
rm -rf out
check 'a copy on this machine takes a dense level, too' \
  timeout 60 "$ADOC_BIN_DIR/adoc-cp" -q --level 21 short copied
check 'and is the same' cmp short copied

# Both sides at the longest block, and what each of them has used of a processor.
start_recv --memory 224M
python3 - "$ADOC_SEND" "127.0.0.1:$PORT" <<'END' >whole.figures
import resource, subprocess, sys
subprocess.run([sys.argv[1], '-q', '--level', '23', 'text', sys.argv[2]], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(int(used.ru_utime * 100), used.ru_maxrss)
END
read -r send_ticks send_peak <whole.figures
recv_peak=$(peak_memory "$RECV_PID")
# user_ticks PID: hundredths of a second.
user_ticks() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f12; }
recv_ticks=$(user_ticks "$RECV_PID")
check 'blocks of 4 MiB arrive as they were' cmp text out/text
stop_recv
rm -rf out
if ! sanitized; then
  echo "    sender $send_peak KiB, receiver $recv_peak KiB"
  check 'the sender stays within 64M and its --memory' [ "$send_peak" -le $((288 * 1024)) ]
  check 'the receiver stays within 64M and its --memory' [ "$recv_peak" -le $((288 * 1024)) ]
fi

# The longest of them for a receiver with the least memory that there may be, and none for one that
# was built without the library.
start_recv --memory 120M
send --json --level 23 --block-size 16M --trace trace text
check 'a receiver with little memory gets them' eval '(($(grep -c ",4194304,.*,bzip3,.*,fixed$" trace) == 3))'
check 'and has the file' cmp text out/text
stop_recv
rm -rf out
without=$ADOC_BIN_DIR/tests/without_bzip3/adoc-recv
ADOC_RECV=$without start_recv
send --json --level 21 --trace trace one
check 'one without the library gets none' grep -q ',zstd,.*,peer$' trace
check 'not one' bash -c '! grep -q ,bzip3, trace'
check 'and has the file, too' cmp one out/one
stop_recv
rm -rf out

# What was done with a processor by the end is less than the block takes: nobody waited for it.
# busy PID TICKS: it has used so many.
busy() { (($(user_ticks "$1") >= $2)); }
# stopped_ticks SIGNAL PID: what it has used when it has ended.
stopped_ticks() {
  python3 - "$@" <<'END'
import os, signal, sys, time
pid = int(sys.argv[2])
os.kill(pid, getattr(signal, sys.argv[1]))
used = 0
while True:
    try:
        fields = open(f'/proc/{pid}/stat').read().rsplit(') ', 1)[1].split()
    except OSError:
        break
    if fields[0] == 'Z':
        break
    used = int(fields[11])
    time.sleep(0.001)
print(used)
END
}
send_ticks=$((send_ticks * 4 / 15))
recv_ticks=$((recv_ticks * 4 / 15))
start_recv
"$ADOC_SEND" -q --level 23 middle "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually busy "$sender" $((send_ticks / 8))
used=$(stopped_ticks SIGINT "$sender")
wait "$sender" || code=$?
check 'a sender that is interrupted says so' [ "${code:-0}" = 130 ]
check "and leaves a block of $send_ticks ticks after $used" [ "$used" -lt $((send_ticks / 2)) ]
stop_recv
rm -rf out
start_recv
"$ADOC_SEND" -q --retry 0 --level 23 middle "127.0.0.1:$PORT" 2>send.err &
sender=$!
eventually busy "$RECV_PID" $((recv_ticks / 4))
used=$(stopped_ticks SIGTERM "$RECV_PID")
wait "$RECV_PID" || true
check "a receiver leaves a block of $recv_ticks ticks after $used" \
  [ "$used" -lt $((recv_ticks * 3 / 4)) ]
wait "$sender" && fail 'and yet the sender is content'
rm -rf out

# Blocks of 1 MiB, of which some have arrived.
start_recv
"$ADOC_SEND" -q --retry 0 --level 21 --bwlimit 400K short "127.0.0.1:$PORT" 2>send.err &
sender=$!
some_of_it() { [[ -n $(find out/.adoc -name '*.journal' -size +0 2>/dev/null) ]]; }
eventually some_of_it
kill -KILL "$RECV_PID"
wait "$sender" "$RECV_PID" || true
start_recv
send --json --level 21 short
check 'what has arrived of dense blocks is not sent again' [ "$(figure resumed_bytes)" -ge 1000000 ]
check 'and the whole is the same' cmp short out/short
stop_recv
