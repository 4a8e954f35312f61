#!/usr/bin/env bash
# How long trees of small files take over long paths, where what is to be sent next must be offered
# two round trips before.
#
#   far_files.sh BUILD [PATH FILES BYTES]...
#
# BUILD has adoc-send, adoc-recv and tests/wan_link; PATH is as in tests/support/wan_link.cpp.
# Prints a line for each: the path, the files, their bytes each, seconds. In memory, not encrypted,
# one connection, level 1. Needs root. Seconds are worth something only where nothing else runs.
set -euo pipefail
source "$(dirname "$0")/link.sh"

build=$(cd "$1" && pwd)
shift
(($# > 0)) || set -- 1gbit:260ms:0% 2000 4096 1gbit:100ms:0% 20000 100 1gbit:100ms:0% 50000 100 \
  1gbit:260ms:0% 20000 100
link_workplace "$build"
for (( ; $# >= 3; )); do
  path=$1 files=$2 bytes=$3
  shift 3
  head -c "$bytes" /dev/urandom >file
  mkdir tree
  # Names of one file, each of which is sent.
  for ((i = 0; i < files; ++i)); do
    ((i % 1000 != 0)) || mkdir "tree/$i"
    echo "tree/$((i / 1000 * 1000))/$i"
  done | python3 -c 'import os, sys
for line in sys.stdin: os.link("file", line.rstrip())'
  link_wan "$path"
  in_receiver "$build/adoc-recv" -q --once --insecure --out out \
    --listen "$LINK_RECEIVER_ADDRESS:4400" </dev/null >/dev/null &
  link_wait_listening 4400
  in_sender "$build/adoc-send" -q --insecure --json --no-remember --streams 1 --level 1 tree \
    "$LINK_RECEIVER_ADDRESS:4400" >figures
  wait "$!"
  echo "$path $files $bytes $(tail -n 1 figures | sed 's/.*"seconds":\([0-9.]*\).*/\1/')"
  rm -r tree out
done
