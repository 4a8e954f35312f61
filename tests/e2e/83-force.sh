#!/usr/bin/env bash
# Goal: with --force a directory gives way to a file and the reverse, and nothing outside goes with
# it; with --allow-changed a file that grows or changes while it is read arrives.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

start_recv -q
cd "$T"
mkdir -p outside/kept tree/was_file/deep tree/was_link/deep
echo precious | tee outside/file outside/kept/file >/dev/null
echo new | tee tree/was_directory tree/was_file/deep/x tree/was_link/deep/x tree/other >/dev/null
ln -s other tree/link
mkdir tree/empty
find tree -exec touch -h -d '2020-01-01 UTC' {} +

# The other side has everything as the other kind, with links that lead out of it.
fill_out() {
  mkdir -p out/tree/{was_directory,link}/{a/b/c,d}
  echo old | tee out/tree/{was_directory,link}/{x,a/y,a/b/c/z} >out/tree/was_file
  ln -s "$T/outside" out/tree/was_directory/a/out
  ln -s ../../../../outside/file out/tree/link/d/out
  ln -s "$T/outside" out/tree/was_link
  ln -s nowhere out/tree/empty
}
outside_is_there() { [ "$(cat outside/file outside/kept/file)" == $'precious\nprecious' ]; }

fill_out
before=$(cd out && find . | sort)
sends 1 tree
says send.err tree/was_directory 'directory has its name'
says send.err tree/was_file 'not a directory'
sends 1 --force --no-overwrite tree
sends 0 --force --dry-run tree
grep -q tree/was_directory send.out || fail 'what would be sent is not listed'
check 'without it, and with --no-overwrite, what is there stays' [ "$(cd out && find . -not -name other | sort)" == "$before" ]

sends 0 --force tree
check 'with --force all of it is as it was sent' same_trees tree out/tree
check 'and nothing outside is gone' outside_is_there
sends 0 --force tree
check 'what is there already stays' same_trees tree out/tree
nothing_left_over
empty_out
if command -v rsync >/dev/null; then
  fill_out
  rsync -a --force tree out/ 2>/dev/null || true
  check 'as with rsync' same_trees tree out/tree
  empty_out
fi
if ((EUID == 0)) && mkdir mounted && mount -t tmpfs none mounted 2>/dev/null; then
  umount mounted
  mkdir -p out/tree/was_directory/mounted
  mount -t tmpfs none out/tree/was_directory/mounted
  echo kept >out/tree/was_directory/mounted/file
  sends 1 --force tree
  check 'another file system is not emptied' [ "$(<out/tree/was_directory/mounted/file)" == kept ]
  umount out/tree/was_directory/mounted
  empty_out
else
  echo 'not tried: mounting'
fi

# Files that change while they are read, a little ahead of a slow link.
seq 200000 >growing
size=$(stat -c %s growing)
seq 200000 >shrinking
# changes OPTION...: while the files are sent, one grows and the other becomes shorter.
changes() {
  "$ADOC_SEND" --level 0 --bwlimit 1M --threads 1 --fifo-packets 16 --packet-size 8192 "$@" growing shrinking "127.0.0.1:$PORT" >send.out 2>send.err &
  local sender=$! code=0
  has_begun() { compgen -G 'out/.adoc/.adoc-*' >/dev/null; }
  eventually has_begun
  echo more >>growing
  truncate -s 1000 shrinking
  wait $sender || code=$?
  [[ $code == 1 ]] || fail "exit code $code: $(cat send.err)"
  says send.err shrinking
}
changes
says send.err growing 'changed'
check 'a file that grows fails' [ ! -e out/growing ]
seq 200000 | tee growing >shrinking
changes --allow-changed
says send.err 'warning' growing 'taken as it is'
check 'or is taken as it is' cmp -n "$size" growing out/growing
check 'as much of it as was offered' [ "$(stat -c %s out/growing)" == "$size" ]
check 'one that becomes shorter fails all the same' [ ! -e out/shrinking ]
stop_recv
rm -rf out
start_recv -q --no-force
fill_out
sends 1 --force tree
says send.err tree/was_directory 'directory has its name'
check 'a receiver may refuse it' [ -e out/tree/was_directory/a/b/c/z ]
stop_recv
