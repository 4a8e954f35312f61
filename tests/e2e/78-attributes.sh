#!/usr/bin/env bash
# Goal: extended attributes and access control lists arrive as rsync brings them, also those that
# are empty, binary, large or go away; a change of one moves no data; what the file system refuses
# is told, and the entry has all else.
set -euo pipefail
# In a namespace of a user's own the numbers of others mean nothing.
[[ $EUID != 0 ]] || source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/metadata.sh"

is_root() { [[ $(id -u) == 0 ]]; }

cd "$T"
make_tree
mark() { setfattr "$@" || fail "setfattr $* does not work on the file system of $T"; }
mark -n user.text -v 'some text' tree/two/marked
mark -n user.binary -v 0x00ff0a00 tree/two/marked
mark -n user.empty tree/two/marked
mark -n user.of.a.directory -v x tree/two
mark -n user.on.linked -v y tree/one/file
mark -n user.long -v "0x$(printf '%04000d' 7)" tree/one/large
is_root && {
  mark -n trusted.secret -v z tree/two/marked
  setcap cap_net_raw+ep tree/two/program 2>/dev/null ||
    mark -n security.capability -v 0x0100000200200000000000000000000000000000 tree/two/program
}
setfacl -m u:12345:r,g:23456:rw,u:daemon:rwx tree/two/marked
setfacl -m u:daemon:rx tree/one
setfacl -d -m u:12345:rwx,g::- tree/two

RSYNC='-aHAX'
start_recv --keep-setuid
sends 0 $RSYNC --json tree
as_by_rsync tree
# shellcheck disable=SC2086
sends 0 $RSYNC --json tree
figures_are committed=0 bytes=0
echo 'ok: attributes and ACLs are as by rsync, and nothing is sent again'
mark -n user.text -v 'other text' tree/two/marked
only_metadata 'another value'
mark -x user.binary tree/two/marked
mark -x user.of.a.directory tree/two
only_metadata 'an attribute less'
setfacl -m u:12345:rw tree/two/marked
only_metadata 'another ACL'
setfacl -b tree/two/marked
setfacl -k tree/two
only_metadata 'an ACL less'
setfacl -m u:12345:- tree/two/marked
# What is there of its own stays where it was not asked for.
mark -n user.own -v 1 out/tree/two/marked
sends 0 -a --json tree
figures_are committed=0 bytes=0
check 'what was not asked for is left alone' getfattr --only-values -n user.own out/tree/two/marked
stop_recv
rm -r out

if is_root; then
  start_recv
  sends 0 -aHAX tree
  check 'who may not give set-uid bits gives no capabilities' \
    [ -z "$(getfattr -m '^(security.capability|trusted)' out/tree/two/program out/tree/two/marked)" ]
  check 'but users their attributes' getfattr -n user.text out/tree/two/marked
  stop_recv
  rm -r out
fi

if [[ -n ${IN_MOUNT_NAMESPACE:-} ]]; then
  # 60 kB, from one file system in memory to another.
  mkdir large
  at_end 'umount -l "$T/large" 2>/dev/null'
  mount -t tmpfs -o size=20M none large
  echo contents >large/file
  echo more >large/other
  python3 -c 'import os; os.setxattr("large/file", "user.large", bytes(range(250)) * 240)'
  mount_out size=20M
  start_recv
  sends 0 -X large
  check '60 kB of one attribute arrive' \
    cmp <(getfattr -d -e hex large/file | sed 1d) <(getfattr -d -e hex out/large/file | sed 1d)
  sends 0 -X --json large
  figures_are committed=0
  stop_recv
  umount -l out

  # A file system without attributes.
  mount -t ramfs none out
  start_recv
  sends 1 -X --json large
  says send.err large/file 'cannot set its extended attribute' user.large
  check 'it is told of no other' [ "$(grep -c 'cannot set' send.err)" == 1 ]
  figures_are committed=3
  check 'the rest is committed' cmp large/file out/large/file
  eventually grep -q 'cannot set its extended attribute' recv.err
  sends 1 -X --json large
  figures_are bytes=0 committed=1
  echo 'ok: it is tried again without data'
  stop_recv
else
  echo 'not tried: other file systems'
fi
