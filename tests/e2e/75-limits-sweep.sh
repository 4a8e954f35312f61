#!/usr/bin/env bash
# Goal: a receiver with few descriptors, or little memory, lives through everybody at its door at
# once, and every honest sender is served, or it says at the start what it lacks. Some of the steps
# of sweep/sweep; ADOC_TEST_EVERY=1 makes all of them.
#
#   75-limits-sweep.sh descriptors|memory
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

if [[ $1 == memory ]] && sanitized; then
  echo 'ok: skipped, a sanitizer takes more memory than there is'
  exit 0
fi
sweep() { python3 "$(dirname "$0")/../sweep/sweep" --bin "$ADOC_BIN_DIR" --only "$1" "${@:2}"; }
sweep "$1" --every "${ADOC_TEST_EVERY:-7}"
# So much that what the allocator reserves for three threads would leave no room for a fourth.
[[ $1 != memory ]] || sweep memory --at 225000
