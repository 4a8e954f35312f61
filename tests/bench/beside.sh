#!/usr/bin/env bash
# What a TCP connection gets of a long path beside a transfer: as much as beside so many other
# connections, or less.
#
#   beside.sh BUILD [SECONDS [PATH]...]
#
# BUILD has adoc-send, adoc-recv and tests/wan_link; PATH is as in tests/support/wan_link.cpp. For
# each, a line for what is beside the connection: the path, that, Mbit/s of the connection in so
# many seconds (20), Mbit/s of the other, and its connections. In memory, not encrypted, level 0.
# Needs root.
set -euo pipefail
source "$(dirname "$0")/link.sh"

build=$(cd "$1" && pwd)
seconds=${2:-20}
shift $(($# > 1 ? 2 : 1))
(($# > 0)) || set -- 100mbit:20ms:0% 100mbit:80ms:0% 100mbit:20ms:0.1%
link_workplace "$build"
# More than the path can take in that time.
head -c $((seconds * 20000000)) /dev/urandom >data

# connection PORT FILE: bytes that arrive in FILE while it lasts.
connection() {
  in_receiver nc -l "$LINK_RECEIVER_ADDRESS" "$1" </dev/null | dd bs=64K of=/dev/null 2>"$2" &
  local counts=$!
  link_wait_listening "$1"
  in_sender timeout "$seconds" nc "$LINK_RECEIVER_ADDRESS" "$1" </dev/zero || true
  wait "$counts"
}
mbits() { awk -v s="$seconds" '/ bytes/ { printf "%.1f", $1 * 8 / s / 1e6 }' "$1"; }

for path; do
  link_wan "$path"
  for beside in nothing connection adoc-send; do
    other=- streams=-
    connection 4401 first &
    ends=($!)
    case $beside in
      connection)
        connection 4402 second &
        ends+=($!)
        ;;
      adoc-send)
        in_receiver "$build/adoc-recv" -q --once --insecure --out out \
          --listen "$LINK_RECEIVER_ADDRESS:4400" </dev/null >/dev/null 2>&1 &
        link_wait_listening 4400
        # In the foreground, timeout sends the signal once; a second one ends it without figures.
        in_sender timeout --foreground -s INT "$seconds" "$build/adoc-send" -q --insecure --json \
          --no-remember --level 0 data "$LINK_RECEIVER_ADDRESS:4400" >figures 2>/dev/null || true &
        ends+=($!)
        ;;
    esac
    wait "${ends[@]}"
    case $beside in
      connection) other=$(mbits second) streams=1 ;;
      adoc-send)
        other=$(tail -n 1 figures | sed 's/.*"wire_bytes":\([0-9]*\).*/\1/' |
          awk -v s="$seconds" '{ printf "%.1f", $1 * 8 / s / 1e6 }')
        streams=$(tail -n 1 figures | sed 's/.*"streams":\([0-9]*\).*/\1/')
        rm -r out
        ;;
    esac
    echo "$path $beside $(mbits first) $other $streams"
  done
done
