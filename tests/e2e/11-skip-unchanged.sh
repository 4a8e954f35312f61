#!/usr/bin/env bash
# Goal: what the other side has is not sent again, what differs is, and a file that is replaced is
# at every moment either the old or the new one.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

start_recv -q
cd "$T"
mkdir -p tree/sub tree/empty
seq 1 50000 >tree/a
echo b >tree/sub/b
: >tree/nothing
ln -s a tree/link
sends 0 --json tree
figures_are files=3 directories=3 links=1 committed=7 skipped=0

sends 0 --json tree
figures_are files=3 directories=3 links=1 committed=0 skipped=7 bytes=0
check 'a second run sends nothing' same_trees tree out/tree

touch -d '2001-01-01 00:00:00.5 UTC' tree/sub/b
sends 0 --json tree
# Its directory changed by the renaming there, and gets its time again.
figures_are bytes=2 skipped=5 committed=2
check 'a touched file is sent' same_trees tree out/tree

chmod 0600 tree/a
sends 0 --json tree
figures_are bytes=0 skipped=6 committed=1
check 'a changed mode is set without sending contents' same_trees tree out/tree

touch -h -d '2001-01-01 00:00:00.5 UTC' tree/link
chmod 0700 tree/empty
touch -d '2002-01-01 UTC' tree/empty
sends 0 --json tree
figures_are bytes=0 skipped=4 committed=3
check 'the time of a link and the mode of a directory follow' same_trees tree out/tree

ln -sfn sub/b tree/link
touch -r out/tree tree
sends 0 --json tree
check 'a link that leads elsewhere is replaced' same_trees tree out/tree

# The same size and time, other contents: only --checksum can see it.
seq 1 50000 | tr 1 7 >other
touch -r tree/a other
chmod 0600 other
cp -p other tree/a
touch -r out/tree tree
sends 0 --json tree
figures_are bytes=0 committed=0
check 'equal size and time count as equal' cmp -s out/tree/a <(seq 1 50000)
sends 0 --json --checksum tree
figures_are committed=2 skipped=5 "bytes=$(stat -c %s tree/a)"
check '--checksum sends what differs' same_trees tree out/tree

# The same contents at another time: --checksum sets the time and sends nothing.
touch -d '2005-05-05 05:05:05.000000005 UTC' tree/a
sends 0 --json --checksum tree
figures_are bytes=0 committed=1 skipped=6
check '--checksum sends no equal contents again' same_trees tree out/tree

echo new >tree/a
echo new >tree/sub/new
rm -f tree/link
ln -s new tree/link
sends 0 --json --no-overwrite tree
check '--no-overwrite keeps a file' cmp -s out/tree/a other
check '--no-overwrite keeps a link' [ "$(readlink out/tree/link)" == sub/b ]
check '--no-overwrite sends what is not there' cmp tree/sub/new out/tree/sub/new

before=$(listing out | tr '\0' '\n')
mkdir tree/sub/fresh
echo fresh >tree/sub/fresh/file
touch tree/$'new\nline'
sends 0 --dry-run tree
check '--dry-run changes nothing' [ "$(listing out | tr '\0' '\n')" == "$before" ]
for name in tree/a tree/link tree/sub/fresh tree/sub/fresh/file 'tree/new\nline'; do
  check "--dry-run lists $name" grep -qxF -e "$name" send.out
done
check '--dry-run lists nothing that is there' [ "$(grep -cxF -e tree/nothing -e tree/sub/new send.out)" == 0 ]
sends 0 --json --dry-run tree
figures_are bytes=0
nothing_left_over

# Who reads the file while it is replaced sees the old or the new one.
empty_out
head -c 2000000 /dev/zero | tr '\0' o >old
head -c 2000000 /dev/zero | tr '\0' n >new
mkdir swap
cp old out/file
old_sum=$(md5sum <old)
new_sum=$(md5sum <new)
: >seen
(
  while [[ ! -e reader-stop ]]; do md5sum <out/file >>seen; done
) &
reader=$!
for round in 1 2 3 4 5 6; do
  if ((round % 2)); then cp new swap/file; else cp old swap/file; fi
  sends 0 swap/file
done
touch reader-stop
wait "$reader"
check 'the reader saw something' test -s seen
check 'old or new, never a part' [ "$(grep -cvxF -e "$old_sum" -e "$new_sum" seen)" == 0 ]
stop_recv
