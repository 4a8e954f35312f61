#!/usr/bin/env bash
# Goal: a key is one receiver's: it is saved once and then needs no word, and whoever is on the path
# can lead a sender neither to its own receiver nor to one with another key.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
support=$(cd "$(dirname "$0")/../support" && pwd)

cd "$T"
seq 1 10000 >file

# there COMMAND...: as on another machine, which has keys of its own.
there() { XDG_CONFIG_HOME=$T/there "$@"; }
PEERS=$XDG_CONFIG_HOME/adoc/peers

# The receiver there is "127.0.0.1:PORT" here, as at the end of a tunnel.
there "$ADOC_RECV" --show-key >their-key 2>show.err
check '--show-key prints the key that it makes' cmp their-key there/adoc/key
check 'and shows it nowhere else' bash -c '! grep -qFf their-key show.err'
there "$ADOC_RECV" --show-key | cmp - their-key || fail 'it prints another one the second time'
printf -v all '%s' "$(there "$ADOC_RECV" --out "$T/out" --show-key 2>&1 || true)"
[[ $all != *"$(cat their-key)"* ]] || fail 'a usage error shows the key'
printf '#!/bin/sh\nXDG_CONFIG_HOME=%s exec "%s" "$@"\n' "$T/there" "$ADOC_RECV" >recv-there
chmod +x recv-there
ADOC_RECV=$T/recv-there start_recv
their_port=$PORT their_pid=$RECV_PID
expect_exit 4 "$ADOC_SEND" file "127.0.0.1:$their_port" 2>not.err
check 'without the key there is no way in' says not.err 'there is no key'
"$ADOC_RECV" --show-key >own-key 2>/dev/null
expect_exit 4 "$ADOC_SEND" file "127.0.0.1:$their_port" 2>not.err
check 'the own key is another one' says not.err 'has another key than this side' "--save-key 127.0.0.1:$their_port"
"$ADOC_SEND" --save-key "127.0.0.1:$their_port" <their-key 2>save.err
check '--save-key tells where the key is' says save.err "is in $PEERS/127.0.0.1:$their_port"
check 'and not the key' bash -c '! grep -qFf their-key save.err'
check 'the file is for this user alone' [ "$(stat -c %a "$PEERS/127.0.0.1:$their_port")" == 600 ]
check 'and its directory' [ "$(stat -c %a "$PEERS")" == 700 ]
check 'nothing else is in it' [ "$(ls -A "$PEERS")" == "127.0.0.1:$their_port" ]
for spelling in 127.0.0.1 127.1 ::ffff:127.0.0.1; do
  [[ $spelling != *:* ]] || spelling="[$spelling]"
  empty_out
  touch file
  "$ADOC_SEND" -q file "$spelling:$their_port"
  check "a transfer to $spelling needs nothing" cmp file out/file
done

# Somebody on the path leads the connection to the sender's own receiver, which has the own key.
mkdir own
"$ADOC_RECV" --out own --listen 127.0.0.1:0 >own.out 2>own.err &
own_pid=$!
eventually grep -q '^listening' own.out
own_port=$(sed 's/.*://' own.out)
python3 "$support/reflector.py" "$own_port" >reflector.out &
reflector=$!
eventually grep -q . reflector.out
port=$(cat reflector.out)
"$ADOC_SEND" -q --save-key "127.0.0.1:$port" <their-key
expect_exit 4 "$ADOC_SEND" file "127.0.0.1:$port" 2>not.err
check 'the own receiver is not taken for another' says not.err 'has another key than this side'
check 'and gets nothing' [ -z "$(ls -A own)" ]
"$ADOC_SEND" -q --save-key "127.0.0.1:$port" <own-key
"$ADOC_SEND" -q file "127.0.0.1:$port"
check 'with its key the path is open' cmp file own/file
kill "$reflector"

# What a name of another machine needs; nothing is asked of the network before.
no_way() {
  local wanted=$1
  shift
  strace -f -qq -e trace=connect -o calls "$ADOC_SEND" file "$@" 2>not.err && fail 'it was sent'
  says not.err "$wanted"
  ! grep -q AF_INET calls || fail "the network was asked: $(cat calls)"
}
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
no_way 'adoc-recv --show-key prints it there, and adoc-send --save-key 192.0.2.7 takes it here' 192.0.2.7
move=$(grep -oF "adoc-send --save-key 192.0.2.7 <$KEY_FILE" not.err)
check 'who has a key of before gets the line that moves it' [ -n "$move" ]
(PATH=$ADOC_BIN_DIR:$PATH && eval "$move") 2>save.err
check 'the line moves it' cmp "$KEY_FILE" "$PEERS/192.0.2.7"
check 'and tells what is left to do' says save.err 'adoc-recv --new-key'
no_way 'adoc-recv --new-key here makes it another one' 192.0.2.7
check 'a key that this machine has as well is for no other' [ -s not.err ]

# What is no key is not saved, from a pipe or a terminal; a terminal shows nothing of it.
expect_exit 2 "$ADOC_SEND" --save-key host </dev/null 2>not.err
expect_exit 2 "$ADOC_SEND" --save-key host < <(tr 'b-y' 'c-z' <their-key) 2>not.err
check 'a slip of the hand is told' says not.err 'this is not a key'
check 'and nothing is saved' [ ! -e "$PEERS/host" ]
cat >type.py <<'END'
import os, pty, sys, termios, time
key = open("their-key").read()
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "--save-key", "Host"])
seen = b""
while b"nothing is shown here" not in seen or termios.tcgetattr(fd)[3] & termios.ECHO:
    if b"nothing is shown here" not in seen:
        seen += os.read(fd, 1000)
    time.sleep(0.01)
os.write(fd, {"key": key.encode(), "interrupt": b"adoc1\x03"}[sys.argv[2]])
try:
    while True:
        piece = os.read(fd, 1000)
        if not piece:
            break
        seen += piece
except OSError:
    pass
_, status = os.waitpid(pid, 0)
sys.stdout.write(seen.decode())
sys.exit(os.waitstatus_to_exitcode(status))
END
timeout 20 python3 type.py "$ADOC_SEND" key >typed
check 'a key that is typed is saved' cmp their-key "$PEERS/host"
check 'and not shown' bash -c '! grep -qFf their-key typed'
rm "$PEERS/host"
expect_exit 130 timeout 20 python3 type.py "$ADOC_SEND" interrupt >typed
check 'Ctrl-C saves nothing' [ ! -e "$PEERS/host" ]

kill "$own_pid" "$their_pid"
wait "$own_pid" "$their_pid" || true
