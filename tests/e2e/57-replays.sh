#!/usr/bin/env bash
# Goal: a recording of what somebody with the key once said, played back without end, keeps nobody
# out, also not a sender whose handshake takes 200 ms: it is known again and costs nothing.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

support=$(cd "$(dirname "$0")/../support" && pwd)
cd "$T"
seq 1 1000 >file

start_recv
mkfifo stay
python3 "$support/delay_proxy.py" "$PORT" 100 <stay >proxy.port &
exec 7>stay
eventually test -s proxy.port
python3 "$support/replays.py" "$PORT" "$(python3 "$support/psk.py" "$KEY_FILE")" 200 >replays.out &
flood=$!
eventually grep -q here replays.out
for i in 1 2 3 4; do
  rm -rf out/file
  code=0
  "$ADOC_SEND" file "127.0.0.1:$(cat proxy.port)" 2>send.err || code=$?
  check "sender $i is let in beside them: $(tail -n 1 send.err)" [ "$code" == 0 ]
  check 'and what it sent is there' cmp file out/file
done
check 'the flood is still there' kill -0 "$flood"
# Of many that are not let in, ten are told in ten seconds: the first ten may have closed their
# connections before the handshake showed that it was a replay.
eventually grep -q 'it plays back what another connection said' recv.err
kill "$flood"
exec 7>&-
stop_recv
