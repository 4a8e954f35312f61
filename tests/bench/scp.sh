#!/usr/bin/env bash
# adoc-cp beside what is used over ssh today: scp, scp -C, rsync -z, and tar | zstd | ssh. One file
# or tree over links of given rates, by an sshd of the bench's own, each end on a processor of its
# own, the tools one after the other in each round, medians. And a file of 1 KB, where starting and
# logging in is all there is: into memory, and onto the disk of $TMPDIR, since adoc-cp waits until
# the disk has it and scp does not.
#
#   ADOC_BIN_DIR=build tests/bench/scp.sh [-n ROUNDS] PATH [RATE...]    default: 10mbit 1gbit none
#   ADOC_BIN_DIR=build tests/bench/scp.sh [-n ROUNDS] --small           1 KB alone, 30 rounds
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"
source "$(dirname "$0")/link.sh"

rounds=3
if [[ ${1:-} == -n ]]; then
  rounds=$2
  shift 2
fi
only_small=
if [[ ${1:-} == --small ]]; then
  only_small=1
  ((rounds != 3)) || rounds=30
else
  path=$(realpath -- "${1:?PATH [RATE...]}")
  shift
fi
rates=("$@")
((${#rates[@]} > 0)) || rates=(10mbit 1gbit none)
link_possible
at_end 'link_down'
at_end 'stop_sshd'
link_up
mkdir "$T/far" "$T/home"
# What the user's own shell does at its start is nothing of these.
cp /etc/skel/.bashrc "$T/home/"
SSHD_SETS="HOME=$T/home"
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

# At 1 KB there are these beside: what logging in costs, and each way.
small_tools=('scp' 'ssh true' 'adoc-cp' 'adoc-cp --via direct' 'scp back' 'adoc-cp back')

# copy_small TOOL DIRECTORY: $T/small into it or, back, from there to here.
copy_small() {
  local tool=${1% back} from=$T/small to=far:$2/copy
  [[ $tool == "$1" ]] || from=far:$T/small to=$2/copy
  case $tool in
    ssh*) near ssh -F "$SSH_CONFIG" far true ;;
    *)
      # shellcheck disable=SC2086 # a tool with its option
      near $tool -q -F "$SSH_CONFIG" "$from" "$to"
      ;;
  esac
}

# race_small TITLE DIRECTORY: seconds, and those of processors at this end.
race_small() {
  local round tool i wall busy first
  local TIMEFORMAT='%R %U %S'
  for ((i = 0; i < ${#small_tools[@]}; ++i)); do : >"$T/times.$i"; done
  for ((round = 0; round < rounds; ++round)); do
    for ((i = 0; i < ${#small_tools[@]}; ++i)); do
      tool=${small_tools[i]}
      rm -rf "$2" && mkdir "$2"
      { time copy_small "$tool" "$2" 2>"$T/said"; } 2>>"$T/times.$i" ||
        fail "$tool: $(cat "$T/said")"
      [[ $tool == 'ssh true' ]] || cmp "$T/small" "$2/copy" || fail "$tool: what arrived differs"
    done
  done
  rm -rf "$2"
  first=$(cut -d ' ' -f 1 "$T/times.0" | median)
  for ((i = 0; i < ${#small_tools[@]}; ++i)); do
    wall=$(cut -d ' ' -f 1 "$T/times.$i" | median)
    busy=$(awk '{ print $2 + $3 }' "$T/times.$i" | median)
    awk -v title="$1" -v tool="${small_tools[i]}" -v wall="$wall" -v busy="$busy" \
      -v first="$first" \
      'BEGIN { printf "%-14s %-20s %5.0f ms  scp %+4.0f ms  busy here %3.0f ms\n", title, tool,
               wall * 1000, (wall - first) * 1000, busy * 1000 }'
  done
}

# flush DIRECTORY: milliseconds that 1 KB takes to be on the disk.
flush() {
  local round begin end
  for ((round = 0; round < rounds; ++round)); do
    begin=$EPOCHREALTIME
    dd if="$T/small" of="$1/flushed" conv=fsync status=none
    end=$EPOCHREALTIME
    awk "BEGIN { print ($end - $begin) * 1000 }"
    rm "$1/flushed"
  done | median
}

small() {
  head -c 1000 /dev/urandom >"$T/small"
  link_rate none
  echo "1 KB, $rounds rounds; dd conv=fsync of it takes $(flush "$T") ms on the disk"
  if [[ -d /dev/shm && -w /dev/shm ]]; then race_small '1 KB in memory' "/dev/shm/adoc-small-$$"; fi
  race_small '1 KB on disk' "$T/far/small"
}

if [[ -n $only_small ]]; then
  small
  exit
fi
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
rounds=$((rounds * 5))
small
