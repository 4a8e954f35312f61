#!/usr/bin/env bash
# Goal: a copy over ssh whose connection of its own is lost goes on over another one or, where those
# are lost, too, through ssh, in both directions, whichever side notices; what has arrived is not
# sent again. Where ssh is gone as well, it says that the same command goes on, which is true.
set -euo pipefail
support=$(cd "$(dirname "$0")/../support" && pwd)
source "$support/cp.sh"
((EUID == 0)) || skip 'to cut the connections of another process needs root'

cd "$T"
mkdir far here there
# A name that this test alone has, by which its far sides are known.
far_program=adoc-cp-$$
start_far "$far_program"
# A second at the rate below, of blocks that are kept as they come; more than the system holds for
# an end that is held up.
mebibytes=16
head -c $((mebibytes << 20)) /dev/urandom >data

# begin FROM TO [OPTION...]: a copy that is held up on its way; go_on lets it go on.
begin() {
  local try
  eventually nobody_is_left
  for try in {1..5}; do
    rm -rf far here there && mkdir far here there
    "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" -v --json --bwlimit 16M "${@:3}" \
      "$1" "$2" </dev/null >cp.out 2>cp.err &
    CP=$!
    until arrived 2 || [[ $(process_state "$CP") == Z ]]; do sleep 0.01; done
    kill -STOP "$CP"
    eventually eval '[[ $(process_state "$CP") == [TZ] ]]'
    [[ $(process_state "$CP") != T || -e $there ]] || return 0
    kill -KILL "$CP"
    wait "$CP" || echo "try $try was over too soon"
  done
  fail 'no copy can be held up'
}
go_on() { kill -CONT "$CP"; }
# arrived MEBIBYTES: so much of the file is there, under whatever name.
arrived() { (($(du -sk far here there | awk '{ sum += $1 } END { print sum }') >= $1 * 1024)); }
cut() { [[ $(python3 "$support/cut_connections.py" "${2:-$CP}" "$1") -gt 0 ]]; }
nobody_is_left() { ! pgrep -x "$far_program" >/dev/null; }
copy_ends() { ends "$1" "$CP" 60; }
# nothing_twice: what had arrived before a cut was not sent again, but for what was on its way.
nothing_twice() {
  (($(figure wire_bytes cp.out) < (mebibytes << 20) * 14 / 10)) ||
    fail "too much was sent: $(cat cp.out)"
}
ways() { grep -c "$1" cp.err || true; }
own='over a connection of its own'

for direction in push pull; do
  if [[ $direction == push ]]; then
    from=data to=far:$T/far/data there=far/data
  else
    from=far:$T/data to=here/data there=here/data
  fi

  begin "$from" "$to"
  cut close
  go_on
  copy_ends 0
  check "$direction: it goes on" cmp data "$there"
  check "$direction: over another connection" [ "$(ways "$own")" == 2 ]
  check "$direction: that is told" [ "$(figure retries cp.out)" -ge 1 ]
  nothing_twice

  # A firewall that lets nothing through any more, and says nothing.
  begin "$from" "$to" --timeout 2s
  cut silence
  go_on
  copy_ends 0
  check "$direction: it goes on after silence" cmp data "$there"
  check "$direction: over another connection" [ "$(ways "$own")" == 2 ]

  # The other side cannot be connected to any more.
  begin "$from" "$to"
  cut deaf "$(pgrep -x "$far_program")"
  cut close
  go_on
  copy_ends 0
  check "$direction: it goes on through ssh" cmp data "$there"
  says cp.err 'the data goes through ssh'
  check "$direction: and not over another connection" [ "$(ways "$own")" == 1 ]
  nothing_twice

  # Nor is ssh left, with which the other side ends.
  for way in auto ssh; do
    begin "$from" "$to" --via "$way"
    pkill -KILL -P "$CP" -x ssh
    go_on
    copy_ends 3
    grep -q 'the same command' cp.err || fail "$direction: without ssh it says: $(cat cp.err)"
    check "$direction, $way: ssh that was killed is a lost connection" says cp.err 'is lost'
    check 'and nobody interrupted it' eval "! grep -q 'interrupted' cp.err"
  done
  eventually nobody_is_left
  "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" --json "$from" "$to" </dev/null >cp.out
  check "$direction: the same command goes on" cmp data "$there"
  check "$direction: where it was" [ "$(figure resumed_bytes cp.out)" -gt 1000000 ]
done

# Between two other machines, of which neither may connect to anything any more: through this one.
there=there/data
eventually nobody_is_left
rm -rf far here there && mkdir far here there
"$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" -v --bwlimit 4M "far:$T/data" \
  "other:$T/$there" </dev/null >cp.out 2>cp.err &
CP=$!
eventually arrived 2
cut close "$(pgrep -o -x "$far_program")"
copy_ends 0
check 'between two machines it goes on' cmp data "$there"
says cp.err 'the data of far went to other through this machine'
