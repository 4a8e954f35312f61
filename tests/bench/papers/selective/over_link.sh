#!/usr/bin/env bash
# Niwa 2022's three methods over a shaped link, messages of the C library in the place of packets:
# two nodes in two network namespaces send to each other, and a Markdown table is printed.
#
#   tests/bench/papers/selective/over_link.sh [--rate 100mbit] [--flit BYTES] [--seconds N]
#                                             [--loads 'SHARE ...'] DATA
#
# DATA holds integers of 32 bits. Needs root, and a build in $ADOC_BIN_DIR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../../link.sh"

rate=100mbit flit=32 seconds=2 data=''
loads='0.02 0.05 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0 1.1 1.2 1.3 1.4'
usage() {
  sed -n '2,/^set/{s/^# \{0,1\}//p}' "$0" >&2
  exit 2
}
while (($# > 0)); do
  case $1 in
    --rate) rate=$2 && shift 2 ;;
    --flit) flit=$2 && shift 2 ;;
    --seconds) seconds=$2 && shift 2 ;;
    --loads) loads=$2 && shift 2 ;;
    -*) usage ;;
    *) [[ -z $data ]] || usage && data=$1 && shift ;;
  esac
done
[[ -n $data ]] || usage
link_possible
program=${ADOC_BIN_DIR:-$here/../../../../build}/tests/paper_selective_link
[[ -x $program ]] || {
  echo "no $program: build with ADOC_BUILD_BENCH" >&2
  exit 1
}
trap link_down EXIT
link_up
link_single_packets "$rate"
in_receiver "$program" serve 4502 "$data" &
link_wait_listening 4502
read -ra each <<<"$loads"
in_sender "$program" ask "$LINK_RECEIVER_ADDRESS" 4502 "$data" "$(_link_bits "$rate")" "$flit" \
  "$seconds" "${each[@]}"
