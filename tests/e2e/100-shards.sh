#!/usr/bin/env bash
# Goal: senders that each have one shard of a tree bring together all of it, with its metadata, at
# once or one after the other, and none sends what another does.
set -euo pipefail
source "$(dirname "$0")/../support/shards.sh"

cd "$T"
make_shared_tree
ALL=$(data_bytes tree)
FILES=$(find tree -type f | wc -l)
start_recv -q

# is_whole N: the tree is there, each byte was sent once, and nobody sent much more than a share.
is_whole() {
  check "$1 senders bring the tree" same_trees tree out/tree
  check 'each byte is sent once' [ "$(sum bytes "$1")" == "$ALL" ]
  nothing_left_over
}
each_shard 3 -q tree
is_whole 3
check 'a file that is sent whole is sent by one' [ "$(sum files 3)" -lt $((FILES + 3 * 4)) ]
each_shard 3 -q tree
check 'senders that are repeated find all of it' [ "$(sum bytes 3)" == 0 ]
check 'and commit nothing' [ "$(sum committed 3)" == 0 ]
empty_out

all_shards 4 -q tree
is_whole 4
empty_out

shard 1/1 -q tree
is_whole 1
empty_out

# What is in a directory, a list, a filter and another name, in an order of its own.
mkdir other && cp -a tree/many tree/deep other/
for k in 2 3 1; do shard "$k/3" -q --exclude '1*' --name x/y other/; done
rsync -a --exclude '1*' other/ expected/
check 'filters, contents and another name' same_trees expected out/x/y
empty_out
(cd other && find . -type f -name '*2' -print0) >list
for k in 3 1 2; do shard "$k/3" -q -0 --files-from list other; done
sends 0 -q -0 --files-from list other --dry-run
check 'a list' empty send.out
check 'all of the list' [ "$(cd out && find . -type f | wc -l)" == "$(tr -cd '\0' <list | wc -c)" ]
empty_out

for wrong in 0/0 0/3 4/3 1/0 1/70000 x 1 1/ /1 1/2/3 -1/2 '1/ 2'; do
  sends 2 --shard "$wrong" tree
  says send.err --shard
done
printf x | sends 2 --shard 1/2 --name x -
says send.err 'standard input'
check 'wrong shards move nothing' [ -z "$(ls -A out)" ]
