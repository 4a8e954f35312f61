#!/usr/bin/env bash
# Goal: names and patterns that a file lists are taken as rsync takes them.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
without_waiting=$(cd "$(dirname "$0")/../support" && pwd)/without_waiting.py

start_recv -q
cd "$T"
mkdir -p tree/d/e/deep tree/f tree/.adoc 'tree/odd'
for name in a '#h' d/b d/e/c d/e/deep/x f/g $'odd/new\nline' 'odd/ space'; do
  echo "$name" >"tree/$name"
done
ln -s d tree/link
find tree -exec touch -h -d '2020-01-01 UTC' {} +
chmod 750 tree/d
chmod 700 tree/d/e

# as_rsync SENTENCE OPTION...: the same options with rsync, which does not go into directories.
as_rsync() {
  local sentence=$1
  shift
  sends 0 "$@" tree
  check "$sentence" [ -n "$(ls -A out)" ]
  if command -v rsync >/dev/null; then
    rsync -lptgoD "$@" tree rsynced
    check 'as with rsync' same_trees rsynced out
    rm -rf rsynced
  fi
  empty_out
}
printf '# comment\n;comment\n\na\n./f\n/d/e/c\nd/b\nlink\n\nd//b\n' >list
as_rsync 'names of a list, once each, with the directories on their way' --files-from list
printf 'd/\nd/b\nd/e/deep/x\n' >list
as_rsync 'a slash stands for what is right in a directory' --files-from list
printf './a\0odd/new\nline\0odd/ space\0./#h\0' >list
as_rsync 'names that end in NUL' -0 --files-from list
printf 'd/b\r\nf/g\r\n' >list
as_rsync 'lines of other systems' --files-from list
sends 0 --files-from - tree <list
check 'a list from standard input' cmp tree/d/b out/d/b
empty_out
mkfifo pipe
exec 8<>pipe
python3 "$without_waiting" 0 "$ADOC_SEND" --files-from - tree "127.0.0.1:$PORT" \
  <pipe 2>send.err 8>&- &
SENDER=$!
eventually sleeps_or_over "$SENDER" "$ADOC_SEND"
cat list >&8
exec 8>&-
ends 0
check 'a list from a pipe that does not wait by itself' cmp tree/d/b out/d/b
empty_out
(cd tree && find . -name '[bg]' -print0) | sends 0 --from0 --files-from - tree
check 'from find' [ "$(cd out && find . -type f | sort | tr '\n' ' ')" == './d/b ./f/g ' ]
empty_out

printf 'a\nno/where\nd/none\n../outside\nd/../../outside\nlink/b\n.adoc/x\nf/g/h\nd/b\n' >list
sends 1 --files-from list tree
says send.err tree/no/where 'o such file'
says send.err tree/d/none 'o such file'
says send.err tree/../outside 'leads out'
says send.err tree/d/../../outside 'leads out'
says send.err tree/link/b 'symbolic link'
says send.err tree/.adoc/x 'a receiver keeps'
says send.err tree/f/g/h 'ot a directory'
check 'names that fail fail alone' \
  [ "$(cd out && find . -type f | sort | tr '\n' ' ')" == './a ./d/b ' ]
empty_out
printf 'link/b\n' >list
sends 0 -L --files-from list tree
check 'with -L a link may be on the way' cmp tree/d/b out/link/b
empty_out
sends 0 --files-from /dev/null tree
check 'an empty list sends nothing' [ -z "$(ls -A out)" ]

printf '# comment\n*.o\n+ keep.c\n' >patterns
printf 'keep.*\n' >kept
mkdir code
touch code/{keep.o,x.o,keep.c,x.c}
sends 0 --include-from kept --exclude '*.c' --exclude-from patterns code/
check 'patterns of files count where their options stand' \
  [ "$(ls out | tr '\n' ' ')" == 'keep.c keep.o ' ]
empty_out
sends 0 --exclude-from - code/ <patterns
check 'patterns from standard input' [ "$(ls out | tr '\n' ' ')" == 'keep.c x.c ' ]
empty_out
sends 2 --exclude-from - --files-from - tree </dev/null
sends 2 --files-from list tree code
sends 6 --files-from none tree
says send.err --files-from none 'o such file'
stop_recv
