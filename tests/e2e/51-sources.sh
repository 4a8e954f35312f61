#!/usr/bin/env bash
# Goal: sources that have names in common, that hold what a receiver keeps, that the system makes
# up, that vanish, or in which another file system is mounted: what arrives is what users of rsync
# expect.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

start_recv -q
cd "$T"

# Names in common: the first wins, each time.
mkdir -p a/sub b/sub x y
echo first | tee a/README >a/sub/file
echo second | tee b/README b/sub/file >b/sub/other
touch -d '2020-01-01 UTC' a/README a/sub/file a/sub
cp -rp a x/foo
cp -rp b y/foo
for _ in 1 2 3; do
  sends 0 a/ b/
  check 'of two files of one name the first is sent' [ "$(<out/README) $(<out/sub/file)" == 'first first' ]
  says send.err b/README 'left out' a/README
  says send.err b/sub/file 'left out' a/sub/file
  check 'directories become one' [ "$(<out/sub/other)" == second ]
  check 'with the time of the first' [ "$(stat -c %Y out/sub)" == "$(stat -c %Y a/sub)" ]
  empty_out
done
sends 0 x/foo y/foo
check 'so do directories that are named' [ "$(<out/foo/README) $(<out/foo/sub/other)" == 'first second' ]
says send.err y/foo/README 'left out'
if command -v rsync >/dev/null; then
  rsync -a x/foo y/foo rsynced
  check 'as with rsync' diff -r rsynced out
fi
empty_out
sends 0 a/README b/README
check 'so do files that are named' [ "$(<out/README)" == first ]
says send.err b/README 'left out'
empty_out

# What a receiver that was killed keeps.
head -c 8M /dev/urandom >large
mkdir inbox
: >inbox/whole
"$ADOC_RECV" --out inbox --listen 127.0.0.1:0 >inner.out 2>inner.err &
inner=$!
eventually grep -q '^listening on ' inner.out
"$ADOC_SEND" -q --bwlimit 1M large "127.0.0.1:$(sed -n 's/^listening on .*://p' inner.out)" 2>inner.err &
inner_sender=$!
keeps_something() { compgen -G 'inbox/.adoc/.adoc-*' >/dev/null; }
eventually keeps_something
kill -KILL $inner $inner_sender
wait $inner $inner_sender 2>/dev/null || true
check 'a killed receiver leaves what had arrived' keeps_something
sends 0 inbox
says send.err inbox/.adoc 'left out'
check "a receiver's own directory is left out" [ "$(find out/inbox -mindepth 1 -printf '%P')" == whole ]
empty_out
sends 0 inbox/
says send.err inbox/.adoc 'left out'
check 'also at the top' [ "$(find out -mindepth 1 -printf '%P')" == whole ]
empty_out

# What the system makes up as it is read.
for options in -q --checksum; do
  sends 0 $options /proc/version /proc/sys/fs/inotify /proc/filesystems
  for file in version filesystems; do check "/proc/$file" cmp "/proc/$file" "out/$file"; done
  check 'a tree of such files' diff -r /proc/sys/fs/inotify out/inotify
  empty_out
done
setting=/sys/kernel/mm/transparent_hugepage/enabled
if [[ -r $setting ]]; then
  sends 0 $setting
  check 'a file of /sys' cmp $setting out/enabled
fi
empty_out

# What vanishes between listing and reading, which standard input holds up (as in
# 13-failed-entries).
mkdir hold
for i in {1..12}; do truncate -s 64M "hold/$i"; done
mkfifo pace
stop_recv
# vanishing CODE FILE...: the files go before they are read.
vanishing() {
  local wanted=$1 code=0
  shift
  start_recv --once
  "$ADOC_SEND" --name paced - "$@" hold "127.0.0.1:$PORT" <pace >send.out 2>send.err &
  local sender=$!
  exec 7>pace
  eventually has_open "$sender" "$T/hold"
  rm gone
  echo end >&7
  exec 7>&-
  wait "$sender" || code=$?
  [[ $code == "$wanted" ]] || fail "exit code $code instead of $wanted: $(cat send.err)"
  says send.err gone vanished
  says recv.err gone vanished
  recv_ends "$wanted"
  check 'what comes later arrives' [ "$(stat -c %s out/hold/12)" == 67108864 ]
}
echo x >gone
vanishing 24 gone
echo x >gone
vanishing 1 gone missing

# Another file system in the source; only root can mount one.
start_recv -q
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
  mkdir -p outer/mounted outer/plain
  echo x >outer/plain/file
  with_mount() {
    # shellcheck disable=SC2016 # that shell expands it
    unshare -m bash -c 'mount -t tmpfs -o mode=0750 none outer/mounted && echo y >outer/mounted/file &&
      exec "$@"' _ "$ADOC_SEND" -q "$@" "127.0.0.1:$PORT"
  }
  with_mount outer
  check 'what is mounted in a source is sent' [ "$(<out/outer/mounted/file)" == y ]
  for option in -x --one-file-system; do
    empty_out
    with_mount $option outer
    check "with $option the directory arrives empty" [ "$(ls -A out/outer)" == $'mounted\nplain' ]
    check 'and nothing else is missing' [ "$(find out -type f)" == out/outer/plain/file ]
  done
else
  echo 'not tried: mounting a file system'
fi
stop_recv
