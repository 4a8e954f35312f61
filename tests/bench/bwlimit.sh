#!/usr/bin/env bash
# How well --bwlimit is kept: random data at three rates over loopback, through a proxy that counts the
# bytes in each window of a second, ten windows a second, without the first and the last second.
#
#   ADOC_BIN_DIR=build tests/bench/bwlimit.sh [SECONDS]
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"

seconds=${1:-10}
cat >"$T/proxy.py" <<'END'
import bisect, itertools, socket, sys, threading, time

port, rate = int(sys.argv[1]), float(sys.argv[2])
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
sender, _ = server.accept()
receiver = socket.create_connection(("127.0.0.1", port))

def answers():
    while data := receiver.recv(65536):
        sender.sendall(data)

thread = threading.Thread(target=answers)
thread.start()
buffer, times, counts = bytearray(1 << 20), [], []
while count := sender.recv_into(buffer):
    times.append(time.monotonic())
    counts.append(count)
    receiver.sendall(memoryview(buffer)[:count])
receiver.shutdown(socket.SHUT_WR)
thread.join()

sums = [0, *itertools.accumulate(counts)]
until = lambda moment: sums[bisect.bisect_right(times, moment)]
starts = []
start = times[0] + 1
while start + 1 < times[-1] - 1:
    starts.append(start)
    start += 0.1
off = [(until(start + 1) - until(start)) / rate - 1 for start in starts]
print(f"{len(off)} windows: least {min(off):+.2%}, most {max(off):+.2%}, mean {sum(off) / len(off):+.2%}")
END
says_port() { [[ -s $T/proxy.out ]]; }

for rate in 1M 10M 100M; do
  bytes=$((${rate%M} * 1048576))
  start_recv --once
  python3 "$T/proxy.py" "$PORT" "$bytes" >"$T/proxy.out" &
  proxy=$!
  until says_port; do sleep 0.05; done
  head -c $((bytes * seconds)) /dev/urandom |
    "$ADOC_SEND" -q --bwlimit "$rate" --level 0 --name random - "127.0.0.1:$(head -n 1 "$T/proxy.out")"
  wait "$RECV_PID" "$proxy"
  echo "$rate: $(tail -n 1 "$T/proxy.out")"
  rm -r "$T/out"
  : >"$T/proxy.out"
done
