#!/usr/bin/env bash
# Goal: of the addresses of a name those that are dead, or that connect and do not speak, lead to
# the next; name servers that do not answer neither hold a signal up nor go on for longer than
# --timeout. In namespaces with names of its own; where these cannot be made, the unit tests have to
# do.
set -euo pipefail
source "$(dirname "$0")/../support/silent_name_servers.sh"
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
seq 1 1000 >file

if [[ -z ${SILENT_NAME_SERVERS:-} ]] || ! ip link add near type veth peer far; then
  echo 'ok: skipped, no namespaces with links here'
  exit 0
fi
make_name_servers_silent

# Packets to 10.99.0.9 vanish: nobody has that hardware address.
ip address add 10.99.0.1/24 dev near
ip address add 10.99.0.2/24 dev near
ip link set near up
ip link set far up
ip neighbour add 10.99.0.9 lladdr 02:00:00:00:00:09 dev near

printf '10.99.0.9 dead-first.test\n10.99.0.1 dead-first.test\n' >/etc/hosts
printf '10.99.0.2 silent-first.test\n10.99.0.1 silent-first.test\n' >>/etc/hosts
printf 'precedence ::ffff:%s/128 %s\n' 10.99.0.9 90 10.99.0.2 80 10.99.0.1 70 >/etc/gai.conf

# The names are not this machine's, whose own key is for itself alone.
XDG_CONFIG_HOME=$T/other "$ADOC_RECV" --new-key 2>/dev/null
key=(--key-file "$T/other/adoc/key")
start_recv "${key[@]}" --listen 10.99.0.1:0
# send_to NAME OPTION...
send_to() {
  local name=$1
  shift
  "$ADOC_SEND" "${key[@]}" -v "$@" file "$name:$PORT" >send.out 2>send.err ||
    fail "$name: $(cat send.err)"
  cmp file out/file
  rm out/file
}

begin=$SECONDS
send_to dead-first.test --timeout 20m
check 'a dead address does not hold up' [ $((SECONDS - begin)) -lt 30 ]
says send.err 'connecting to 10.99.0.9'
says send.err 'connected to 10.99.0.1'

# A proxy in front of nothing: it takes what comes and closes it.
python3 - "$PORT" <<'PYTHON' >proxy.out &
import socket, sys
listener = socket.create_server(("10.99.0.2", int(sys.argv[1])))
print("here", flush=True)
while True:
    listener.accept()[0].close()
PYTHON
eventually test -s proxy.out
send_to silent-first.test
says send.err 'connecting to 10.99.0.2'
says send.err 'connected to 10.99.0.1'

for signal in INT TERM; do
  asked=$(wc -l <questions)
  "$ADOC_SEND" "${key[@]}" -v file nowhere.test 2>send.err &
  SENDER=$!
  eventually eval '(($(wc -l <questions) > asked))'
  kill -"$signal" "$SENDER"
  # The name server has 30 seconds to answer.
  ends_within 15 "$SENDER" || fail "SIG$signal does not end a sender that looks a name up"
  code=0
  wait "$SENDER" || code=$?
  check "SIG$signal ends a sender that looks a name up" [ "$code" == 130 ]
  says send.err 'looking up nowhere.test'
done
expect_exit 3 "$ADOC_SEND" "${key[@]}" --timeout 1s file nowhere.test 2>send.err
says send.err 'nowhere.test' 'do not answer for 1 s'
stop_recv
