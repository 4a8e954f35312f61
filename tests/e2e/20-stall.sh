#!/usr/bin/env bash
# Goal: a receiver that stands still for ten seconds, a sender that does, and a link that carries
# nothing for a while and comes back: the transfer ends well, nothing hangs, and the memory of
# neither side grows while it waits.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../bench/link.sh"

mebibytes=200
sanitized && mebibytes=40
work_in_memory $((mebibytes * 4 * 1024))

# Letters, of which any level saves a quarter, and then noise.
head -c $((mebibytes * 512 * 1024)) /dev/urandom >noise
{ head -c $((mebibytes * 384 * 1024)) noise | base64 -w 0; cat noise; } >big
head -c 3000000 big >start
cat start big >whole

resident() { sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
stopped() { [[ $(process_state "$1") == T ]]; }
# works PID: one of its threads has a processor, or waits for one.
works() { grep -q '^State:[[:space:]]*R' "/proc/$1/task/"*/status; }
# at_rest PID: none of its threads works, and its memory has not changed for half a second, but for
# some of a sanitizer's own.
at_rest() {
  local before changed
  before=$(resident "$1")
  ! works "$1" || return 1
  sleep 0.5
  ! works "$1" || return 1
  changed=$(($(resident "$1") - before))
  ((changed == 0)) || { sanitized && ((changed > -256 && changed < 256)); }
}
# not_grown PID KIB: it holds at most $more KiB more than this. A sanitizer's own memory is its own.
not_grown() { sanitized || (($(resident "$1") <= $2 + more)); }
more=4096
arrived() { (($(find out -name '.adoc-*' -size +1000k | wc -l) > 0)); }

# stands_still SENTENCE STOPPED_PID OTHER_PID SECONDS: of the transfer that reads pace.
stands_still() {
  local sentence=$1 stopped=$2 other=$3 seconds=$4 memory
  cat start >&7
  eventually arrived
  kill -STOP "$stopped"
  eventually stopped "$stopped"
  { cat big >&7 || true; } &
  FEED=$!
  exec 7>&-
  sleep 1
  eventually at_rest "$other"
  memory=$(resident "$other")
  sleep "$seconds"
  check "$sentence: the other waits" kill -0 "$other"
  check "$sentence: its memory does not grow" not_grown "$other" "$memory"
  kill -CONT "$stopped"
}

mkfifo pace
# transfer_of_pace [OPTION...]: starts a sender of standard input, $SENDER.
transfer_of_pace() {
  "$ADOC_SEND" "$@" --json --name whole - "127.0.0.1:$PORT" <pace >send.out 2>send.err &
  SENDER=$!
  exec 7>pace
}
# ends_well SENTENCE
ends_well() {
  ends 0 "$SENDER" 25
  recv_ends 0
  [[ -z $FEED ]] || wait "$FEED"
  check "$1: all of it arrived" cmp whole out/whole
  nothing_left_over
  rm -rf out
}

start_recv --once
transfer_of_pace --level 3
stands_still 'a receiver that stands still' "$RECV_PID" "$SENDER" 10
ends_well 'a receiver that stands still'

# Who chooses levels makes a denser block now and then while the link seems to get slower. All that
# takes no more memory than the option allows.
more=$((48 * 1024))
start_recv --once
transfer_of_pace --memory "${more}K"
stands_still 'a receiver that stands still, levels that are chosen' "$RECV_PID" "$SENDER" 5
ends_well 'a receiver that stands still, levels that are chosen'
more=4096

start_recv --once
transfer_of_pace
stands_still 'a sender that stands still' "$SENDER" "$RECV_PID" 3
ends_well 'a sender that stands still'

# A link of its own, where that is possible.
if ! link_possible 2>link.err || ! unshare --net true 2>>link.err; then
  echo "not tried, a link that stops: $(cat link.err)"
  exit 0
fi
at_end 'link_down 2>/dev/null'
link_up
link_rate 200mbit
printf '#!/bin/sh\nexec nsenter --net=/run/netns/%s "%s" "$@" --insecure --listen %s:0\n' \
  "$LINK_NAME-r" "$ADOC_RECV" "$LINK_RECEIVER_ADDRESS" >recv-there
chmod +x recv-there
ADOC_RECV=$T/recv-there
start_recv --once
nsenter --net="/run/netns/$LINK_NAME-s" "$ADOC_SEND" --level 3 --insecure --json whole \
  "$LINK_RECEIVER_ADDRESS:$PORT" >send.out 2>send.err &
SENDER=$!
FEED=
eventually arrived
# A byte a second, and nothing may wait.
for end in s r; do
  tc -n "$LINK_NAME-$end" qdisc replace dev link0 root tbf rate 8bit burst 1600 limit 1600
done
eventually at_rest "$SENDER"
memory=$(resident "$SENDER")
sleep 5
check 'a link that stops: the sender waits' kill -0 "$SENDER"
check 'a link that stops: its memory does not grow' not_grown "$SENDER" "$memory"
link_rate none
ends_well 'a link that stops and comes back'
