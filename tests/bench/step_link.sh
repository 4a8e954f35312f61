#!/usr/bin/env bash
# Level and rates over time on a link whose rate steps, drawn. See --help.
set -euo pipefail
shopt -s inherit_errexit nullglob
export LC_ALL=C.UTF-8

usage() {
  cat <<'END'
usage: step_link.sh [options] OUT.svg

Sends many copies of a file with adoc-send over a link whose rate changes every few seconds, and
draws the link's rate, what crosses it, what arrives unpacked, and the level. Needs root (a link
between two network namespaces) and gnuplot.

  --file FILE       what is sent (default: a tar of /usr/bin)
  --steps LIST      RATE:SECONDS,... (default: 200mbit:6,20mbit:9,500mbit:6,50mbit:9,200mbit:6)
  --policy POLICY   of adoc-send (default: auto)
  --ladder NAME     of adoc-send (default: auto)
  --fifo-packets N  of adoc-send (default: adoc-send's own)
  --bin DIR         where AdOC was built (default: build/ of this checkout)
  --keep DIR        leaves the measured figures there
  --help
END
}

die() {
  echo "step_link.sh: $*" >&2
  exit 1
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ADOC_BIN_DIR=${ADOC_BIN_DIR:-$here/../../build}
file='' out='' keep='' policy=auto ladder=auto fifo_packets=0
steps=200mbit:6,20mbit:9,500mbit:6,50mbit:9,200mbit:6
while (($# > 0)); do
  case $1 in
    --file | --steps | --policy | --ladder | --fifo-packets | --bin | --keep)
      [[ $# -ge 2 ]] || die "$1 needs a value"
      ;;&
    --file) file=$2 && shift ;;
    --steps) steps=$2 && shift ;;
    --policy) policy=$2 && shift ;;
    --ladder) ladder=$2 && shift ;;
    --fifo-packets) fifo_packets=$2 && shift ;;
    --bin) ADOC_BIN_DIR=$2 && shift ;;
    --keep) keep=$2 && shift ;;
    --help) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
[[ -n $out ]] || { usage >&2 && exit 2; }
ADOC_BIN_DIR=$(cd "$ADOC_BIN_DIR" 2>/dev/null && pwd) || die 'AdOC is not built; see --bin'
command -v gnuplot >/dev/null || die 'gnuplot is missing (package gnuplot-nox)'

# shellcheck source=link.sh
. "$here/link.sh"
# shellcheck source=tools.sh
. "$here/tools.sh"
link_possible || exit 1

WORK=$(mktemp -d)
export XDG_CACHE_HOME=$WORK/cache
DESTINATION=$WORK/destination
end_of_script() {
  local code=$? jobs
  trap '' INT TERM
  jobs=$(jobs -p)
  # shellcheck disable=SC2086 # one word for each process
  [[ -z $jobs ]] || kill $jobs 2>/dev/null || true
  link_down || true
  wait 2>/dev/null || true
  ! mountpoint -q "$DESTINATION" || umount -l "$DESTINATION"
  rm -rf "$WORK"
  exit "$code"
}
trap end_of_script EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# sample PID: twenty times a second the time, bytes that came over the wire, bytes written to the file.
sample() {
  local wire written
  while sleep 0.05; do
    # wchar counts what is written to files, not what is sent.
    written=$(sed -n 's/^wchar: //p' "/proc/$1/io" 2>/dev/null) || return 0
    wire=$(sed -n 's/^ *link0: *\([0-9]*\).*/\1/p' /proc/net/dev)
    echo "$EPOCHREALTIME $wire $written"
  done
}
export -f sample

# Bytes per second, four times a second: on the wire in a quarter of a second around that time; to
# the file in two seconds, for a large block is written at once.
rates() {
  awk -v begin="$begin" -v end="$end" '
    { time[NR] = $1 - begin; wire[NR] = $2; file[NR] = $3 }
    # That of the values between two times.
    function rate(values, from, to,    first, last) {
      for (first = 1; first < NR && time[first + 1] <= from; ++first);
      for (last = first; last < NR && time[last] < to; ++last);
      return (values[last] - values[first]) / (time[last] - time[first]) / 1e6
    }
    END {
      for (t = 0.25; t < end && t < time[NR]; t += 0.25)
        printf "%.3f %.3f %.3f\n", t, rate(wire, t - 0.125, t + 0.125), rate(file, t - 1, t + 1)
    }' "$WORK/samples"
}

# The level by time: the mean over a tenth of a second, weighted with the bytes.
levels() {
  awk -F, -v window=0.1 '
    NR == 1 { next }
    $1 >= end { if (bytes) printf "%.3f %.2f\n", end - window / 2, sum / bytes
                end = (int($1 / window) + 1) * window; sum = bytes = 0 }
    { sum += $5 * $3; bytes += $3 }' "$WORK/trace.csv"
}

