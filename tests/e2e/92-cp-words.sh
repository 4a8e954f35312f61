#!/usr/bin/env bash
# Goal: whatever a user has configured for ssh at a terminal, adoc-cp says nothing on success; what
# is wrong on its command line is said before ssh starts; copies on this machine take the same
# options and use the same words; -n lists in both directions; -v tells the way of the data; --help
# fits a page.
set -euo pipefail
source "$(dirname "$0")/../support/cp.sh"

cd "$T"
mkdir -p far here tree/sub
echo one >one
echo two >tree/two
echo three >tree/sub/three.o
start_sshd
at_end 'stop_sshd'
# As of somebody who wants a terminal, forwards ports and has a command of their own for each host.
echo 'two' | ssh -F "$SSH_CONFIG" far true
{
  printf 'Host far\n  RequestTTY force\n  RemoteCommand echo no; cat\n  LocalForward 1 localhost:1\n'
  sed '/LogLevel/d' "$SSH_CONFIG"
} >chatty

for force in force yes; do
  sed -i "s/RequestTTY .*/RequestTTY $force/" chatty
  SSH_CONFIG=chatty cp_ends 0 one "far:$T/far/$force"
  check "with RequestTTY $force it arrives" cmp one "far/$force"
  check "with RequestTTY $force nothing is said" empty cp.err
done

# Each of these is refused, and ssh never runs.
printf '#!/bin/sh\ntouch "%s/ssh-ran"\nexit 255\n' "$T" >no-ssh
chmod +x no-ssh
while read -r -a words; do
  cp_ends 2 -S "$T/no-ssh" "${words[@]}" one far:
  cp_ends 2 -S "$T/no-ssh" "${words[@]}" far:one .
done <<'END'
--level 99
--level 3 --policy auto
--min-level 5 --max-level 2
--ladder none
--block-size 1
--packet-size 1G
--threads 1000
--memory 1
--timeout 1ms
--bwlimit 1
-l 0
-l -5
--via pigeon
--policy best
END
cp_ends 6 -S "$T/no-ssh" missing far:
says cp.err 'cannot read missing: no such file'
check 'what is wrong is said before ssh starts' [ ! -e ssh-ran ]

# On this machine.
cp_ends 0 -v -r --exclude '*.o' tree here
says cp.err 'adoc-cp: copied 1 file, 2 directories'
check 'options count on this machine, too' [ "$(cd here/tree && find . | sort | xargs)" = '. ./sub ./two' ]
cp_ends 6 missing here
says cp.err 'adoc-cp: cannot read missing: no such file'
mkdir removed
(cd removed && rmdir ../removed && cp_ends 7 ../one .)
says cp.err "the directory . in which the receiving side writes is gone; that side"

# -q is for no bar, -v for what is copied: scp takes both.
rm -rf here/tree
cp_ends 0 -q -v -r tree here
says cp.err 'tree/two'

# Names that a backslash and an escape could make alike are told apart, in both directions.
mkdir alike
touch alike/$'a\nb' alike/'a\nb' alike/'c\d'
for words in "alike far:$T/here" "far:$T/alike here" 'alike here'; do
  # shellcheck disable=SC2086 # two words
  cp_ends 0 -n -r $words
  check "names are told apart: $words" \
    diff <(printf '%s\n' 'alike' 'alike/a\\nb' 'alike/a\nb' 'alike/c\d') <(LC_ALL=C sort cp.out)
done
cp_ends 6 one here/no/where
says cp.err 'adoc-cp: cannot write here/no/where: no such file'
cp_ends 1 one missing here
says cp.err 'adoc-cp: missing was not sent'
check 'the others are copied' cmp one here/one
cp_ends 1 one one
says cp.err 'one cannot be copied to itself'
cp_ends 1 -r tree one tree/sub
says cp.err 'tree cannot be copied to itself or into itself'
check 'nor is anything lost by that' cmp one tree/sub/one
check 'and the tree does not grow' [ ! -e tree/sub/tree ]
rm tree/sub/one
echo dash >./-
cp_ends 0 ./- - "far:$T/here"
check 'a file may be called -' cmp ./- here/-

