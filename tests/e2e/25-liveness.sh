#!/usr/bin/env bash
# Goal: a side that stops for less than --timeout is waited for, and so is one that only has nothing
# to say; one that stops for longer, and a network that is gone, end the other side with a message
# and exit code 3, and nothing half-written stays.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../bench/link.sh"

mebibytes=24
work_in_memory $((mebibytes * 6 * 1024))
head -c $((mebibytes * 1024 * 1024)) /dev/urandom >big
head -c 3000000 big >start
cat start big >whole
mkfifo pace
ADDRESS=127.0.0.1

stopped() { [[ $(process_state "$1") == T ]]; }
arrived() { (($(find out -name '.adoc-*' -size +1000k | wc -l) > 0)); }

# transfer OPTION...: starts a sender of standard input, $SENDER, that has sent a part of it when
# this returns.
transfer() {
  "$ADOC_SEND" --name whole "$@" - "$ADDRESS:$PORT" <pace >send.out 2>send.err &
  SENDER=$!
  exec 7>pace
  cat start >&7
  eventually arrived
}
# ends_well SENTENCE: after the rest of standard input.
ends_well() {
  local code=0
  cat big >&7
  exec 7>&-
  wait "$SENDER" || code=$?
  [[ $code == 0 ]] || fail "$1: exit code $code: $(cat send.err)"
  recv_ends 0
  check "$1" cmp whole out/whole
  rm -rf out
}
# gives_up SENTENCE PID SECONDS: ends with 3 after at least and soon after so many seconds.
gives_up() {
  local code=0 begin=${EPOCHREALTIME/./} took
  ends_within $(($3 + 6)) "$2" || fail "$1: it does not end"
  took=$(((${EPOCHREALTIME/./} - begin) / 1000))
  wait "$2" || code=$?
  [[ $code == 3 ]] || fail "$1: exit code $code: $(cat send.err recv.err)"
  ((took > $3 * 1000 - 700)) || fail "$1: it ended after $took ms already"
  echo "ok: $1, after $took ms"
}

start_recv --once --timeout 6s
transfer --timeout 6s
kill -STOP "$RECV_PID"
eventually stopped "$RECV_PID"
sleep 1.5
kill -CONT "$RECV_PID"
kill -STOP "$SENDER"
eventually stopped "$SENDER"
sleep 1.5
kill -CONT "$SENDER"
ends_well 'who stops for a while is waited for'

start_recv --once --timeout 30s
transfer --timeout 2s
kill -STOP "$SENDER"
eventually stopped "$SENDER"
sleep 3.5
kill -CONT "$SENDER"
ends_well 'who was stopped for longer does not take the other for gone'

start_recv --once --timeout 2s
transfer --timeout 2s
sleep 5
ends_well 'a sender whose standard input is silent is no silent sender'

start_recv --once --timeout 20s
transfer --timeout 2s --retry 0
kill -STOP "$RECV_PID"
gives_up 'a receiver that stops is given up' "$SENDER" 2
says send.err "nothing heard from 127.0.0.1:$PORT for 2 s (--timeout)" \
  ': the other side or the network is gone'
exec 7>&-
kill -CONT "$RECV_PID"
recv_ends 3
nothing_left_over

start_recv --once --timeout 2s
transfer --timeout 20s --retry 0
kill -STOP "$SENDER"
gives_up 'a sender that stops is given up' "$RECV_PID" 2
says recv.err 'nothing heard from 127.0.0.1:' \
  'for 2 s (--timeout): the other side or the network is gone'
nothing_left_over
kill -CONT "$SENDER"
gives_up 'the sender is told when it goes on' "$SENDER" 0
says send.err 'the receiver gave up: nothing heard from 127.0.0.1:' 'for 2 s (--timeout)'
exec 7>&-

# A link of its own, where that is possible.
if ! link_possible 2>link.err || ! unshare --net true 2>>link.err; then
  echo "not tried, a network that is gone: $(cat link.err)"
  exit 0
fi
at_end 'link_down 2>/dev/null'
link_up
printf '#!/bin/sh\nexec nsenter --net=/run/netns/%s "%s" "$@" --insecure --listen %s:0\n' \
  "$LINK_NAME-r" "$ADOC_RECV" "$LINK_RECEIVER_ADDRESS" >recv-there
printf '#!/bin/sh\nexec nsenter --net=/run/netns/%s "%s" "$@" --insecure\n' \
  "$LINK_NAME-s" "$ADOC_SEND" >send-there
chmod +x recv-there send-there
ADOC_RECV=$T/recv-there
ADOC_SEND=$T/send-there
ADDRESS=$LINK_RECEIVER_ADDRESS
# What is sent is lost without a word, in both directions.
link_is_gone() {
  ip -n "$LINK_NAME-s" route add blackhole "$LINK_RECEIVER_ADDRESS/32"
  ip -n "$LINK_NAME-r" route add blackhole "$LINK_SENDER_ADDRESS/32"
}
link_is_back() {
  ip -n "$LINK_NAME-s" route del blackhole "$LINK_RECEIVER_ADDRESS/32"
  ip -n "$LINK_NAME-r" route del blackhole "$LINK_SENDER_ADDRESS/32"
}

start_recv --once --timeout 6s
transfer --timeout 6s
link_is_gone
sleep 1.5
link_is_back
ends_well 'a network that is gone for a while is waited for'

start_recv --once --timeout 2s
transfer --timeout 2s --retry 0
link_is_gone
gives_up 'a sender whose network is gone ends' "$SENDER" 2
says send.err 'nothing heard from' 'for 2 s (--timeout): the other side or the network is gone'
gives_up 'and so does its receiver' "$RECV_PID" 0
says recv.err 'nothing heard from' 'for 2 s (--timeout): the other side or the network is gone'
exec 7>&-
nothing_left_over

link_is_back
# A machine that takes what it is sent and says nothing.
code=0
ip -n "$LINK_NAME-s" route add 10.77.9.0/24 dev link0
ip -n "$LINK_NAME-s" neigh add 10.77.9.9 lladdr 02:00:00:00:00:09 dev link0
nsenter --net="/run/netns/$LINK_NAME-s" "$ADOC_BIN_DIR/adoc-send" --insecure --timeout 1s \
  start 10.77.9.9 2>send.err || code=$?
[[ $code == 3 ]] || fail "a receiver that does not answer: exit code $code"
says send.err 'cannot reach 10.77.9.9:4400: no answer for 1 s (--timeout) (is the host up'
echo 'ok: connecting has the same limit'
