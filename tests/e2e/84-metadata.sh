#!/usr/bin/env bash
# Goal: what is kept on request arrives as `rsync -aHAX` brings it: owners, groups, hard links,
# extended attributes and ACLs; what is there is not sent again, a change of it alone moves no data.
set -euo pipefail
source "$(dirname "$0")/../support/metadata.sh"
source "$(dirname "$0")/../support/sshd.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)

is_root() { [[ $(id -u) == 0 ]]; }

cd "$T"
make_tree
if is_root; then
  chown 12345:23456 tree/one/file
  chown -h 12345:23456 tree/link
  chown daemon:games tree/two/marked tree/empty
  chown 54321:54321 tree/two/program
fi
chmod 4755 tree/two/program
chmod 2755 tree/two/deep

RSYNC=-aH
start_recv --keep-setuid
sends 0 $RSYNC --json tree
check 'another name moves no data' [ "$(figure bytes)" -lt 310000 ]
as_by_rsync tree
sends 0 $RSYNC --json tree
figures_are committed=0 bytes=0
echo 'ok: owners, groups and hard links are as by rsync, and nothing is sent again'
rm 'out/tree/two/the same again'
only_metadata 'a missing name'
cp -p out/tree/large other && mv other out/tree/large
only_metadata 'a name that is a file of its own'
if is_root; then
  chown 777:888 tree/two/program
  chown -h 777:888 tree/link
  chgrp 999 tree/two
  chmod 4755 tree/two/program
  only_metadata 'another owner'
fi
# Other contents: the first name is replaced, and the others follow it.
echo changed >>tree/one/file
sends 0 $RSYNC tree
as_by_rsync tree
sends 0 $RSYNC -n tree
check 'a dry run lists no name that is there' empty send.out
rm -r out/tree
sends 0 tree
check 'without options each name is a file' [ -z "$(find out -type f -links +1)" ]
check 'and it belongs to the receiver' [ -z "$(find out ! -user "$(id -u)")" ]
stop_recv

# A receiver that takes none says so once, and gets all else.
rm -r out
start_recv --no-metadata
sends 0 -aHAX tree
says send.err 'takes no owners'
check 'it is said once' [ "$(wc -l <send.err)" == 2 ]
check 'all else arrives' diff -r --no-dereference tree out/tree
stop_recv
rm -r out

if is_root; then
  # Names count, not numbers: the receiver's machine has others.
  sed 's/^daemon:x:[0-9]*:/daemon:x:4711:/' /etc/passwd >passwd
  sed 's/^games:x:[0-9]*:/games:x:4712:/' /etc/group >group
  cat >elsewhere <<END
#!/bin/sh
exec unshare -m sh -c 'mount --bind passwd /etc/passwd && mount --bind group /etc/group &&
  exec "$ADOC_BIN_DIR/adoc-recv" "\$@"' sh "\$@"
END
  chmod +x elsewhere
  HERE=$ADOC_RECV
  ADOC_RECV=$T/elsewhere
  chown daemon:games tree/two/marked
  start_recv
  sends 0 -a tree
  check 'owners go by their names' [ "$(stat -c %u:%g out/tree/two/marked)" == 4711:4712 ]
  check 'others by their numbers' [ "$(stat -c %u:%g out/tree/one/file)" == 12345:23456 ]
  check 'set-uid bits of another owner are not taken' [ "$(stat -c %a out/tree/two/program)" == 755 ]
  sends 0 -a --numeric-ids --json tree
  check 'or all by their numbers' \
    [ "$(stat -c %U:%G out/tree/two/marked)" == "$(stat -c %U:%G tree/two/marked)" ]
  figures_are bytes=0
  stop_recv
  ADOC_RECV=$HERE
  rm -r out

  # Who is not root gives files to groups that he is in, and nothing else.
  mkdir out
  chown 3000:3000 out
  chmod 755 "$T"
  chown 12345:3001 tree/one/file
  chown 3000:3002 tree/two/marked
  cat >as-user <<END
#!/bin/sh
exec setpriv --reuid 3000 --regid 3000 --groups 3000,3001 "$ADOC_BIN_DIR/adoc-recv" "\$@"
END
  chmod +x as-user
  ADOC_RECV=$T/as-user
  start_recv --insecure
  sends 0 -a --insecure tree
  check 'a group is given to files by its members' [ "$(stat -c %u:%g out/tree/one/file)" == 3000:3001 ]
  check 'not by others' [ "$(stat -c %u:%g out/tree/two/marked)" == 3000:3000 ]
  sends 0 -a --insecure --json tree
  figures_are committed=0
  stop_recv
fi
ADOC_RECV=$ADOC_BIN_DIR/adoc-recv
rm -rf out

# Over connections that are lost: the first names are of one, the others of the next.
mkdir -p links/a links/z
for i in $(seq 600); do
  head -c 20000 /dev/urandom >"links/a/$i"
  ln "links/a/$i" "links/z/$i"
done
start_recv
mkfifo proxy.in
python3 "$SUPPORT/cutting_proxy.py" "$PORT" 3 3500000 <proxy.in >proxy.out 2>proxy.err &
exec 8>proxy.in
eventually test -s proxy.out
PORT=$(cat proxy.out)
sends 0 -H --json links
figures_are retries=3 committed=1203 files=1200
check 'names are names of one file over lost connections, too' \
  [ "$(find out/links -type f -links 2 -printf '%i\n' | sort -u | wc -l)" == 600 ]
check 'and all arrives' diff -r links out/links
exec 8>&-
stop_recv
rm -r out

# The same by adoc-cp: here, to another machine, and from there.
RSYNC='-aHAX'
setfattr -n user.note -v x tree/one tree/two/marked
setfacl -m u:77:r tree/one/file
mkdir out back
expect_exit 0 "$ADOC_CP" -aH --xattrs --acls tree out/
as_by_rsync tree
echo 'ok: adoc-cp -aH here is as by rsync'
start_sshd
rm -r out/tree
expect_exit 0 "$ADOC_CP" -F "$SSH_CONFIG" -aH --xattrs --acls tree "far:$T/out/"
as_by_rsync tree
echo 'ok: and to another machine'
rm -r out/tree
expect_exit 0 "$ADOC_CP" -F "$SSH_CONFIG" -aH --xattrs --acls "far:$T/tree" out/
as_by_rsync tree
echo 'ok: and from there'
rm -r out/tree
expect_exit 0 "$ADOC_CP" -F "$SSH_CONFIG" -rp "far:$T/tree" out/
check 'what is not asked for is not taken' [ -z "$(find out ! -user "$(id -u)")" ]
stop_sshd
