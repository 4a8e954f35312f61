#!/usr/bin/env bash
# Goal: files, trees and standard input arrive byte for byte, with all that is promised to be kept,
# whatever their size and name, and whatever the codec, the level and the sizes of the pipeline.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

# delivers SENTENCE SOURCE_DIRECTORY ARGUMENT...: what is sent makes the destination equal to it.
delivers() {
  local sentence=$1 source=$2
  shift 2
  empty_out
  sends 0 "$@"
  [[ ! -s $T/recv.err ]] || grep -qv 'failed' "$T/recv.err" || fail "$(cat "$T/recv.err")"
  check "$sentence" same_trees "$source" "$T/out"
}

start_recv -q
cd "$T"

# Text, noise, text: raw and compressed blocks in one file.
{ seq 1 40000; head -c 200000 /dev/urandom; seq 1 30000; } >mix

mkdir sizes
for size in 0 1 8191 8192 8193 204799 204800 204801 409601; do
  tail -c "$size" mix >"sizes/$size"
done
delivers 'every size arrives' sizes sizes/
for ladder in zlib zstd lz4 auto; do
  top=$("$ADOC_SEND" --list-levels --ladder "$ladder" | tail -n 1 | awk '{print $1}')
  for levels in '--level 0' "--level $top" '--policy adoc' "--min-level $((top / 2))"; do
    # shellcheck disable=SC2086 # an option and its value
    delivers "--ladder $ladder $levels" sizes --ladder "$ladder" $levels sizes/
  done
done
for shape in '--fifo-packets 1' '--packet-size 64 --block-size 1K --fifo-packets 1' \
  '--packet-size 8191 --block-size 204801' '--packet-size 1M --block-size 1K --fifo-packets 4' '--block-size 16M'; do
  # shellcheck disable=SC2086 # options and values
  delivers "$shape" sizes $shape --ladder zlib --min-level 1 sizes/
done
stop_recv
start_recv -q --fifo-packets 1
delivers 'a receiver with a FIFO of one packet' sizes --fifo-packets 1 sizes/

# Names.
mkdir names
for name in 'with space' $'new\nline' $'\xff\xfe not UTF-8' -dash -- '*' '\back' '"quoted"' .hidden ..two \
  'ünï' $'tab\t' "$(printf '%0255d' 0)"; do
  echo "$name" >"names/$name"
done
delivers 'every name arrives, in a tree' names names/
(cd names && delivers 'every name arrives, one by one' . -- ./* ./.hidden ./..two) || exit 1
touch -r names out

# Metadata. The bits that make a file run as its owner are kept only by a receiver that is told to.
stop_recv
start_recv -q --keep-setuid
mkdir -p tree/{empty,full/deep/er,closed}
for mode in 0400 0444 0600 0644 0664 0755 0777 4755 2755 1644; do
  echo "$mode" >"tree/full/$mode"
  chmod "$mode" "tree/full/$mode"
done
touch -d '2001-02-03 04:05:06.123456789 UTC' tree/full/0644
touch -d '1969-12-31 23:59:59.999999999 UTC' tree/full/0600
touch -d '2106-02-07 06:28:16.000000001 UTC' tree/full/0755
ln -s nowhere tree/dangling
ln -s full/deep tree/to-directory
ln -s /etc/passwd tree/absolute
ln -s ../.. tree/full/upwards
ln -s "$(printf '%04000d' 0)" tree/long
touch -h -d '2002-03-04 05:06:07.000000008 UTC' tree/dangling tree/to-directory
echo inside >tree/closed/file
chmod 0555 tree/closed
chmod 0700 tree/full/deep
chmod 1777 tree/empty
for directory in tree/empty tree/closed tree/full/deep/er tree/full/deep tree/full tree; do
  touch -d '2003-04-05 06:07:08.000000009 UTC' "$directory"
done
mkdir expected
cp -a tree expected/
delivers 'modes, times, links and empty directories are kept' expected tree
delivers 'a path is reduced to its last component' expected "$T/./expected/../tree"
mkdir other
echo first >other/first
cp -a other/first mix tree/full/0644 expected/
delivers 'many paths at once' expected other/first mix tree "$T/tree/full/0644"
rm -rf "$T/out"/* 2>/dev/null || { chmod -R u+rwx "$T/out"; rm -rf "$T/out"/*; }
delivers 'a slash at the end means the contents' tree tree/
(cd tree && delivers 'a dot means the contents' . .) || exit 1
chmod -R u+w "$T/out"

# Standard input.
mkdir input
head -c 300000 mix >input/name
empty_out
sends 0 --name name - <mix
check 'standard input arrives from a file' cmp mix out/name
cat input/name | sends 0 --name name -
check 'standard input arrives from a pipe' cmp input/name out/name
sends 0 --name deep/er/name - </dev/null
check 'empty standard input makes an empty file, and directories on its way' test -f out/deep/er/name
[[ ! -s out/deep/er/name ]] || fail 'it is not empty'
empty_out
cat input/name | sends 0 --name piped - mix sizes
check 'standard input and paths' cmp input/name out/piped
check 'paths beside standard input' cmp mix out/mix
check 'trees beside standard input' same_trees sizes out/sizes

# Holes. 5 GiB of which a few blocks are data: offsets beyond 32 bits without the bytes.
empty_out
mkdir sparse
truncate -s 5G sparse/large
for at in 0 4294967296 5368000000; do
  dd if=mix of=sparse/large bs=64K count=2 oflag=seek_bytes seek="$at" conv=notrunc status=none
done
truncate -s 3M sparse/only-a-hole
cp --sparse=never mix sparse/no-hole
sends 0 --json sparse
for file in sparse/*; do
  check "$file has its size and time" [ "$(stat -c '%s %y' "$file")" == "$(stat -c '%s %y' "out/$file")" ]
  blocks=$(stat -c %b "$file")
  check "$file keeps its holes" [ "$(stat -c %b "out/$file")" -le $((blocks + 64)) ]
done
for at in 0 4294967296 5368000000; do
  check "the data at $at" cmp -i "$at" -n 200000 sparse/large out/sparse/large
done
check 'other files stay whole' cmp sparse/no-hole out/sparse/no-hole
check 'holes are not sent' [ "$(figure bytes)" -lt 2000000 ]
nothing_left_over
stop_recv
