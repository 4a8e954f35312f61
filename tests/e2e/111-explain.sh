#!/usr/bin/env bash
# Goal: --explain names what really limited a transfer: a shaped link, standard input that is
# written slowly, a receiver that gets little of its processors, a receiver whose writes are slow,
# a sender with dense levels, or nothing.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
link=$(cd "$(dirname "$0")/../bench" && pwd)/link.sh
# The leak checker cannot work in a process that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
# A disk that others use is slow at times, and then it is what limits.
work_in_memory 250000
sanitized=${ADOC_TEST_SANITIZED:-0}
head -c 12000000 /dev/urandom >random
seq 1 900000 >numbers
seq 1 5000000 >long

# explains SENTENCE PATTERN SENDER_ARGUMENT...: what the sender to $TO says is as PATTERN.
TO=
explains() {
  local sentence=$1 pattern=$2
  shift 2
  # shellcheck disable=SC2086 # words in front of the program
  ${IN_SENDER:-} timeout 60 "$ADOC_SEND" -q --explain "$@" "$TO" 2>err ||
    fail "$sentence: $(cat err)"
    grep -qE "^adoc-send: $pattern" err || fail "$sentence: '$pattern' is not in: $(cat err)"
  echo "ok: $sentence: $(cat err)"
}

# There is no time in which a transfer of nothing could be limited.
start_recv --once
TO=127.0.0.1:$PORT
: >empty
explains 'nothing' 'Nothing limited this transfer: .* Nothing would make it faster\.$' empty
wait "$RECV_PID"

# Slower than an instrumented program, too.
pause=0.05
((!sanitized)) || pause=0.3
start_recv --once
TO=127.0.0.1:$PORT
explains 'a slow pipe' 'Standard input, which gave .* limited .* A program that writes .* faster' \
  --name piped - < <(
  for _ in {1..12}; do
    head -c 200000 numbers
    sleep "$pause"
  done
)
wait "$RECV_PID"

# Its clock runs on while it does not: as a quota of a tenth of a processor. In many short turns, so
# that chance evens out which of its threads are stopped at what.
start_recv --once --threads 1
TO=127.0.0.1:$PORT
python3 - "$RECV_PID" <<'END' &
import os, signal, sys, time
try:
    open("held", "w").close()
    while True:
        os.kill(int(sys.argv[1]), signal.SIGSTOP)
        time.sleep(0.009)
        os.kill(int(sys.argv[1]), signal.SIGCONT)
        time.sleep(0.001)
except ProcessLookupError:
    pass
END
until [[ -e held ]]; do sleep 0.01; done
explains 'a receiver without processors' \
  'The processors of the receiver, .* More or faster processors on the receiver' \
  --level 8 --ladder zstd long
wait "$RECV_PID"

if ((!sanitized)) && command -v strace >/dev/null; then
  cat >slow-recv <<END
#!/bin/sh
exec strace -f -qq -o /dev/null -e trace=pwrite64,pwritev,write \\
  -e inject=pwrite64,pwritev:delay_exit=50000 "$ADOC_RECV" "\$@"
END
  chmod +x slow-recv
  ADOC_RECV=$T/slow-recv start_recv --once
  TO=127.0.0.1:$PORT
  explains 'a slow disk' "The receiver's disk, which took .* A faster disk on the receiver" random
  wait "$RECV_PID"
fi

start_recv --once
TO=127.0.0.1:$PORT
explains 'a dense level' \
  'The processors of the sender, .* More or faster processors on the sender' \
  --level 19 --ladder zstd --threads 1 numbers
wait "$RECV_PID"

if [[ $(id -u) != 0 ]] || ! ip netns add "adoc-probe-$$" 2>/dev/null; then
  echo 'no shaped link: namespaces cannot be made here'
  exit 0
fi
ip netns del "adoc-probe-$$"
# shellcheck source=../bench/link.sh
source "$link"
at_end link_down
link_up
link_rate 40mbit

RECEIVES=("$ADOC_RECV")
# over_link SENTENCE PATTERN FILE
over_link() {
  in_receiver "${RECEIVES[@]}" --out "$T/far" --listen "$LINK_RECEIVER_ADDRESS:4400" --once \
    </dev/null >far.out 2>&1 &
  local receiver=$!
  until grep -q '^listening on ' far.out; do sleep 0.01; done
  IN_SENDER=in_sender
  TO=$LINK_RECEIVER_ADDRESS:4400
  explains "$1" "$2" --key-file "$KEY_FILE" "$3"
  wait "$receiver"
}
over_link 'a shaped link' \
  'The link, which carried [45]\.[0-9]+ MB/s, limited .* Only a faster link' random

LINK_WAN_PROGRAM=$ADOC_BIN_DIR/tests/wan_link
link_wan 400mbit:60ms:0%
# The window is half of it, and the receiver gets no more by asking for it.
in_receiver sh -c 'echo 4096 131072 131072 >/proc/sys/net/ipv4/tcp_rmem'
echo 65536 >most
# shellcheck disable=SC2016 # for the shell that is run
RECEIVES=(unshare --mount sh -c 'mount --bind "$0" /proc/sys/net/core/rmem_max && exec "$@"'
  "$PWD/most" "$ADOC_RECV")
head -c 2500000 random >little
over_link 'a small socket buffer' \
  "The receiver's socket buffer, at a round trip of [6-9][0-9]\.[0-9] ms, .* net\.ipv4\.tcp_rmem" \
  little
