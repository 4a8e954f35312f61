#!/usr/bin/env bash
# Goal: adoc-recv serves on the socket that a service manager passes by LISTEN_FDS, refuses what is
# no such socket with a message, and takes no notice of one that is meant for another process.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

launcher=$(cd "$(dirname "$0")/../support" && pwd)/pass_socket.py
cd "$T"
seq 1 20000 >file
"$ADOC_RECV" --show-key >/dev/null

# passes WHAT FDS PID [OPTION...]: starts the receiver that way, in the background.
passes() {
  local what=$1 fds=$2 pid=$3
  shift 3
  : >recv.out
  rm -f port
  timeout 60 python3 "$launcher" "$what" "$fds" "$pid" port "$ADOC_RECV" --out out "$@" \
    >recv.out 2>recv.err &
  RECV_PID=$!
}

# is_wrong FRAGMENT WHAT FDS PID [OPTION...]: exit code 2 and a message.
is_wrong() {
  local fragment=$1
  shift
  passes "$@"
  recv_ends 2
  says recv.err 'adoc-recv: ' "$fragment"
  echo "ok: refused: $1, LISTEN_FDS '$2', LISTEN_PID '$3' ${*:4}"
}

for count in '' 0 -1 +1 1x ' 1' 99999999999999999999 1.0; do
  is_wrong 'LISTEN_FDS is' listens "$count" own
done
for pid in '' 0 -1 1x 99999999999999999999; do is_wrong 'LISTEN_PID is' listens 1 "$pid"; done
is_wrong 'only one socket' two 2 own
is_wrong 'only one socket' listens 2147483647 own
is_wrong 'no descriptor 3' nothing 1 own
is_wrong 'not a TCP socket' file 1 own
is_wrong 'not a TCP socket' udp 1 own
is_wrong 'not a TCP socket' unix 1 own
is_wrong 'Accept=no' idle 1 own
is_wrong 'Accept=no' connected 1 own
is_wrong '--listen has nothing to do' listens 1 own --listen 127.0.0.1:0

# For another process, or said by half: as if nothing were said.
for case in '1 1' '1 unset' 'unset own' 'unset unset'; do
  read -r fds pid <<<"$case"
  passes listens "$fds" "$pid" --listen 127.0.0.1:0 --once
  eventually grep -q '^listening on ' recv.out
  PORT=$(sed -n 's/.*://p;q' recv.out)
  check "LISTEN_FDS $fds, LISTEN_PID $pid: a socket of its own" [ "$PORT" != "$(cat port)" ]
  rm -f out/file
  sends 0 file
  recv_ends 0
  cmp file out/file
done

rm -rf out
passes listens 1 own --once
eventually grep -q '^listening on ' recv.out
PORT=$(cat port)
check 'it says where it listens' grep -qx "listening on 127.0.0.1:$PORT" recv.out
sends 0 file
recv_ends 0
check 'the file came through the socket that was passed' cmp file out/file

rm -rf out
passes listens 1 own
eventually grep -q '^listening on ' recv.out
PORT=$(cat port)
for i in 1 2 3; do
  sends 0 --name "file$i" file
  cmp file "out/file$i"
done
stop_recv

# The real thing, which listens first and starts the program when somebody comes.
command -v systemd-socket-activate >/dev/null || fail 'systemd-socket-activate is not installed'
for address in 127.0.0.1 '[::]'; do
  rm -rf out
  PORT=$(python3 -c 'if 1:
    import socket
    one = socket.socket()
    one.bind(("", 0))
    print(one.getsockname()[1])')
  : >recv.err
  systemd-socket-activate -E XDG_CONFIG_HOME -E XDG_CACHE_HOME -l "$address:$PORT" \
    "$ADOC_RECV" --out out --once >recv.out 2>recv.err &
  RECV_PID=$!
  eventually grep -q 'Listening on' recv.err
  sends 0 file
  recv_ends 0
  check "started by a connection to $address" cmp file out/file
done
