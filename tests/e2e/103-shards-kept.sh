#!/usr/bin/env bash
# Goal: senders of shards keep what one sender keeps: owners, hard links, attributes, ACLs,
# directories that are closed; their connections may be lost; copies by adoc-cp have shards, too.
set -euo pipefail
source "$(dirname "$0")/../support/metadata.sh"
source "$(dirname "$0")/../support/shards.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
cd "$T"
make_tree
head -c 12000000 /dev/urandom >tree/two/linked
for i in {1..8}; do ln tree/two/linked "tree/one/linked $i"; done
head -c 20000000 /dev/urandom >tree/two/deep/split
setfattr -n user.kept -v yes tree/two/deep/split tree/one 2>/dev/null ||
  skip 'no extended attributes here'
setfacl -m u:12345:r tree/two/deep/split tree/two
chmod 751 tree/two/deep/split
if [[ $(id -u) == 0 ]]; then chown 12345:23456 tree/two/deep/split tree/two/linked tree/empty; fi
find tree -exec touch -h -d '2020-02-03 04:05:06.789 UTC' {} +

RSYNC=-aHAX
start_recv -q
for k in 3 1 2; do shard "$k/3" -q $RSYNC tree; done
as_by_rsync tree
check 'names of a file bring its contents once' [ "$(sum bytes 3)" -lt 33000000 ]
for k in 1 2 3; do
  bytes=$(figure bytes "$k-3.out")
  check 'no sender has the whole of a large file' [ "$bytes" -lt 28000000 ]
done
each_shard 3 -q $RSYNC tree
check 'nothing is left to send' [ "$(sum bytes 3) $(sum committed 3)" == '0 0' ]
nothing_left_over
empty_out
all_shards 4 -q $RSYNC tree
as_by_rsync tree
nothing_left_over
empty_out

# Lost in the middle, again and again: the next connection takes over from the last one's session.
RECEIVER=$PORT
for k in 1 2; do
  mkfifo "proxy$k"
  python3 "$SUPPORT/cutting_proxy.py" "$RECEIVER" 3 3000000 <"proxy$k" >"proxy$k.out" 2>/dev/null &
  eval "exec 1$k>proxy$k"
  eventually test -s "proxy$k.out"
  "$ADOC_SEND" --json --shard $k/2 tree "127.0.0.1:$(cat "proxy$k.out")" >"$k-2.out" 2>"$k-2.err" &
  pids[k]=$!
done
for k in 1 2; do wait "${pids[k]}" || fail "sender $k: $(cat "$k-2.err")"; done
check 'over connections that are lost' same_trees tree out/tree
check 'they were' [ "$(sum retries 2)" == 6 ]
nothing_left_over
empty_out

# Into what is there: an older file stays until the new one is whole; --no-overwrite keeps it.
mkdir -p out/tree/two/deep
echo old >out/tree/two/deep/split
shard 1/2 -q tree
check 'the old one stays as long as parts are missing' [ "$(cat out/tree/two/deep/split)" == old ]
shard 2/2 -q tree
check 'and then is replaced' same_trees tree out/tree
echo kept >out/tree/two/deep/split
each_shard 2 -q --no-overwrite tree
check 'or kept' [ "$(cat out/tree/two/deep/split)" == kept ]
nothing_left_over

# The disk fails for the directory that parts lie in, and says so once: that is so for all of them.
stop_recv
head -c 9000000 /dev/urandom >first
head -c 9000000 /dev/urandom >second
cat >failing-recv <<END
#!/bin/sh
exec strace -f -qq -o /dev/null -P "$T/out/.adoc" -e trace=fsync \
  -e inject=fsync:error=EIO:when=1 "$ADOC_RECV" "\$@"
END
chmod +x failing-recv
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
mkdir -p out/.adoc
chmod 700 out/.adoc
ADOC_RECV=$T/failing-recv start_recv -q --once
expect_exit 1 "$ADOC_SEND" -q --shard 1/2 first second "127.0.0.1:$PORT" 2>send.err
recv_ends 1
for file in first second; do
  check "$file hears of it" grep -q "^adoc-send: $file failed .*input/output error" send.err
done
rm -rf out
start_recv -q
each_shard 2 -q first second
check 'and is sent again' cmp first out/first

# adoc-cp: the destination is a directory, whoever is first.
for k in 2 1; do "$ADOC_CP" -q -a --shard $k/2 tree copied; done
check 'copies on one machine' same_trees tree copied/tree
for k in 1 2; do
  "$ADOC_CP" -q -a --shard $k/2 tree/two at-once 2>"$k.err" &
  pids[k]=$!
done
for k in 1 2; do wait "${pids[k]}" || fail "copy $k: $(cat "$k.err")"; done
check 'copies at once' same_trees tree/two at-once/two
echo file >is-a-file
expect_exit 6 "$ADOC_CP" -q --shard 1/2 tree/one/file is-a-file 2>cp.err
check 'a file is no directory' [ "$(cat is-a-file)" == file ]
