#!/usr/bin/env bash
# Goal: memory that runs out anywhere in a transfer ends that transfer, with a message to its peer
# and a verdict, and never the program: neither allocation by allocation, of one that is served or
# of one that waits for that, nor under ulimit -v.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

sanitized && exit 0 # they bring an allocator of their own
work_in_memory 100000
mkdir -p tree/deep/er
seq 1 200000 >tree/large
head -c 300000 /dev/urandom >tree/noise
for i in 1 2 3; do seq "$i" 2000 >tree/deep/er/"$i"; done
truncate -s 1M tree/hole
ln -s large tree/link

# fail_allocations SUCCEED FAIL: of the program that has the plan, from now on.
fail_allocations() {
  local number byte bytes=
  for number; do
    for byte in 0 1 2 3 4 5 6 7; do
      bytes+=$(printf '\\x%02x' $((number >> 8 * byte & 255)))
    done
  done
  # shellcheck disable=SC2059 # it is the escapes that are wanted
  printf "$bytes" | dd of=plan conv=notrunc status=none
}
allocations_left() { od -An -t d8 -N 8 plan | tr -d ' '; }
preloaded() { LD_PRELOAD=$ADOC_FAULT_MEMORY_LIBRARY ADOC_FAULT_MEMORY=$T/plan "$@"; }
head -c 16 /dev/zero >plan

# sweep POINTS OPTION...: a transfer for each of so many allocations, evenly among those that the
# receiver makes for one, which fails, alone or with some of those after it.
sweep() {
  local points=$1 total nth code
  shift
  # One place: who did not give it back would keep the next one waiting.
  preloaded start_recv --max-transfers 1 "$@"
  fail_allocations 1000000 1
  sends 0 "$@" tree
  total=$((1000000 - $(allocations_left)))
  transfers=0 hit=0 told=0
  for ((nth = 0; nth < total; nth += 1 + total / points)); do
    rm -rf out/tree
    transfers=$((transfers + 1))
    fail_allocations "$nth" $((transfers % 2 ? 1 : 40))
    code=0
    timeout 20 "$ADOC_SEND" --retry 0 "$@" tree "127.0.0.1:$PORT" >send.out 2>send.err || code=$?
    fail_allocations 0 0
    ((code < 100)) || fail "allocation $nth of the receiver fails, and adoc-send ends with $code"
    kill -0 "$RECV_PID" || fail "the receiver ends when allocation $nth fails: $(cat recv.err)"
    [[ $code == 0 ]] || hit=$((hit + 1))
    ! grep -q 'out of memory' send.err || told=$((told + 1))
  done
  echo "    $transfers of $total allocations failed, of these $hit a transfer; $told senders were told"
  rm -rf out/tree
  check 'an honest sender is served afterwards' sends 0 "$@" tree
  check 'and all of it is there' same_trees tree out/tree
  stop_recv
  nothing_left_over
}

sweep 40 --insecure
check 'memory runs out in transfers' [ "$hit" -gt 15 ]
check 'the senders hear why' [ $((told + 5)) -gt "$hit" ]
# Where it is not encrypted yet nobody can be told.
sweep 25
check 'memory runs out in handshakes and transfers' [ "$hit" -gt 10 ]

