#!/usr/bin/env bash
# Goal: the two bare commands work on one machine, the printed line works on another, and each way
# in which key and encryption do not fit has its own message, exit code 4 within a second, and
# leaves the receiver serving.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
seq 1 10000 >file

# bare COMMAND...: without a key and a home of one's own, as on another machine.
bare() { env -u ADOC_KEY -u XDG_CONFIG_HOME HOME="$T/elsewhere" "$@"; }

# Who cannot receive makes no key.
expect_exit 6 "$ADOC_RECV" --out file 2>recv.err
check 'a destination that is a file is said' says recv.err 'write below file' 'not a directory'
expect_exit 2 "$ADOC_RECV" --out out --memory 1M 2>recv.err
check 'no key is made by who cannot receive' [ ! -e "$KEY_FILE" ]

# One machine.
start_recv
check 'the first use makes a key' test -f "$KEY_FILE"
check 'and tells where it is' says recv.err 'a new key is in' "$KEY_FILE"
check 'in a file for this user alone' [ "$(stat -c %a "$KEY_FILE")" == 600 ]
check 'in a directory for this user alone' [ "$(stat -c %a "${KEY_FILE%/*}")" == 700 ]
check 'standard output has its one line alone' [ "$(wc -l <recv.out)" == 1 ]
sends 0 file
check 'the two bare commands work on one machine' cmp file out/file
key=$(cat "$KEY_FILE")
check 'a log does not have the key' bash -c '! grep -qFf "$1" recv.out recv.err send.err' _ "$KEY_FILE"
((EUID != 0)) || check 'nor do command line and environment of the receiver' \
  bash -c '! grep -qFf "$1" "/proc/$2/cmdline" "/proc/$2/environ"' _ "$KEY_FILE" "$RECV_PID"

# Another one.
empty_out
bare env ADOC_KEY="$key" "$ADOC_SEND" -q file "127.0.0.1:$PORT"
check 'ADOC_KEY is enough on another machine' cmp file out/file
install -m 600 "$KEY_FILE" elsewhere-key
empty_out
bare "$ADOC_SEND" -q --key-file elsewhere-key file "127.0.0.1:$PORT"
check 'and so is --key-file' cmp file out/file

# not_let_in FRAGMENT COMMAND...: exit 4 within a second, and a line on standard error with
# FRAGMENT.
not_let_in() {
  local fragment=$1 began=${EPOCHREALTIME/./} took
  shift
  expect_exit 4 "$@" "127.0.0.1:$PORT" >not.out 2>not.err
  took=$(((${EPOCHREALTIME/./} - began) / 1000))
  says not.err "$fragment"
  [[ $(wc -l <not.err) == 1 ]] || fail "more than one line: $(cat not.err)"
  sanitized || ((took < 1000)) || fail "it took $took ms: $*"
}
serves_on() {
  empty_out
  sends 0 file
  cmp file out/file
}
check 'no key' not_let_in 'there is no key: neither in ADOC_KEY nor in' bare "$ADOC_SEND" file
check 'another key' not_let_in 'it has another key than this side' \
  bare env ADOC_KEY=adoc1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaj3slr "$ADOC_SEND" file
check 'the receiver serves on' serves_on
check 'the receiver tells of it' eventually grep -q 'was not let in: it does not have the key' recv.err
check 'plain text to a receiver that encrypts' not_let_in 'takes only encrypted transfers' \
  "$ADOC_SEND" --insecure file
check 'the receiver serves on' serves_on
check 'the receiver tells of it' eventually grep -q 'was not let in: it does not encrypt' recv.err
stop_recv
start_recv --insecure
check 'encrypted to a receiver that does not encrypt' \
  not_let_in 'does not encrypt: start adoc-recv there without --insecure' "$ADOC_SEND" file
check 'the receiver tells of it' eventually grep -q 'the peer encrypts' recv.err
empty_out
sends 0 --insecure file
check 'plain text on both sides' cmp file out/file
stop_recv

# Without a key nothing is asked of the network.
strace -f -qq -e trace=connect,socket -o calls env -u ADOC_KEY -u XDG_CONFIG_HOME HOME="$T/elsewhere" \
  "$ADOC_SEND" file 127.0.0.1:9 2>/dev/null || true
check 'a sender without a key does not connect' empty calls

# What is printed for another machine: to a person the key, to a log the way to it.
script -qfec "'$ADOC_RECV' --out out --listen '*:0' --progress never" terminal >/dev/null 2>&1 </dev/null &
typed=$!
eventually grep -q 'on this machine' terminal
check 'on a terminal the line has the key' says terminal "on the other machine, once: adoc-send --save-key " "paste $key"
kill "$typed" 2>/dev/null || true
pkill -TERM -P "$typed" 2>/dev/null || true
start_recv --listen '*:0'
check 'in a log it has the way there' says recv.err 'on the other machine, once: ssh ' " cat $KEY_FILE | adoc-send --save-key "
check 'all addresses, of both families where there are two' \
  bash -c 'grep -qxE "listening on (\[::\]|0\.0\.0\.0):[0-9]+" recv.out'
empty_out
"$ADOC_SEND" -q file "localhost:$PORT"
check 'this machine by its name' cmp file out/file
stop_recv

# The key is replaced.
"$ADOC_RECV" --new-key 2>new.err
check '--new-key makes another key' bash -c '[[ $(cat "$1") != "$2" ]]' _ "$KEY_FILE" "$key"
check 'and tells what that means' says new.err 'the old key lets nobody in'
start_recv
check 'the old key lets nobody in' not_let_in 'another key' bare env ADOC_KEY="$key" "$ADOC_SEND" file
check 'the new one does' serves_on
stop_recv
expect_exit 0 "$ADOC_RECV" --new-key --key-file mine -q
start_recv --key-file mine
check 'the default key is not that of another file' not_let_in 'another key' "$ADOC_SEND" file
empty_out
sends 0 --key-file mine file
check '--key-file on both sides' cmp file out/file
stop_recv

# --once: who is not let in is no transfer.
start_recv --once
not_let_in 'another key' "$ADOC_SEND" --key-file mine file
not_let_in 'only encrypted' "$ADOC_SEND" --insecure file
check 'a receiver with --once still waits' kill -0 "$RECV_PID"
sends 0 file
recv_ends 0

# Key files that cannot be trusted, or are none.
refuses_key() {
  local fragment=$1
  shift
  expect_exit 6 "$@" >not.out 2>not.err
  says not.err "$fragment"
}
for mode in 640 604 666; do
  chmod "$mode" "$KEY_FILE"
  check "mode $mode is refused by adoc-send" refuses_key "chmod 600 $KEY_FILE" "$ADOC_SEND" file 127.0.0.1:9
  check "mode $mode is refused by adoc-recv" refuses_key "chmod 600 $KEY_FILE" "$ADOC_RECV" --out out --listen 127.0.0.1:0
done
eval "$(grep -oE 'chmod 600 [^,]*' not.err)"
check 'the command of the message mends it' [ "$(stat -c %a "$KEY_FILE")" == 600 ]
if ((EUID == 0)); then
  chown 1234 "$KEY_FILE"
  check "another user's file is refused" refuses_key 'belongs to another user' "$ADOC_RECV" --out out --listen 127.0.0.1:0
  chown 0 "$KEY_FILE"
fi
check 'a key file that is not there' refuses_key 'there is no key file nowhere' \
  "$ADOC_SEND" --key-file nowhere file 127.0.0.1:9
echo hello >none
chmod 600 none
check 'a key file that holds none' refuses_key 'the key file none cannot be used' \
  "$ADOC_SEND" --key-file none file 127.0.0.1:9
cat "$KEY_FILE" | tr 'a-y' 'b-z' >none
check 'a key with a slip of the hand' refuses_key 'cannot be used' "$ADOC_SEND" --key-file none file 127.0.0.1:9

# Two at once on their first use.
for round in 1 2 3 4 5; do
  # With what the round before has said: they make their files anew, but not before they start.
  rm -rf "$KEY_FILE" "${KEY_FILE%/*}" recv?.out
  pids=()
  for i in 1 2 3; do
    "$ADOC_RECV" --out "out$i" --listen 127.0.0.1:0 >"recv$i.out" 2>"recv$i.err" &
    pids+=($!)
  done
  for i in 1 2 3; do
    eventually grep -qs '^listening' "recv$i.out"
    port=$(sed 's/.*://' "recv$i.out")
    "$ADOC_SEND" -q file "127.0.0.1:$port" || fail "receiver $i of round $round has another key"
  done
  [[ $(cat recv?.err | grep -c 'a new key is in') == 1 ]] || fail "not one new key: $(cat recv?.err)"
  kill "${pids[@]}"
  wait "${pids[@]}" || true
done
echo 'ok: receivers that are started at once end with one key'
