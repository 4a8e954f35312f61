#!/usr/bin/env bash
# Goal: whoever has only scp and rsync in their fingers is told in one line what is the case here;
# what cannot be right is found before anything is done; whoever stops a transfer is told what is
# there.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
# tells CODE FRAGMENT PROGRAM ARGUMENT...: it ends with the code, and one line with FRAGMENT.
tells() {
  local code=$1 fragment=$2 program=$3
  shift 3
  expect_exit "$code" "$ADOC_BIN_DIR/adoc-$program" "$@" >stdout 2>stderr
  [[ ! -s stdout && $(wc -l <stderr) == 1 ]] || fail "adoc-$program $*: $(cat stdout stderr)"
  grep -qF -e "$fragment" stderr || fail "adoc-$program $*: '$fragment' is not in: $(cat stderr)"
  echo "ok: adoc-$program: $fragment"
}

echo data >file
echo data >-Z.txt
echo data >-n.txt
mkdir dir

"$ADOC_RECV" -q --new-key
key=$(<"$KEY_FILE")

tells 2 'there are no users here' send file me@localhost
tells 2 'no path follows the host' send file localhost:dir
tells 2 'as in: adoc-send report.tar host' send
tells 2 'HOST is missing' send file
tells 2 'PATH is missing' send localhost
tells 2 'is not a host' send file dir/
tells 2 'HOST comes last' send localhost:4400 file
tells 2 'only the last word is a HOST' send file first:1 second:1
tells 2 'from 0 to 65535' send file localhost:99999
tells 2 'HOST is empty' send file ''
tells 2 'a PATH is empty' send '' localhost
tells 2 'directories are sent whole without it' send -r dir localhost
tells 2 '(-r: directories' send -rvz dir localhost
tells 2 'HOST:PORT' send -P 5000 file localhost
tells 2 'did you mean --checksum?' send --cheksum file localhost
tells 2 './-Z.txt' send -Z.txt localhost
tells 2 './-n.txt' send -n.txt localhost
tells 2 '--bwlimit: its value is empty' send --bwlimit '' file localhost
tells 2 '--threads: its value is empty' send --threads= file localhost
tells 2 '--json takes no value' send --json=yes file localhost
# The word that is wrong is blamed, and not an option before it that ends with its letter.
tells 2 'unknown option -e: nothing goes over ssh' send --exclude x -e ssh file localhost
tells 2 'unknown option -n' recv --listen 127.0.0.1:0 -n
tells 2 'unknown option -vZ' send --exclude x -vZ file localhost
tells 2 'ADOC_KEY' send "--key=adoc1x" file localhost
tells 2 'adoc-recv --out dir' recv dir
tells 2 'As in: adoc-recv --out inbox' recv
tells 2 'one word too many' recv --out dir dir
tells 2 'it is an option of adoc-send' recv --level 3 --out dir
tells 2 'it is an option of adoc-recv' send --max-bytes 1 file localhost
tells 2 'it is called --listen here' recv -p 5000 --out dir
tells 2 'from 0 to 65535' recv --out dir --listen 99999
tells 2 'its value is empty' recv --out ''
tells 6 'not a directory' recv -q --out file --listen 127.0.0.1:0
tells 2 'where to? As in: adoc-cp report.tar host:' cp
tells 2 'As in: adoc-cp file host:' cp file
tells 2 'As in: adoc-cp host:file .' cp host:file
tells 2 '(-z: how hard' cp -rpz dir host:
tells 2 'nothing is removed' cp -r --delete dir host:
tells 2 'ssh connects' cp -e ssh file host:
tells 2 'it is called -P here' cp --port 22 file host:
tells 2 'file is no port' cp -P file host:dir
tells 2 '--xattrs keeps' cp -aHXA dir host:
tells 2 'there is no user' cp file @host:
tells 2 'each copy has a key of its own' cp --key-file key file host:
tells 2 'it is an option of adoc-recv' cp --out dir host:
tells 1 'dir was not sent: it is a directory (-r is not given)' cp dir copy
# The second one has lost a letter on the way.
for given in "$key" "${key%?}"; do
  tells 2 'a key is not given as an argument' send --key-file "$given" file localhost
  check 'the key is not shown' eval "! grep -qF '${given:20}' stderr"
  tells 2 'a key is not given as an argument' recv --key-file "$given" --out dir
  tells 2 'a key is not given as an argument' send "ADOC_KEY=$given" file localhost
  check 'the key is not shown' eval "! grep -qF '${given:20}' stderr"
done

XDG_CACHE_HOME=$T/cache tells 4 'the last word is HOST' send --retry 0 file dir
XDG_CACHE_HOME=$T/cache tells 3 'the last word is HOST' send --insecure --retry 0 file dir

# A bare number is a port: whoever gets it listens there.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$ADOC_RECV" --out out --insecure --listen "$port" >recv.out 2>recv.err &
RECV_PID=$!
eventually grep -q "^listening on 127.0.0.1:$port\$" recv.out
stop_recv

# What is there when a transfer is stopped, at either end.
mkfifo pace
for stopped in sender receiver; do
  rm -rf out
  start_recv
  "$ADOC_SEND" --retry 0 file --name stream - "127.0.0.1:$PORT" <pace >send.out 2>send.err &
  SENDER=$!
  exec 7>pace
  head -c 300000 /dev/zero >&7
  eventually eval '[[ -n $(find out -name ".adoc-*" -print -quit 2>/dev/null) ]]'
  if [[ $stopped == sender ]]; then kill -INT "$SENDER"; else kill -INT "$RECV_PID"; fi
  ends_within 10 "$SENDER" || fail 'the sender does not end'
  exec 7>&-
  [[ $stopped == receiver ]] || stop_recv
  wait "$SENDER" 2>/dev/null || true
  check "the sender says what is there when the $stopped is stopped" \
    says send.err 'interrupted' 'complete there' 'standard input has to be sent again'
done
recv_ends 130
check 'the receiver says that a stream has to be sent again' \
  says recv.err 'failed: interrupted' 'standard input, has to be sent again'
check 'and not that it goes on' eval "! grep -q 'the same adoc-send goes on' recv.err"

# A file of its own is gone on with.
rm -rf out
head -c 20000000 /dev/urandom >large
start_recv
"$ADOC_SEND" --retry 0 --bwlimit 2M large "127.0.0.1:$PORT" >send.out 2>send.err &
SENDER=$!
eventually has_journal
kill -INT "$RECV_PID"
recv_ends 130
wait "$SENDER" 2>/dev/null || true
check 'the receiver says how it goes on' says recv.err 'failed: interrupted' 'the same adoc-send goes on'
