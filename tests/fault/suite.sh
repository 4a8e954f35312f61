#!/usr/bin/env bash
# Goal: 250 fault plans that follow from the seed, fewer where the programs are instrumented, break
# none of what fault/main.cpp names.
#
#   suite.sh FAULT SEED
set -euo pipefail

plans=250
[[ ${ADOC_TEST_SANITIZED:-0} != 1 ]] || plans=50
exec "$1" --bin "${ADOC_BIN_DIR:?the directory with adoc-send and adoc-recv}" \
  --plans "$plans" --seed "$2"
