#!/usr/bin/env bash
# Goal: the dense levels (bzip3) carry files whole, encrypted or not, within the memory that is
# promised; a receiver that does not take their blocks is sent none; and what has arrived of such
# blocks is gone on with. What nobody waits for: 79-left-alone.
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
    while out.tell() < 9 << 20:
        out.write(' '.join(random.choices(words, k=100_000)))
END
head -c 5M text >short
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

# Both sides at the longest blocks.
start_recv --memory 256M
python3 - "$ADOC_SEND" "127.0.0.1:$PORT" <<'END' >send.peak
import resource, subprocess, sys
subprocess.run([sys.argv[1], '-q', '--level', '23', 'text', sys.argv[2]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
send_peak=$(<send.peak)
recv_peak=$(peak_memory "$RECV_PID")
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
check 'a receiver with little memory gets them' eval '(($(grep -c ",4194304,.*,bzip3,.*,fixed," trace) == 2))'
check 'and has the file' cmp text out/text
stop_recv
rm -rf out
without=$ADOC_BIN_DIR/tests/without_bzip3/adoc-recv
ADOC_RECV=$without start_recv
send --json --level 21 --trace trace one
check 'one without the library gets none' grep -q ',zstd,.*,peer,' trace
check 'not one' bash -c '! grep -q ,bzip3, trace'
check 'and has the file, too' cmp one out/one
stop_recv
rm -rf out

# Blocks of 1 MiB, of which some have arrived.
start_recv
cut_off --level 21 --bwlimit 200K short
start_recv
send --json --level 21 short
check 'what has arrived of dense blocks is not sent again' [ "$(figure resumed_bytes)" -ge 1000000 ]
check 'and the whole is the same' cmp short out/short
stop_recv
