#!/usr/bin/env bash
# Goal: three machines, as network namespaces: a copy between the other two goes directly where they
# reach each other, and through this one where only this one reaches both.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"
((EUID == 0)) || skip 'network namespaces need root'

cd "$T"
mkdir bin from to
ln -s "$ADOC_CP" bin/adoc-cp
SSH_PATH=$T/bin:$PATH
net=adoc-cp-$$
in_net() { nsenter --net="/run/netns/$net-$1" "${@:2}"; }
remove_nets() {
  stop_sshd
  [[ -z ${SSHD_OF_A:-} ]] || kill "$SSHD_OF_A"
  local machine
  for machine in h a b; do ip netns del "$net-$machine" 2>/dev/null; done
}
at_end 'remove_nets'
for machine in h a b; do
  ip netns add "$net-$machine" || skip 'no network namespace can be made'
  ip -n "$net-$machine" link set lo up
done
# cable ONE OTHER NETWORK
cable() {
  ip -n "$net-$1" link add "to-$2" type veth peer name "to-$1" netns "$net-$2"
  ip -n "$net-$1" address add "10.78.$3.1/24" dev "to-$2"
  ip -n "$net-$2" address add "10.78.$3.2/24" dev "to-$1"
  ip -n "$net-$1" link set "to-$2" up
  ip -n "$net-$2" link set "to-$1" up
}
cable h a 1
cable h b 2
cable a b 3
SSHD_HOME=$T/a SSHD_ADDRESS=10.78.1.2 SSHD_PREFIX="nsenter --net=/run/netns/$net-a" start_sshd
SSHD_OF_A=$SSHD_PID
sed '/^Host other/,/Port/d; s/^Host far$/Host a/; s/^Host \*$/Host a/' "$SSH_CONFIG" >config
SSHD_HOME=$T/b SSHD_ADDRESS=10.78.2.2 SSHD_PREFIX="nsenter --net=/run/netns/$net-b" start_sshd
sed '/^Host other/,/Port/d; s/^Host far$/Host b/; s/^Host \*$/Host b/' "$SSH_CONFIG" >>config

head -c 3000000 /dev/urandom >from/file
seq 50000 >from/numbers
# passes WAY ARGUMENT...: a tree from the one machine to the other, and the way that is told.
passes() {
  rm -rf to/from
  in_net h timeout 60 "$ADOC_CP" -F "$T/config" -v -r "${@:2}" "a:$T/from" "b:$T/to" \
    </dev/null >cp.out 2>cp.err || fail "$*: $(cat cp.err)"
  diff -r from to/from || fail "$*: what arrives differs"
  grep -q "the data of a went to b $1" cp.err || fail "not $1: $(cat cp.err)"
}
# The address by which this machine knows the one is behind the other cable for the other.
ip -n "$net-a" route add 10.78.2.2/32 via 10.78.3.2
ip -n "$net-b" route add 10.78.1.2/32 via 10.78.3.1
passes directly
echo 'ok: it goes directly where they reach each other'
passes 'through this machine' -3
echo 'ok: through this machine if that is said'
ip -n "$net-a" link set to-b down
passes 'through this machine'
echo 'ok: through this machine where they do not reach each other'