# "0 raw, 1–6 lz4, 7–26 zstd"
codecs_in_words() {
  awk 'function out() { printf "%s%s %s", (n++ ? ", " : ""), (first == last ? first : first "–" last), codec }
    $2 != codec { if (NR > 1) out(); first = $1; codec = $2 }
    { last = $1 }
    END { out() }' "$1"
}

# The middle and the name of each step.
names_of_steps() {
  awk 'NR % 2 { begin = $1; next }
    { printf "%.3f \"%s\"\n", (begin + $1) / 2, ($2 >= 1000 ? $2 / 1000 " Gbit/s" : $2 " Mbit/s") }' "$1"
}

draw() {
  names_of_steps "$1/link" >"$1/names"
  gnuplot -e "dir='$1'; end=$end; top=$top; codecs='$(codecs_in_words "$1/ladder")'" "$here/step_link.gp"
}

if [[ -z $file ]]; then
  file=$WORK/bin.tar
  tar --sort=name -C / -cf - usr/bin 2>/dev/null | head -c 52633266 >"$file" || true
fi
[[ -s $file ]] || die "cannot read $file"
# All the copies are one file in the page cache: nothing but AdOC has to run to provide them.
readonly kCopies=400
mkdir "$WORK/copies"
cp "$file" "$WORK/copies/0"
for ((i = 1; i < kCopies; ++i)); do ln "$WORK/copies/0" "$WORK/copies/$i"; done
cat "$WORK/copies/0" >/dev/null

mkdir -p "$DESTINATION"
mount -t tmpfs -o size=80% tmpfs "$DESTINATION"
link_up
link_rate "$(cut -d: -f1 <<<"$steps")"
mkdir "$DESTINATION/in"
# Its process, not one that waits for it, is what is measured and ended.
# shellcheck disable=SC2016 # for the inner shell
readonly kWithPid='echo $$ >"$0" && exec "$@"'
in_receiver bash -c "$kWithPid" "$WORK/receiver" "$ADOC_BIN_DIR/adoc-recv" -q --insecure \
  --out "$DESTINATION/in" --listen "$LINK_RECEIVER_ADDRESS:$ADOC_PORT" >"$WORK/recv.log" 2>&1 &
link_wait_listening "$ADOC_PORT"
in_sender bash -c "$kWithPid" "$WORK/sender" "$ADOC_BIN_DIR/adoc-send" -q --insecure \
  --policy "$policy" --ladder "$ladder" --fifo-packets "$fifo_packets" --trace "$WORK/trace.csv" "$WORK/copies" \
  "$LINK_RECEIVER_ADDRESS:$ADOC_PORT" 2>"$WORK/send.log" &
sender=$!
begin=$EPOCHREALTIME
in_receiver bash -c 'sample "$@"' sample "$(cat "$WORK/receiver")" >"$WORK/samples" &

# The corners of the link's rate.
at() { awk -v b="$begin" -v n="$EPOCHREALTIME" 'BEGIN { printf "%.3f", n - b }'; }
mbit=''
for step in ${steps//,/ }; do
  link_rate "${step%:*}"
  now=$(at)
  [[ -z $mbit ]] || echo "$now $mbit" >>"$WORK/link"
  mbit=$(sed 's/gbit/000/; s/mbit//' <<<"${step%:*}")
  echo "$now $mbit" >>"$WORK/link"
  sleep "${step#*:}"
done
end=$(at)
echo "$end $mbit" >>"$WORK/link"
kill -0 "$sender" 2>/dev/null || die "the transfer ended early: $(cat "$WORK/send.log")"
kill -TERM "$(cat "$WORK/sender")"
code=0
wait "$sender" || code=$?
((code == 130)) || die "the transfer failed: $(cat "$WORK/send.log")"
arrived=0
for copy in "$DESTINATION"/in/copies/*; do
  cmp "$file" "$copy" || die 'what arrived is not what was sent'
  arrived=$((arrived + 1))
done
((arrived > 0)) || die 'the steps are too short: no copy has arrived whole'

rates >"$WORK/rates"
levels >"$WORK/levels"
"$ADOC_BIN_DIR/adoc-send" --list-levels --ladder "$ladder" >"$WORK/ladder"
top=$(awk 'END { print $1 }' "$WORK/ladder")
draw "$WORK" >"$out"
[[ -z $keep ]] || { mkdir -p "$keep" && cp "$WORK"/{link,rates,levels,ladder,trace.csv,samples} "$keep"; }
echo "$arrived copies of $(stat -c %s "$file") bytes arrived in $end s, and were compared"
