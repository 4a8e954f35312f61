#!/usr/bin/env bash
# Goal: with --once, a second sender hears at once that the receiver serves another one, and with
# --wait goes on trying; the one that is served is not disturbed, and comes back after a lost
# connection.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
seq 1 20000 >second
mkfifo pace

# serves_first [OPTION...]: a receiver with --once is in the middle of a transfer; $FIRST, which
# ends when descriptor 7 is closed.
serves_first() {
  rm -rf out
  start_recv --once "$@"
  "$ADOC_SEND" "$@" --name first - "127.0.0.1:$PORT" <pace 2>first.err &
  FIRST=$!
  exec 7>pace
  head -c 300000 /dev/zero >&7
  eventually bash -c '[[ -n $(find out -name ".adoc-*" -print -quit 2>/dev/null) ]]'
}

for keys in '' --insecure; do
  # shellcheck disable=SC2086 # an option or nothing
  serves_first $keys
  # Not after --retry's ten minutes, nor after ten seconds of silence.
  for again in 1 2; do
    # shellcheck disable=SC2086
    expect_exit 3 timeout 8 "$ADOC_SEND" $keys second "127.0.0.1:$PORT" 2>send.err 7>&-
    says send.err 'the receiver does not take this transfer' \
      'it serves one only, and another one is under way'
    check "${keys:-with the key}: said once, and not tried again ($again)" \
      [ "$(wc -l <send.err)" == 1 ]
  done
  # shellcheck disable=SC2086
  "$ADOC_SEND" $keys --wait 1h second "127.0.0.1:$PORT" 2>waiting.err 7>&- &
  waiting=$!
  eventually grep -q 'another one is under way; waiting for the receiver' waiting.err
  eventually says recv.err 'it serves one only'
  exec 7>&-
  wait "$FIRST" || fail "the one that is served fails: $(cat first.err)"
  check 'the one that is served has all of it' [ "$(stat -c %s out/first)" == 300000 ]
  recv_ends 0
  check 'the second one is not served' [ ! -e out/second ]
  # shellcheck disable=SC2086
  start_recv --once --listen "127.0.0.1:$PORT" $keys
  ends_within 20 "$waiting" || fail 'the one that waits does not come'
  wait "$waiting" || fail "the one that waits fails: $(cat waiting.err)"
  recv_ends 0
  check 'who waits is served by the next receiver' cmp second out/second
done

# The receiver does not know that the connection is lost, and takes its own sender for another one:
# that goes on trying, and the receiver finds out.
head -c 30000000 /dev/urandom >large
start_recv --once --insecure --timeout 2s
python3 - "$PORT" >proxy.out 2>proxy.err <<'END' &
import socket, sys, threading

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)


def passes(source, sink, most):
    passed = 0
    while passed < most and (data := source.recv(65536)):
        sink.sendall(data)
        passed += len(data)
    # The first connection ends for the sender, and for the receiver it is silent.
    if passed >= most:
        source.shutdown(socket.SHUT_RDWR)
    else:
        sink.shutdown(socket.SHUT_WR)


most = 9_000_000
held = []
while True:
    sender, _ = listener.accept()
    receiver = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    held.append((sender, receiver))
    threading.Thread(target=passes, args=(sender, receiver, most), daemon=True).start()
    most = 1 << 60
    threading.Thread(target=passes, args=(receiver, sender, most), daemon=True).start()
END
PROXY=$!
eventually test -s proxy.out
expect_exit 0 timeout 60 "$ADOC_SEND" --insecure large "127.0.0.1:$(cat proxy.out)" 2>send.err
recv_ends 0
kill "$PROXY"
says send.err 'another one is under way' 'connecting again'
check 'the transfer is whole' cmp large out/large