# Those who wait for their turn. They come from an address that is too long for a string without
# memory of its own, by way of a relay.
start_relay() {
  : >relay.out
  python3 - "$PORT" >relay.out <<'END' &
import socket, sys, threading

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def passes(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in source, sink:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def serves(sender):
    address = ("127.0.0.1", int(sys.argv[1]))
    with sender, socket.create_connection(address, source_address=("127.100.100.100", 0)) as far:
        back = threading.Thread(target=passes, args=(far, sender), daemon=True)
        back.start()
        passes(sender, far)
        back.join()


while True:
    threading.Thread(target=serves, args=(listener.accept()[0],), daemon=True).start()
END
  RELAY=$!
  RECV_PORT=$PORT
  eventually test -s relay.out
  PORT=$(cat relay.out)
}

# allocations_counted: that were made since fail_allocations 1000000 1.
allocations_counted() { echo $((1000000 - $(allocations_left))); }
# Whether memory has run out, or what was to happen without that has.
strikes_or() { (($(allocations_left) < 0)) || "$@"; }
has_ended() { [[ ! -e /proc/$1 || $(process_state "$1") == Z ]]; }
waits_or_ended() { grep -q 'waiting for its turn' second.err || has_ended "$SECOND"; }
# The receiver's end of its connection is not open any more.
has_left() {
  (($(awk -v port="$(printf ':%04X$' "$RECV_PORT")" '$2 ~ port && $4 ~ /01|08/' /proc/net/tcp |
    wc -l) < 2))
}

# turn WHEN NTH COUNT OPTION...: one sender has the only place, and a second one comes, waits, and
# leaves or is served. From WHEN on, which is one of these, NTH allocations of the receiver succeed
# and COUNT fail. Sets $COUNTED to how many there were before all was as it was.
turn() {
  local when=$1 nth=$2 count=$3 first code
  shift 3
  empty_out
  "$ADOC_SEND" -q --retry 0 "$@" --name slow - "127.0.0.1:$PORT" <pace 2>first.err &
  first=$!
  exec 7>pace
  head -c 300000 /dev/zero >&7
  eventually bash -c '[[ -n $(find out -name ".adoc-*" -print -quit) ]]'
  [[ $when != comes ]] || fail_allocations "$nth" "$count"
  : >second.err
  "$ADOC_SEND" --retry 0 "$@" tree "127.0.0.1:$PORT" >send.out 2>second.err 7>&- &
  SECOND=$!
  eventually strikes_or waits_or_ended
  if [[ $when == comes ]]; then
    COUNTED=$(allocations_counted)
    eventually waits_or_ended
    fail_allocations 0 0
  fi
  [[ $when == comes ]] || fail_allocations "$nth" "$count"
  if [[ $when == leaves ]]; then
    kill -KILL "$SECOND" || true
    eventually strikes_or has_left
    COUNTED=$(allocations_counted)
  fi
  exec 7>&-
  for sender in "$first" "$SECOND"; do
    ends_within "$PATIENCE" "$sender" || fail "$when, allocation $nth: a sender does not end"
    code=0
    wait "$sender" || code=$?
    ((code < 100 || code == 137)) || fail "$when, allocation $nth: a sender ends with $code"
  done
  [[ $when != served ]] || COUNTED=$(allocations_counted)
  fail_allocations 0 0
  kill -0 "$RECV_PID" || fail "$when: the receiver ends at allocation $nth: $(cat recv.err)"
}

# sweep_turns WHEN POINTS OPTION...
sweep_turns() {
  local when=$1 points=$2 total nth runs=0
  shift 2
  preloaded start_recv --max-transfers 1 "$@"
  start_relay
  turn "$when" 1000000 1 "$@"
  total=$COUNTED
  for ((nth = 0; nth < total; nth += 1 + total / points)); do
    runs=$((runs + 1))
    turn "$when" "$nth" $((runs % 2 ? 1 : 40)) "$@"
  done
  echo "    a second sender $when $*: $runs of $total allocations failed"
  empty_out
  check 'an honest sender is served afterwards' sends 0 "$@" tree
  check 'and all of it is there' same_trees tree out/tree
  kill "$RELAY"
  stop_recv
  nothing_left_over
}
mkfifo pace
for keys in '' --insecure; do
  # shellcheck disable=SC2086 # an option or nothing
  for when in comes leaves served; do sweep_turns "$when" 24 $keys; done
done

# The first who comes at all, when there is no memory for what is otherwise made once.
for nth in 0 2 4 6 8 12 16; do
  preloaded start_recv --insecure
  fail_allocations "$nth" 40
  timeout 20 "$ADOC_SEND" --retry 0 --insecure tree "127.0.0.1:$PORT" >send.out 2>send.err || true
  fail_allocations 0 0
  kill -0 "$RECV_PID" || fail "a fresh receiver ends at allocation $nth: $(cat recv.err)"
  stop_recv
done
echo 'ok: a fresh receiver goes on'

# The sender is no different, once it has found its way to a receiver. Before that, it is libraries
# that have no answer: those that read options and begin with TLS.
start_recv --insecure
fail_allocations 1000000 1
expect_exit 3 preloaded timeout 20 "$ADOC_SEND" --insecure --retry 0 tree 127.0.0.1:1
began=$((1000000 - $(allocations_left)))
fail_allocations 1000000 1
preloaded timeout 20 "$ADOC_SEND" --insecure --retry 0 tree "127.0.0.1:$PORT" 2>send.err
total=$((1000000 - $(allocations_left)))
hit=0
for ((nth = began; nth < total; nth += 1 + (total - began) / 25)); do
  fail_allocations "$nth" $((nth % 2 ? 1 : 40))
  code=0
  preloaded timeout 20 "$ADOC_SEND" --insecure --retry 0 tree "127.0.0.1:$PORT" >send.out 2>send.err || code=$?
  ((code < 100)) || fail "allocation $nth of the sender fails, and it ends with $code: $(cat send.err)"
  [[ $code == 0 ]] || hit=$((hit + 1))
done
fail_allocations 0 0
echo "    of its $((total - began)) allocations 25 failed, and $hit times it said so"
check 'memory runs out in the sender' [ "$hit" -gt 5 ]
stop_recv
nothing_left_over

# Many peers at once where the system gives little.
printf '#!/bin/sh\nulimit -v 600000\nexec "%s" "$@"\n' "$ADOC_RECV" >poor-recv
chmod +x poor-recv
ADOC_RECV=$T/poor-recv
start_recv -q --insecure
"$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" extents "$T"
check 'ten peers with 5 kB each do not end the receiver' kill -0 "$RECV_PID"
rm -rf out/tree
check 'an honest sender is served afterwards' sends 0 --insecure tree
check 'and all of it is there' same_trees tree out/tree
stop_recv
