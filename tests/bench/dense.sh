#!/usr/bin/env bash
# What codecs that AdOC does not have would add to its densest levels: rows of a Markdown table of
# what xz and brotli do to given files, in pieces of 15 MiB, beside bzip3 and zstd 19 by
# measure_levels. Ratio at MB/s (MB/s of decompression), processor time of one thread.
#
#   tests/bench/dense.sh BUILD_DIRECTORY FILE...        (needs xz and brotli)
set -euo pipefail

build=${1:?usage: dense.sh BUILD_DIRECTORY FILE...}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds FROM TO COMMAND...: of a processor.
seconds() {
  local from=$1 to=$2 TIMEFORMAT='%U %S'
  shift 2
  { time "$@" <"$from" >"$to" 2>/dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}

# tool COMMAND...: what it makes of the piece.
tool() {
  local c d
  c=$(seconds "$work/piece" "$work/stored" "$@")
  d=$(seconds "$work/stored" /dev/null "$1" -dc)
  awk -v raw="$(stat -c %s "$work/piece")" -v stored="$(stat -c %s "$work/stored")" \
    -v c="$c" -v d="$d" \
    'BEGIN { printf " %.2f at %.1f (%.0f) |", raw / stored, raw / c / 1e6, raw / d / 1e6 }'
}

echo '| file | zstd 19 | bzip3 1 | bzip3 2 | bzip3 4 | xz -6 | xz -9e | brotli 9 | brotli 11 |'
echo '|---|---|---|---|---|---|---|---|---|'
for file in "$@"; do
  # From the middle of the file.
  size=$(stat -c %s "$file")
  most=$((15 << 20))
  dd if="$file" of="$work/piece" bs=1M iflag=skip_bytes,count_bytes,fullblock count="$most" \
    skip="$((size > most ? (size - most) / 2 : 0))" status=none
  printf '| %s |' "${file##*/}"
  "$build/tests/measure_levels" --csv --level 20 --level 21 --level 22 --level 23 "$work/piece" |
    awk -F, '$2 ~ /^[0-9]+$/ { printf " %.2f at %.1f (%.0f) |", $5, $4, $6 }'
  tool xz -6 -T1
  tool xz -9e -T1
  tool brotli -q 9 --large_window=24
  tool brotli -q 11 --large_window=24
  echo
done
