#!/bin/sh
# Sends by several senders at once, which GNU parallel starts, here or where its --sshlogin says:
#
#   shards-parallel.sh COUNT [OPTION...] PATH... HOST[:PORT]
#
# One that fails is repeated alone.
set -eu
count=$1
shift
seq "$count" | parallel --jobs "$count" --retries 3 --quote adoc-send -q --shard "{}/$count" "$@"
