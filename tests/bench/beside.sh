#!/usr/bin/env bash
# What a TCP connection gets of a long path beside a transfer: as much as beside so many other
# connections of the same congestion control, or less.
#
#   beside.sh BUILD [SECONDS [PATH]...]
#
# BUILD has adoc-send, adoc-recv and tests/wan_link; PATH is as in tests/support/wan_link.cpp. For
# each, a line for what is beside a connection of cubic: the path, that (nothing, a connection of
# cubic or BBR, adoc-send), Mbit/s of the connection in so many seconds (20), Mbit/s of the other,
# and the connections and the congestion control of the other. In memory, not encrypted, level 0.
# Needs root.
set -euo pipefail
source "$(dirname "$0")/link.sh"

build=$(cd "$1" && pwd)
seconds=${2:-20}
shift $(($# > 1 ? 2 : 1))
(($# > 0)) || set -- 100mbit:20ms:0% 100mbit:80ms:0% 100mbit:20ms:0.1% 100mbit:80ms:0.1%
link_workplace "$build"
# More than the path can take in that time.
head -c $((seconds * 20000000)) /dev/urandom >data

# connection PORT FILE CONGESTION: begins one; FILE has how many bytes arrived when its ends end.
connection() {
  in_receiver nc -l "$LINK_RECEIVER_ADDRESS" "$1" </dev/null | dd bs=64K of=/dev/null 2>"$2" &
  ends+=($!)
  link_wait_listening "$1"
  in_sender sysctl -q "net.ipv4.tcp_congestion_control=$3"
  in_sender timeout "$seconds" nc "$LINK_RECEIVER_ADDRESS" "$1" </dev/zero || true &
  ends+=($!)
  # It has the congestion control that was the default when it began.
  until [[ -n $(in_sender ss -Htn state established "dport = :$1") ]]; do sleep 0.01; done
  in_sender sysctl -q net.ipv4.tcp_congestion_control=cubic
}
mbits() { awk -v s="$seconds" '/ bytes/ { printf "%.1f", $1 * 8 / s / 1e6 }' "$1"; }

for path; do
  link_wan "$path"
  for beside in nothing cubic bbr adoc-send; do
    other=- streams=- congestion=-
    ends=()
    connection 4401 first cubic
    case $beside in
      cubic | bbr) connection 4402 second "$beside" ;;
      adoc-send)
        in_receiver "$build/adoc-recv" -q --once --insecure --out out \
          --listen "$LINK_RECEIVER_ADDRESS:4400" </dev/null >/dev/null 2>&1 &
        link_wait_listening 4400
        # In the foreground, timeout sends the signal once; a second one ends it without figures.
        in_sender timeout --foreground -s INT "$seconds" "$build/adoc-send" -q --insecure --json \
          --no-remember --level 0 data "$LINK_RECEIVER_ADDRESS:4400" >figures 2>/dev/null || true &
        ends+=($!)
        # It may have changed in the course of the transfer.
        sleep $((seconds - 1))
        congestion=$(in_sender ss -Htni 'dport = :4400' | grep -ow 'bbr\|cubic' | sort -u |
          tr '\n' +)
        ;;
    esac
    wait "${ends[@]}"
    case $beside in
      cubic | bbr) other=$(mbits second) streams=1 congestion=$beside ;;
      adoc-send)
        other=$(tail -n 1 figures | sed 's/.*"wire_bytes":\([0-9]*\).*/\1/' |
          awk -v s="$seconds" '{ printf "%.1f", $1 * 8 / s / 1e6 }')
        streams=$(tail -n 1 figures | sed 's/.*"streams":\([0-9]*\).*/\1/')
        rm -r out
        ;;
    esac
    echo "$path $beside $(mbits first) $other $streams ${congestion%+}"
  done
done
