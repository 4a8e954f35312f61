#!/usr/bin/env bash
# Goal: a program that crashes leaves no core dump, which would hold its key, whatever the limit
# says; and nobody's own receiver is reached by a name that its file system takes for .adoc.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
dumps_core=$(cd "$(dirname "$0")/../support" && pwd)/dumps_core.py

cd "$T"
ulimit -c "$(ulimit -Hc)"
other=$(python3 "$dumps_core" ready bash -c 'echo ready; exec cat')
if sanitized; then
  echo 'skipped: a sanitizer does not let its program dump, and looks into it'
elif [[ $other != dumped ]]; then
  echo "skipped: this system dumps no program's memory"
else
  check 'adoc-recv is not dumped' [ "$(python3 "$dumps_core" listening "$ADOC_RECV" --out out --listen 127.0.0.1:0)" == 'not dumped' ]
  start_recv
  check 'adoc-send is not dumped' [ "$(python3 "$dumps_core" 'adoc-send: 0 B' "$ADOC_SEND" --progress always \
    --name x - "127.0.0.1:$PORT")" == 'not dumped' ]
  stop_recv
fi