# What would be copied, and the way.
for words in "tree far:$T/new" "far:$T/tree new" 'tree new'; do
  # shellcheck disable=SC2086 # two words
  cp_ends 0 -n -r $words
  check "-n lists: $words" [ "$(sort cp.out | xargs)" = 'new new/sub new/sub/three.o new/two' ]
  check 'and changes nothing' [ ! -e new ]
done
head -c 2000000 /dev/urandom >much
cp_ends 0 -v much "far:$T/here/direct"
says cp.err 'the data goes over a connection of its own, 127.0.0.1:'
cp_ends 0 -v "far:$T/one" other:"$T/here/passed"
says cp.err 'the data of far went to other directly'
cp_ends 0 -v -3 "far:$T/one" other:"$T/here/relayed"
says cp.err 'the data of far went to other through this machine'

# What only the side that sends can know of its sources is said here, whoever sends.
mkdir kinds
echo data >kinds/a
ln kinds/a kinds/b
mkfifo kinds/fifo
for words in "kinds far:$T/here/k1" "far:$T/kinds here/k2" "far:$T/kinds other:$T/here/k3" \
  "-3 far:$T/kinds other:$T/here/k4" 'kinds here/k5'; do
  # shellcheck disable=SC2086 # words
  cp_ends 0 -v -r $words
  check "what is not sent is said once: $words" [ "$(grep -c 'not sent.*kinds/fifo' cp.err)" == 1 ]
  check 'and what is not kept' [ "$(grep -c 'not kept: hard links of 2' cp.err)" == 1 ]
  # shellcheck disable=SC2086
  cp_ends 0 -q -r $words
  check '-q says nothing of it' empty cp.err
done
cp_ends 1 "far:$T/missing" "far:$T/one" here
check 'a failure is said once' [ "$(grep -c missing cp.err)" == 1 ]
mkdir unnamed
(cd unnamed && cp_ends 1 . "far:$T/here")
says cp.err '. was not sent: it is a directory'
check 'a directory has its own name' [ "$(grep -c contents cp.err)" == 0 ]

# What is listed goes into a directory, which is made.
echo sub/three.o >list
for words in "tree far:$T/here/l1" "far:$T/tree here/l2" 'tree here/l3'; do
  # shellcheck disable=SC2086 # two words
  cp_ends 0 -r --files-from list $words
  check "a list makes its directory: $words" cmp tree/sub/three.o "here/${words##*/}/sub/three.o"
  check 'and brings nothing else' [ ! -e "here/${words##*/}/two" ]
done
cp_ends 2 -r -n --files-from list "far:$T/tree" here/l4
says cp.err 'here/l4 is not a directory'
cp_ends 2 -r --files-from list "far:$T/tree" "other:$T/here/l5"
says cp.err 'here/l5 is not a directory'

# On a terminal, and stopped.
script -qec "stty cols 100; '$ADOC_CP' -F '$SSH_CONFIG' --bwlimit 4M 'far:$T/much' here/drawn" \
  drawn </dev/null >/dev/null
check 'what a copy from there leaves on the terminal is how long it took' \
  grep -qE '100%.* in [0-9.]+ s' <(tr '\r' '\n' <drawn | grep '100%' | tail -n 1)
mkdir several
for part in 1 2 3; do head -c 500000 /dev/urandom >"several/part $part"; done
script -qec "stty cols 200; '$ADOC_CP' -r -F '$SSH_CONFIG' --bwlimit 1M 'far:$T/several' here" \
  drawn </dev/null >/dev/null
check 'it names the file that arrives' grep -q 'several/part 2' drawn
check 'and says how many are there of how many' grep -q '3 of 3 files' drawn
some_of_it() { [[ -n $(find here/.adoc -type f -size +100k 2>/dev/null) ]]; }
"$ADOC_CP" -F "$SSH_CONFIG" --bwlimit 400K "far:$T/much" here/stopped 2>cp.err </dev/null &
SENDER=$!
eventually some_of_it
kill -INT "$SENDER"
ends 130
says cp.err interrupted 'the same command goes on'

check 'the help fits a page' \
  awk 'length > 80 { print; bad = 1 } END { exit bad || NR > 42 }' <("$ADOC_CP" --help)
check 'it says how to get all' grep -q -- --help-all <("$ADOC_CP" --help)
check 'all is more' grep -q -- --fifo-packets <("$ADOC_CP" --help-all)
