#!/usr/bin/env bash
# Goal: a receiver whose --out is gone, or whose path means another directory by now, says so and
# what to do, once for the transfer; one whose --out comes back goes on. One that is not root
# updates directories and files of its own whose modes keep it out, as rsync does, and they have
# their modes afterwards.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
mkdir tree
for i in {1..50}; do echo "$i" >"tree/$i"; done
gone() {
  says send.err 'the directory' out 'is gone' 'started again'
  check "$1: said once" [ "$(grep -c 'is gone' send.err)" == 1 ]
  eventually grep -q 'is gone' recv.err
}

start_recv
sends 0 tree
rm -rf out
sends 7 tree
gone 'removed'
mkdir out
sends 7 tree
gone 'removed and made again'
says send.err 'another one has its name'
check 'nothing is written there' [ -z "$(ls -A out)" ]
stop_recv

rm -rf out
start_recv
mv out elsewhere
sends 7 tree
gone 'moved'
check 'nothing is written where nobody looks' [ ! -e elsewhere/tree ]
mv elsewhere out
sends 0 tree
check 'it is back' same_trees tree out/tree

# In the middle of a transfer.
mkfifo pace
"$ADOC_SEND" --name late - "127.0.0.1:$PORT" <pace 2>send.err &
SENDER=$!
exec 7>pace
head -c 1000000 /dev/urandom >&7
arriving() { [[ -n $(find out/.adoc -name '*.part' 2>/dev/null) ]]; }
eventually arriving
rm -rf out
exec 7>&-
code=0
wait "$SENDER" || code=$?
check 'in the middle' [ "$code" == 7 ]
gone 'in the middle'
stop_recv

# A receiver that is not root, and directories and files of its own whose modes keep it out.
rm -rf out tree
mkdir -p tree/{closed,odd/deep,dark}
chmod 755 "$T"
for file in closed/a odd/deep/b dark/c; do echo "$file" >"tree/$file"; done
echo hidden >tree/hidden
mkdir out
if ((EUID == 0)); then
  chown nobody out
  cat >other-recv <<END
#!/bin/sh
exec setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups "$ADOC_RECV" "\$@"
END
  chmod +x other-recv
  ADOC_RECV=$T/other-recv
fi
close() {
  chmod 0000 tree/hidden
  chmod 0500 tree/odd/deep
  chmod 0600 tree/odd
  chmod 0333 tree/dark
  chmod 0555 tree/closed tree
}
close
modes() { (cd out/tree && stat -c '%a %n' . closed odd dark hidden && stat -c '%a %n' closed/* dark/*) | sort; }
start_recv --insecure
sends 0 --insecure tree
before=$(modes)
chmod u+w tree/closed tree/dark tree/odd/deep
for file in closed/a closed/new odd/deep/b dark/c; do echo "now $file" >"tree/$file"; done
mkdir tree/odd/deep/directory
close
sends 0 --insecure --json tree
figures_are committed=8 skipped=3
check 'directories of mode 0555, 0333 and 0600 are updated' [ "$(cat out/tree/*/a out/tree/*/new out/tree/dark/c out/tree/odd/deep/b | sort)" == "$(printf 'now %s\n' closed/a closed/new dark/c odd/deep/b | sort)" ]
check 'and have their modes afterwards' [ "$(modes | grep -v new)" == "$before" ]
sends 0 --insecure --json tree
figures_are committed=0
# A file that its owner may not read.
chmod 0200 tree/hidden
sends 0 --insecure --json tree/hidden
sends 0 --insecure --json tree
figures_are committed=1
check 'a mode alone' [ "$(stat -c %a out/tree/hidden)" == 200 ]
sends 0 --insecure --json --checksum tree
figures_are committed=0 bytes=0
check 'a hash alone' [ "$(stat -c %a out/tree/hidden)" == 200 ]
# The entries of the directories do not come: their modes come back all the same.
sends 0 --insecure --name tree/closed/other - <tree/closed/a
check 'without an entry of the directory' cmp tree/closed/a out/tree/closed/other
check 'it has its mode afterwards' [ "$(stat -c %a out/tree/closed)" == 555 ]
# Nor when the transfer is cut off.
"$ADOC_SEND" --insecure --retry 0 --name tree/closed/late - "127.0.0.1:$PORT" <pace 2>send.err &
SENDER=$!
exec 7>pace
head -c 1000000 /dev/urandom >&7
is_open() { [[ $(stat -c %a out/tree/closed) == 755 ]]; }
eventually is_open
kill -KILL "$SENDER"
exec 7>&-
wait "$SENDER" 2>/dev/null || true
is_closed() { [[ $(stat -c %a out/tree/closed) == 555 ]]; }
eventually is_closed
# Two transfers at work in it: it has its mode when the last one is over, whichever that is, and
# also if the entry of the directory comes meanwhile.
mkfifo pace2
arriving_files() { [[ $(find out/.adoc -name '.adoc-*.part*' 2>/dev/null | wc -l) == "$1" ]]; }
for order in '7 8' '8 7'; do
  "$ADOC_SEND" --insecure --name tree/closed/one - "127.0.0.1:$PORT" <pace 2>one.err &
  one=$!
  exec 7>pace
  head -c 1000000 /dev/urandom >&7
  eventually arriving_files 1
  "$ADOC_SEND" --insecure --name tree/closed/two - "127.0.0.1:$PORT" <pace2 2>two.err 7>&- &
  two=$!
  exec 8>pace2
  head -c 1000000 /dev/urandom >&8
  eventually arriving_files 2
  # shellcheck disable=SC2086 # two words
  set -- $order
  eval "exec $1>&-"
  if [[ $1 == 7 ]]; then
    wait "$one" || fail "one: $(cat one.err)"
  else
    wait "$two" || fail "two: $(cat two.err)"
  fi
  check "$order: it stays open for the other one" is_open
  chmod 0555 tree/closed
  sends 0 --insecure --json --no-overwrite tree
  check "$order: also when its own entry comes" is_open
  eval "exec $2>&-"
  wait "$one" || [[ $1 == 7 ]] || fail "one: $(cat one.err)"
  wait "$two" || [[ $1 == 8 ]] || fail "two: $(cat two.err)"
  sizes=$(stat -c %s out/tree/closed/one out/tree/closed/two)
  check "$order: both files are there" [ "$sizes" == $'1000000\n1000000' ]
  eventually is_closed
done
stop_recv
