#!/usr/bin/env bash
# Goal: what a file has twice, megabytes apart, crosses once at levels that take some time, and is
# the same after a connection was lost; a receiver without memory for it gets all of it.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
work_in_memory 200000

head -c 9M /dev/urandom >once
cat once once >twice
crossed() { figure wire_bytes; }

start_recv
for level in 10 16; do
  send --json --level "$level" twice
  check "level $level sends it once" [ "$(crossed)" -lt 10500000 ]
  check 'and it arrives as it was' cmp twice out/twice
  rm -f out/twice
done
send --json --level 0 twice
check 'level 0 looks for nothing' [ "$(crossed)" -gt 18000000 ]
check 'and is the same' cmp twice out/twice
stop_recv
rm -rf out

start_recv --insecure --memory 160M
send --json --insecure --level 10 twice
check 'a receiver with little memory is sent all of it' [ "$(crossed)" -gt 18000000 ]
check 'as it was' cmp twice out/twice
stop_recv
rm -rf out

# The second half refers to what another connection carried.
start_recv
cut_off --level 10 --bwlimit 2M twice
start_recv
send --json --level 10 twice
check 'what has arrived is gone on with' [ "$(figure resumed_bytes)" -ge 1000000 ]
check 'and the whole is the same' cmp twice out/twice
stop_recv
