#!/usr/bin/env bash
# Memory of both programs, and seconds for each million entries, as a tree grows.
#
#   entries.sh BUILD [MOST [OPTION]...]
#
# BUILD has adoc-send and adoc-recv. From 1,000 files up to MOST (1000000), each time ten times as
# many; more options are those of flat.py. Source and destination are in a file system of its own in
# memory, which has room for any number of names; the files are empty, as one of a byte takes a page
# there. A file then takes some 1,300 bytes of the machine's memory: 10 million take 13 GB. Needs
# root. Seconds are worth something only where nothing else runs.
set -euo pipefail

build=${1:?entries.sh BUILD [MOST [OPTION]...]} most=${2:-1000000}
shift "$(($# < 2 ? $# : 2))"
((EUID == 0)) || { echo 'only root can mount a file system' >&2; exit 1; }
needed=$((most * 1500 / 1024 + (1 << 20)))
available=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
((available >= needed)) || {
  echo "$most files take $((needed >> 10)) MiB of memory, and $((available >> 10)) are there" >&2
  exit 1
}
counts=
for ((count = 1000; count <= most; count *= 10)); do counts+=$count,; done

directory=$(mktemp -d)
trap 'rmdir "$directory"' EXIT
# In a namespace of its own it is gone with the last process, whatever that dies of.
unshare --mount bash -c 'mount -t tmpfs -o nr_inodes=0 entries "$1" && shift && exec "$@"' _ \
  "$directory" python3 "$(dirname "$0")/flat.py" "$build" --dir "$directory" --entries "$counts" \
  --file-bytes 0 --dry-entries '' --gigabytes '' --terabytes '' "$@"
