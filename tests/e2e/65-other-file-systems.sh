#!/usr/bin/env bash
# Goal: on a file system that does not distinguish capital letters the first of two names wins,
# always, and the second is told. On one that keeps whole seconds what is unchanged is not sent
# again, be it a file, a link or a directory; what changed is.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
mkdir -p two/{one,Sub,sub,Links}
echo first >two/one/README
echo 'the second one' >two/one/Readme
echo other >two/one/Other
echo first >two/Sub/x
echo 'the second one' >two/sub/x
echo only >two/sub/y
ln -s first two/Links/Link
ln -s 'the second one' two/Links/link
cat >folding-recv <<END
#!/bin/sh
exec env LD_PRELOAD="${ADOC_FOLD_CASE_LIBRARY:?}" "$ADOC_BIN_DIR/adoc-recv" "\$@"
END
chmod +x folding-recv
contents() { (cd out/two && cat one/* Sub/* 2>/dev/null | sort && readlink Links/*) >"$1"; }
PLAIN_RECV=$ADOC_RECV
ADOC_RECV=$T/folding-recv
start_recv
for run in first second third; do
  # Which of two names comes first follows from the order in which the sender reads them.
  sends 1 --json two
  check "$run run: both are told, and the directory" [ "$(grep -c 'takes the two names for one' send.err)" == 4 ]
  contents "$run-contents"
  check "$run run: names are as they were first" [ "$(find out/two -mindepth 1 | wc -l)" == 8 ]
  check "$run run: nothing alternates" cmp first-contents "$run-contents"
done
says send.err 'came first' 'takes the two names for one'
# One of them alone is what it is.
rm two/one/README two/one/Other
sends 0 two/one
stop_recv
rm -rf out

# A name that no list has and the file system takes for the receiver's own directory is refused by
# what it is, whether or not that directory is there.
mkdir -p SHORT~1/sub top
echo planted | tee SHORT~1/x >SHORT~1/sub/x
export FOLD_CASE_OWN_NAME=SHORT~1
start_recv
for there in no yes; do
  [[ $there == no ]] || mkdir -m 700 out/.adoc
  [[ $there == no ]] || echo kept >out/.adoc/.adoc-0123456789abcdef.partial
  sends 1 SHORT~1
  says send.err "is the receiver's own directory"
  check "nothing is written in it, there before: $there" \
    [ -z "$(find out -mindepth 1 ! -path out/.adoc ! -name '.adoc-*.partial')" ]
done
check 'its mode is not changed' [ "$(stat -c %a out/.adoc)" == 700 ]
check 'what was in it still is' [ "$(cat out/.adoc/.adoc-0123456789abcdef.partial)" == kept ]
echo a file >top/SHORT~1
sends 1 --name SHORT~1 top/SHORT~1
check 'a file gets no such name' [ -d out/.adoc ]
sends 0 two/one
stop_recv
unset FOLD_CASE_OWN_NAME
rm -rf out
ADOC_RECV=$PLAIN_RECV

PATH=$PATH:/usr/sbin:/sbin
mkdir out
# Inodes of 128 bytes have no room for nanoseconds.
if [[ -z ${IN_MOUNT_NAMESPACE:-} ]] || ! truncate -s 8M disk || ! mkfs.ext2 -q -F -I 128 disk ||
  ! mount -o loop disk out; then
  echo 'no file system with coarse times can be mounted here: nothing is tested' >&2
  exit 0
fi
at_end 'umount -l "$T/out" 2>/dev/null'
touch -d @1700000001.5 out/probe
check 'times are whole seconds there' [ "$(stat -c %.9Y out/probe)" == 1700000001.000000000 ]
rm -f out/probe

mkdir -p tree/d
echo one >tree/d/one
echo two >tree/two
ln -s two tree/link
touch -h -d @1700000001.987654321 tree/d/one tree/two tree/link
touch -d @-1.5 tree/d
touch -d @1700000002.7 tree
start_recv
sends 0 --json tree
figures_are committed=5
sends 0 --json tree
figures_are committed=0 skipped=5 bytes=0
sends 0 --json --checksum tree
figures_are committed=0 skipped=5 bytes=0
echo TWO >tree/two
touch -d @1700000000.987654321 tree/two
touch -d @1700000002.7 tree
sends 0 --json tree/two
check 'what changed arrives' cmp tree/two out/two
sends 0 --json tree
check 'also in a tree' cmp tree/two out/tree/two
sends 0 --json tree
figures_are committed=0 skipped=5
stop_recv
