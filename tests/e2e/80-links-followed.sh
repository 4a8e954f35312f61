#!/usr/bin/env bash
# Goal: -L sends what links lead to, as rsync does, and --name gives the only source another name.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

start_recv -q
cd "$T"
mkdir -p away/deep tree
seq 20000 >away/deep/data
echo own >tree/own
ln -s ../away/deep/data tree/file
ln -s ../away tree/dir
ln -s tree named
touch -h -d '2020-01-01 UTC' tree/file
# rsync takes times within one second for the same.
touch -d '2021-01-01 UTC' away/deep/data away/deep away tree/own tree

sends 0 -L tree
check 'no link arrives' [ -z "$(find out -type l)" ]
check 'a file that is behind a link, with its own time' \
  [ "$(stat -c '%Y %F' out/tree/file)" == "$(stat -L -c '%Y %F' tree/file)" ]
check 'and its contents' cmp out/tree/file away/deep/data
check 'a directory that is behind a link' cmp out/tree/dir/deep/data away/deep/data
if command -v rsync >/dev/null; then
  rsync -rtpL tree rsynced/
  check 'as with rsync' same_trees rsynced out
fi
sends 0 -L -vv tree
says send.err unchanged
empty_out

ln -s no/where tree/dangling
ln -s .. tree/round
sends 1 --copy-links tree
says send.err tree/dangling 'not there'
says send.err tree/round/tree 'leads back'
check 'the rest arrives' cmp out/tree/dir/deep/data away/deep/data
rm tree/dangling tree/round
empty_out

sends 0 named
check 'a link by name is a link without -L' [ -L out/named ]
empty_out
sends 0 -L --name 'other name' named
check 'a tree under another name' cmp 'out/other name/dir/deep/data' away/deep/data
sends 0 --name 'contents/of' away/deep/
check 'contents lie below the name' cmp out/contents/of/data away/deep/data
sends 0 --name file away/deep/data
check 'a file under another name' cmp out/file away/deep/data
stop_recv
nothing_left_over
