#!/usr/bin/env bash
# Goal: directories that only the names of files imply count for --max-entries, --max-bytes and the
# free space, before they are made; a tree in which each has its own entry is not counted twice.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
directories() { find out -mindepth 1 -type d ! -name .adoc | wc -l; }
attack() {
  "$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" implied "$T" || fail 'the attack itself fails'
}

start_recv --insecure --max-entries 150
attack
check '--max-entries: no more are made' [ "$(directories)" -le 150 ]
check 'but up to there they are' [ "$(directories)" -gt 50 ]
stop_recv
says recv.err ' --max-entries'
rm -rf out

start_recv --insecure --max-bytes 400K
attack
check '--max-bytes: each counts as 4 KiB' [ "$(directories)" -le 100 ]
stop_recv
says recv.err ' --max-bytes'
rm -rf out

free=$(df --output=avail -B 1 . | tail -n 1)
start_recv --insecure --min-free $((free + (1 << 30)))
attack
check '--min-free: without room none is made' [ "$(directories)" == 0 ]
stop_recv
rm -rf out

# Three directories and two files.
mkdir -p tree/a/b
echo one >tree/a/b/one
echo two >tree/two
start_recv --insecure --max-entries 5
check 'a tree of as many entries as are allowed arrives' sends 0 --insecure tree
check 'all of it' same_trees tree out/tree
rm -rf out/tree
mkdir tree/c
sends 7 --insecure tree
says send.err ' --max-entries'
stop_recv
