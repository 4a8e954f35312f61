#!/usr/bin/env bash
# Goal: a transfer starts from what the last one over the same link learned, unless it is told not
# to; and whatever has become of what was kept, it costs nothing but that.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

LINKS=$XDG_CACHE_HOME/adoc/links
KEPT=$LINKS/127.0.0.1-127.0.0.1

# What the first block had: 32,768 bytes where nothing is known.
first_block() { awk -F, '$2 == 0 { print $3 }' "$T/trace"; }

start_recv -q
cd "$T"
head -c 16000000 /dev/urandom >data

# transfers ARGUMENT...: all of data, anew.
transfers() {
  empty_out
  sends 0 --trace trace "$@" data
  check 'what arrives is what was sent' cmp -s data out/data
}

transfers --no-remember
check '--no-remember keeps nothing' test ! -e "$XDG_CACHE_HOME"
transfers
check 'the first transfer knows nothing' [ "$(first_block)" == 32768 ]
check 'what it learned is kept' test -s "$KEPT"
check 'for this user alone' [ "$(stat -c %a "$KEPT" "$LINKS" | tr '\n' ' ')" == '600 700 ' ]
# These transfers last for some hundredths of a second; where others have the processors, what one
# of them measures may not be enough.
for _ in 1 2 3 4 5; do
  transfers
  (($(first_block) == 32768)) || break
done
check 'a later one knows it' [ "$(first_block)" -gt 32768 ]

before=$(md5sum <"$KEPT")
transfers --no-remember
check '--no-remember asks nothing' [ "$(first_block)" == 32768 ]
transfers --bwlimit 20M
check 'a limit is not the link' [ "$(md5sum <"$KEPT")" == "$before" ]
transfers --level 0
check 'one fixed level learns nothing' [ "$(md5sum <"$KEPT")" == "$before" ]

for garbage in '' 'adoc path-metrics 8 auto' 'adoc experience 4 auto
link 1000'; do
  printf '%s' "$garbage" >"$KEPT"
  transfers
  check 'garbage is not believed' [ "$(first_block)" == 32768 ]
  check 'and is replaced' grep -q '^link ' "$KEPT"
done
head -c 1000000 /dev/urandom >"$KEPT"
transfers

# A link of 8 KB/s, which is found out.
printf 'adoc path-metrics 8 auto\nlink 9 0.1 1000000\n' >"$KEPT"
is_fast() { awk '$1 == "link" { fast = $2 > 14 } END { exit !fast }' "$KEPT"; }
for _ in 1 2 3 4 5; do
  is_fast || transfers
done
check 'what is not true is unlearned' is_fast

rm -rf "$XDG_CACHE_HOME"
: >"$XDG_CACHE_HOME"
transfers
rm -f "$XDG_CACHE_HOME"
mkdir -p "$LINKS/127.0.0.1-127.0.0.1"
transfers
check 'a directory in its place stays' test -d "$KEPT"

mkdir home
env -u XDG_CACHE_HOME HOME="$T/home" "$ADOC_SEND" -q data "127.0.0.1:$PORT"
touch data
env -u XDG_CACHE_HOME HOME="$T/home" "$ADOC_SEND" -q data "127.0.0.1:$PORT"
check 'it is kept below the home directory' test -s home/.cache/adoc/links/127.0.0.1-127.0.0.1
touch data
env -u XDG_CACHE_HOME -u HOME "$ADOC_SEND" -q data "127.0.0.1:$PORT"
stop_recv

# Goal: it is kept as soon as everything has left. Who waits for the other side to commit, and who is
# stopped then, has learned as much.
# LeakSanitizer does not work below strace.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
printf '#!/bin/sh\nexec strace -D -f -qq -o /dev/null -e trace=renameat -e inject=renameat:delay_enter=4s "%s" "$@"\n' \
  "$ADOC_RECV" >slow-recv
chmod +x slow-recv
rm -rf out "$XDG_CACHE_HOME"
ADOC_RECV=$T/slow-recv start_recv --once -q
send data &
sender=$!
eventually test -s "$KEPT"
check 'it is kept before the other side has committed' test ! -e out/data
wait "$sender"
recv_ends 0
check 'what arrives is what was sent' cmp -s data out/data
