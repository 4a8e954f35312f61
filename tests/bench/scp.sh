#!/usr/bin/env bash
# adoc-cp beside what is used over ssh today: scp, scp -C, rsync -z, and tar | zstd | ssh. One file
# or tree over links of given rates, by an sshd of the bench's own, each end on a processor of its
# own, the tools one after the other in each round, medians. And a file of 1 KB, where starting and
# logging in is all there is.
#
#   ADOC_BIN_DIR=build tests/bench/scp.sh [-n ROUNDS] PATH [RATE...]    default: 10mbit 1gbit none
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"
source "$(dirname "$0")/link.sh"

rounds=3
if [[ ${1:-} == -n ]]; then
  rounds=$2
  shift 2
fi
path=$(realpath -- "${1:?PATH [RATE...]}")
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
tools=('scp' 'scp -C' 'rsync -z' 'tar | zstd | ssh' 'adoc-cp' 'adoc-cp --via ssh')

# Each end runs on one processor.
near() { in_sender env PATH="$ADOC_BIN_DIR:$PATH" taskset -c 0 "$@"; }

# copy TOOL PATH: to far:$T/far/copy.
copy() {
  local from=$2
  case $1 in
    rsync*)
      [[ ! -d $from ]] || from+=/
      near rsync -az -e "ssh -F $SSH_CONFIG" "$from" "far:$T/far/copy"
      ;;
    tar*)
      # shellcheck disable=SC2016 # for the inner shell
      near bash -o pipefail -c 'tar -C "$1" -c -- "$2" | zstd -q -c | ssh -F "$3" far "$4"' tar \
        "$(dirname "$from")" "$(basename "$from")" "$SSH_CONFIG" \
        "cd $T/far && zstd -q -d | tar -x && mv $(printf %q "$(basename "$from")") copy"
      ;;
    *)
      # shellcheck disable=SC2086 # a tool with its option
      near $1 -q -r -F "$SSH_CONFIG" "$from" "far:$T/far/copy"
      ;;
  esac
}

# seconds TOOL PATH: of one copy.
seconds() {
  local begin end
  rm -rf "$T/far/"*
  begin=$EPOCHREALTIME
  copy "$@"
  end=$EPOCHREALTIME
  diff -r --no-dereference "$2" "$T/far/copy" >&2 || fail "$1: what arrived differs"
  awk "BEGIN { print $end - $begin }"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# race TITLE PATH
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

if [[ -d $path ]]; then
  # A link there is copied as what it leads to by some and as a link by others.
  [[ -z $(find "$path" -type l -print -quit) ]] || fail "there are symbolic links in $path"
  what="$(find "$path" -type f | wc -l) files, "
fi
echo "$(basename "$path"), ${what:-}$(du -sb "$path" | cut -f 1) bytes," \
  "$rounds rounds, one processor for each end"
for rate in "${rates[@]}"; do
  link_rate "$rate"
  race "$rate" "$path"
done
head -c 1000 /dev/zero >"$T/small"
link_rate none
rounds=$((rounds * 5))
race '1 KB' "$T/small"
