#!/usr/bin/env bash
# Goal: SIGINT and SIGTERM end either program within a second, at any moment of any kind of work,
# and what they leave is whole or can be gone on with. Fewer moments than interrupt/interrupt has by
# itself.
set -euo pipefail
source "$(dirname "$0")/../support/silent_name_servers.sh"
source "$(dirname "$0")/../support/transfer.sh"

lookup=()
if [[ -n ${SILENT_NAME_SERVERS:-} ]]; then
  make_name_servers_silent
  lookup=(--lookup)
fi
moments=50 bound=1
# Each kind once: an instrumented program takes as long to start as another to be interrupted.
! sanitized || moments=25 bound=8
moments=${ADOC_TEST_MOMENTS:-$moments}
python3 "$(dirname "$0")/../interrupt/interrupt" --bin "$ADOC_BIN_DIR" --moments "$moments" \
  --bound "$bound" --seed "${ADOC_TEST_SEED:-1}" "${lookup[@]}"
