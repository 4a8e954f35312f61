#!/usr/bin/env bash
# Goal: ssh may lose its connection at any byte, in either direction, while a copy goes either way:
# the copy fails in time, nothing wrong has a final name, nothing stays in the background on either
# side, and the same command completes it. The bytes follow from a seed. And ssh may ask for what it
# needs.
set -euo pipefail
answer=$(cd "$(dirname "$0")/../support" && pwd)/answer.py
source "$(dirname "$0")/../support/cp.sh"

relay=$(cd "$(dirname "$0")/../support" && pwd)/cutting_relay.py
cd "$T"
mkdir far here
# A name that this test alone has, by which its far sides are known.
far_program=adoc-cp-$$
start_far "$far_program"
head -c 400000 /dev/urandom >data
mkdir tree
for i in 1 2 3; do head -c $((i * 50000)) /dev/urandom >"tree/$i"; done

nobody_is_left() { ! pgrep -f "$far_program --far" >/dev/null; }
# cut_at WAY BYTES FROM TO
cut_at() {
  local code=0
  timeout 40 "$ADOC_CP" -F "$SSH_CONFIG" -o "ProxyCommand python3 $relay $SSH_PORT $1 $2" \
    --far-program "$far_program" --via ssh --level 0 -r "$3" "$4" \
    </dev/null >cp.out 2>cp.err || code=$?
  ((code != 124)) || fail "it hangs when $1 is cut after $2 bytes"
  ((code != 0)) || cuts_that_came_too_late=$((cuts_that_came_too_late + 1))
  ((code == 0)) || [[ -s cp.err ]] || fail "it fails without a word when $1 is cut after $2 bytes"
  eventually nobody_is_left
}

# whole DIRECTORY: each file that has its name is right.
whole() {
  local file
  for file in 1 2 3; do
    [[ ! -e $1/tree/$file ]] || cmp "tree/$file" "$1/tree/$file" || return 1
  done
}

seed=${ADOC_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "ADOC_TEST_SEED=$seed"
RANDOM=$((seed % 32768))
rounds=3
! sanitized || rounds=1
cuts_that_came_too_late=0
cuts=0
for ((round = 0; round < rounds; ++round)); do
  # Login and first words, then anywhere: what goes with the data is more than what goes against.
  for cut in "there $((RANDOM % 6000))" "back $((RANDOM % 6000))" "with $((RANDOM * 9))"; do
    for direction in push pull; do
      read -r way bytes <<<"$cut"
      if [[ $way == with ]]; then
        [[ $direction == push ]] && way=there || way=back
      fi
      rm -rf far/* far/.adoc here/* here/.adoc
      cuts=$((cuts + 1))
      if [[ $direction == push ]]; then
        cut_at "$way" "$bytes" tree "far:$T/far"
        whole far || fail "seed $seed: $direction, $way $bytes: something wrong has a name"
      else
        cut_at "$way" "$bytes" "far:$T/tree" here
        whole here || fail "seed $seed: $direction, $way $bytes: something wrong has a name"
      fi
    done
  done
  "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" -r --via ssh tree "far:$T/far" </dev/null ||
    fail "seed $seed: the same command does not complete it"
  "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" -r --via ssh "far:$T/tree" here </dev/null ||
    fail "seed $seed: nor the other way"
  diff -r tree far/tree || fail "seed $seed: what is there differs"
  diff -r tree here/tree || fail "seed $seed: what is here differs"
  [[ ! -e far/.adoc && ! -e here/.adoc ]] ||
    fail "seed $seed: something is left over"
done
echo "$cuts cuts, $cuts_that_came_too_late after the end"
check 'most cuts hit' [ $((cuts_that_came_too_late * 2)) -lt "$cuts" ]
echo 'ok: wherever ssh is cut, nothing wrong has a name and the same command completes it'

# Whoever stands still for longer than --timeout, as with Ctrl-Z, has not heard the other side, and
# does not blame it: that one has given up meanwhile.
has_given_up() { ! pgrep -f "^$far_program --far" >/dev/null; }
runs_on() { [[ $(process_state "$1") != T ]]; }
has_begun() { [[ -n $(find far here -name '.adoc*' -print -quit) ]]; }
for direction in push pull; do
  rm -rf far/* far/.adoc here/* here/.adoc
  words=(data "far:$T/far")
  [[ $direction == push ]] || words=("far:$T/data" here)
  setsid "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" --via ssh --timeout 4 \
    --bwlimit 20K "${words[@]}" </dev/null >cp.out 2>cp.err &
  COPY=$!
  eventually has_begun
  ! has_given_up || fail 'the far side is not found'
  kill -STOP -- "-$COPY"
  eventually has_given_up
  # Before ssh, which would bring the news.
  kill -CONT "$COPY"
  eventually runs_on "$COPY"
  kill -CONT -- "-$COPY"
  ends 3 "$COPY"
  check "who stood still does not blame the other side: $direction" \
    eval "! grep -q 'nothing heard from far' cp.err"
done

# ssh asks on the terminal, whatever standard input is, and takes its time.
ssh-keygen -q -p -P '' -N 'open sesame' -f ssh/user_key
check 'ssh asks for a passphrase on the terminal' \
  timeout 60 python3 "$answer" passphrase 'open sesame' "$ADOC_CP" -F "$SSH_CONFIG" \
  --far-program "$far_program" data "far:$T/far/asked"
check 'and it arrives' cmp data far/asked
printf '#!/bin/sh\necho "open sesame"\n' >askpass
chmod +x askpass
check 'SSH_ASKPASS answers, too' env SSH_ASKPASS="$T/askpass" SSH_ASKPASS_REQUIRE=force DISPLAY=:9 \
  timeout 60 "$ADOC_CP" -F "$SSH_CONFIG" --far-program "$far_program" data "far:$T/far/askpass"
check 'and that arrives' cmp data far/askpass
