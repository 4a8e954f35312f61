#!/usr/bin/env bash
# adoc-cp beside scp and scp -C: one file over links of given rates, by an sshd of the bench's own,
# each end on a processor of its own, the tools one after the other in each round, medians. And a
# file of 1 KB, where starting and logging in is all there is.
#
#   ADOC_BIN_DIR=build tests/bench/scp.sh [-n ROUNDS] FILE [RATE...]    default: 10mbit 1gbit none
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"
source "$(dirname "$0")/link.sh"

rounds=3
if [[ ${1:-} == -n ]]; then
  rounds=$2
  shift 2
fi
file=${1:?FILE [RATE...]}
shift
rates=("$@")
((${#rates[@]} > 0)) || rates=(10mbit 1gbit none)
link_possible
at_end 'link_down'
at_end 'stop_sshd'
link_up
mkdir "$T/far"
SSHD_ADDRESS=$LINK_RECEIVER_ADDRESS SSHD_PREFIX="nsenter --net=/run/netns/$LINK_NAME-r taskset -c 1"
start_sshd
tools=('scp' 'scp -C' 'adoc-cp' 'adoc-cp --via ssh')

# seconds TOOL FILE: of one copy.
seconds() {
  local begin end
  rm -rf "$T/far/"*
  # shellcheck disable=SC2086 # a tool with its option
  begin=$EPOCHREALTIME
  in_sender env PATH="$ADOC_BIN_DIR:$PATH" taskset -c 0 \
    $1 -q -F "$SSH_CONFIG" "$2" "far:$T/far/copy"
  end=$EPOCHREALTIME
  cmp -s "$2" "$T/far/copy" || fail "$1: what arrived differs"
  awk "BEGIN { print $end - $begin }"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# race TITLE FILE
race() {
  local round tool i
  for ((i = 0; i < ${#tools[@]}; ++i)); do : >"$T/times.$i"; done
  for ((round = 0; round < rounds; ++round)); do
    for ((i = 0; i < ${#tools[@]}; ++i)); do seconds "${tools[i]}" "$2" >>"$T/times.$i"; done
  done
  local first
  first=$(median <"$T/times.0")
  for ((i = 0; i < ${#tools[@]}; ++i)); do
    local time
    time=$(median <"$T/times.$i")
    printf '%-10s %-20s %8.3f s   %5.2f x scp\n' "$1" "${tools[i]}" "$time" \
      "$(awk "BEGIN { print $first / $time }")"
  done
}

echo "$(basename "$file"), $(stat -c %s "$file") bytes, $rounds rounds, one processor for each end"
for rate in "${rates[@]}"; do
  link_rate "$rate"
  race "$rate" "$file"
done
head -c 1000 "$file" >"$T/small"
link_rate none
rounds=$((rounds * 5))
race '1 KB' "$T/small"
