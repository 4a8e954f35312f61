#!/usr/bin/env bash
# Goal: before the receiver says that something is committed, its name, the directories on the way
# to it up to --out and above, its mode and its time are on the disk, as a trace of its system calls
# shows; and no directory costs a descriptor for longer than it is written in.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
# A leak cannot be looked for under strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
source "$(dirname "$0")/../support/transfer.sh"

READER=$(cd "$(dirname "$0")/../support" && pwd)/on_the_disk.py
cd "$T"
cat >traced-recv <<END
#!/bin/sh
exec strace -f -y -xx -s 65536 -qq -o "$T/trace" -e signal=none -e trace=mkdir,mkdirat,renameat,renameat2,symlinkat,fsync,syncfs,fchmod,utimensat,listen,write,writev,sendto,sendmsg "$ADOC_BIN_DIR/adoc-recv" "\$@"
END
chmod +x traced-recv
# traced SENTENCE SENDER_ARGUMENT...: one transfer, and all of it was on the disk before it was
# said. With AS_IF_NEW=--as-if-new so was what was there already.
AS_IF_NEW=
traced() {
  local sentence=$1 made=()
  shift
  [[ -d out ]] || made=("$T/out")
  ADOC_RECV=$T/traced-recv start_recv --once --insecure
  sends 0 --insecure --json "$@"
  recv_ends 0
  check "$sentence" python3 "$READER" ${AS_IF_NEW:+"$AS_IF_NEW"} trace out "${made[@]}"
}

mkdir -p tree/{a,b}/{c,d}/e tree/empty
for i in {1..40}; do echo "$i" >"tree/a/c/e/$i"; done
echo deep >tree/b/d/e/file
ln -s nowhere tree/b/link
head -c 3000000 /dev/urandom >tree/b/large
traced 'files, links, directories, and --out itself' tree
check 'they arrive' same_trees tree out/tree
chmod 600 tree/a/c/e/7
touch tree/b/large
chmod 711 tree/b/c
echo new >tree/b/d/e/new
traced 'modes and times alone, and a file in directories that were there' tree
figures_are committed=6
check 'they arrive' same_trees tree out/tree
# What a session renamed that was gone before it could flush the name.
AS_IF_NEW=--as-if-new traced 'what was there already' tree
figures_are committed=0
# Directories that are made for one batch by the thread that writes, and used by the next.
mkdir many
for i in {1..600}; do
  mkdir -p "many/$((i / 50))/$i"
  echo "$i" >"many/$((i / 50))/$i/file"
done
traced 'many batches' many/{0..4}

# A file that was begun by an earlier transfer, and is read only.
head -c 6000000 /dev/urandom >big
chmod 400 big
begun() { [[ -s $(find out/.adoc -name '*.journal' 2>/dev/null) ]]; }
start_recv --insecure
"$ADOC_SEND" --insecure --retry 0 --bwlimit 2M --level 0 big "127.0.0.1:$PORT" 2>send.err &
SENDER=$!
eventually begun
kill -KILL "$RECV_PID"
wait "$RECV_PID" "$SENDER" 2>/dev/null || true
traced 'a file that was gone on with' big
check 'it was' [ "$(figure resumed_bytes)" -gt 0 ]
check 'it arrives' cmp big out/big

# 600 directories, and descriptors for the batches under way alone.
rm -rf out
(
  ulimit -n 1100
  start_recv --once
  sends 0 many
  recv_ends 0
)
check 'with 1100 descriptors' same_trees many out/many

[[ -n ${IN_MOUNT_NAMESPACE:-} ]] || exit 0
# Where a rename is refused the contents are copied.
mkdir -p elsewhere out/tree
mount --bind elsewhere out/tree
at_end 'umount -l "$T/out/tree"'
traced 'a file that is copied to another mount' tree
check 'they arrive' same_trees tree out/tree
