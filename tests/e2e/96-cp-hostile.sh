#!/usr/bin/env bash
# Goal: whatever the far side of a copy sends, nothing but what was asked for is written, what the
# user said is kept to, and adoc-cp ends in time with a clear message; whatever is sent to a far
# side that receives, it writes below its destination alone, keeps to its memory and ends.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"

HOSTILE=$ADOC_BIN_DIR/tests/hostile_far
cd "$T"
# In the place of ssh, which is only the way: runs the command here, as sshd does.
cat >here-ssh <<'END'
#!/bin/sh
for word; do [ "$word" != -G ] || { echo hostname 127.0.0.1; exit 0; }; done
exec sh -c "$word"
END
chmod +x here-ssh
WAY=(-S "$T/here-ssh" --via ssh)

# beside COMMAND...: in the background, in a directory of its own with here and outside/canary; they
# mostly wait. all_have_ended: those that were begun have, and well.
BESIDE=()
places=0
ended() {
  wait "${BESIDE[0]}" || exit 1
  BESIDE=("${BESIDE[@]:1}")
}
beside() {
  ((${#BESIDE[@]} < 6)) || ended
  local place=$T/$((++places))
  mkdir -p "$place/here" "$place/outside"
  echo alive >"$place/outside/canary"
  (cd "$place" && outside >outside.before && "$@") &
  BESIDE+=($!)
}
all_have_ended() { while ((${#BESIDE[@]} > 0)); do ended; done; }

outside() { find outside -printf '%p %m %s %C@\n'; }
# One that is left behind must not keep what this script says from ending.
copy() {
  timeout -k 1 60 "$ADOC_CP" "${WAY[@]}" --far-program "$HOSTILE $ATTACK $PWD/outside" \
    --timeout "$LIMIT" "$@" </dev/null >cp.out 2>cp.err 9>&-
}
nothing_outside() {
  diff outside.before <(outside) || fail "$ATTACK: something outside has changed"
}

# pulls ATTACK CODE MESSAGE [ARGUMENT...]: a copy from a far side that makes this attack ends with
# this code and message within a minute, and nothing is there then that was not there before.
pulls() {
  local wanted=$2 message=$3 code=0 begin=$EPOCHREALTIME
  ATTACK=$1
  shift 3
  (($#)) || set -- far:asked here
  find here -printf '%p %y %s %l\n' >here.before
  copy "$@" || code=$?
  [[ $code == "$wanted" ]] ||
    fail "$ATTACK: exit code $code instead of $wanted: $(head -c 2000 cp.err)"
  grep -qaF -e "$message" cp.err ||
    fail "$ATTACK: it does not say '$message': $(head -c 2000 cp.err)"
  (($(wc -c <cp.err) < 2000)) || fail "$ATTACK: it says too much"
  ! grep -q $'\e' cp.err || fail "$ATTACK: the far side writes to the terminal"
  nothing_outside
  diff here.before <(find here -printf '%p %y %s %l\n') || fail "$ATTACK: something is there"
  echo "ok: $ATTACK ($(((${EPOCHREALTIME/./} - ${begin/./}) / 1000)) ms): $(tail -n 1 cp.err)"
}
pushes() { pulls "$@" outside/canary far:asked; }
# pulls_over COMMAND...: as pulls does, with a file here of that name.
pulls_over_a_file() {
  echo mine >here/asked
  pulls "$@"
}
pulls_over_a_directory() {
  mkdir here/asked
  echo mine >here/asked/mine
  pulls "$@"
}

# What is no far side, or is silent: for longer than a slow program is between two words.
LIMIT=1s
! sanitized || LIMIT=5s
beside pulls greets 3 "nothing heard from far for ${LIMIT%s} s"
beside pulls no-answer 3 "nothing heard from far for ${LIMIT%s} s"
beside pulls half-an-answer 3 "nothing heard from far for ${LIMIT%s} s"
beside pulls no-hello 3 'is silent'
beside pulls silent-offer 3 "nothing heard from far through ssh for ${LIMIT%s} s"
beside pulls silent-block 3 "nothing heard from far through ssh for ${LIMIT%s} s"
beside pushes no-hello 3 'is silent'
# As long as a busy machine may need.
LIMIT=20s
beside pulls babbles 3 'does not speak AdOC'
beside pulls garbage-for-answer 5 'there is no frame type'
beside pulls endless-answer 5 'the limit is'
beside pulls unknown-failure 5 'there is no error kind 99'
beside pulls claims-interruption 3 'it was you who stopped it'
beside pulls garbage-records 5 'more is said to have arrived than was sent'
beside pulls hello-of-a-web-server 3 "it began with 'HTTP/1.1 400"
beside pushes garbage-records 5 'more is said to have arrived than was sent'
beside pushes hello-of-a-web-server 3 "it began with 'HTTP/1.1 400"
beside pushes claims-to-have-it-all 5 'end'

# Names and kinds that were not asked for.
beside pulls another-name 5 'passwd, which was not asked for'
beside pulls parent 5 '../x'
beside pulls parent-below 5 '../x'
beside pulls absolute 5 'outside/x'
beside pulls own-directory 5 '.adoc'
beside pulls nul 5 'NUL'
beside pulls long-name 5 'the limit is 4095'
beside pulls a-link 5 'as a link, which was not asked for'
beside pulls a-directory 5 'with a directory, which was not asked for'
beside pulls implied-directory 5 'with a directory, which was not asked for'
beside pulls through-a-link 5 'as a link, which was not asked for' -r far:tree here
beside pulls through-a-link-below 5 'as a link, which was not asked for' -r far:tree here
beside pulls excluded 5 'tree/x.o, which was not asked for' -r --exclude '*.o' far:tree here
beside pulls excluded 5 'new/x.o, which was not asked for' -r --exclude /tree/x.o far:tree here/new
beside pulls another-name 5 'asked, which was not asked for' far:asked here/new
of_a_list() {
  echo tree/y >list
  pulls excluded 5 'tree/x.o, which was not asked for' --files-from list far:. here
}
beside of_a_list
# Links are asked for, and what lies behind them is not written to.
with_links() {
  ATTACK=$1
  expect_exit 1 copy -r --links far:tree here
  nothing_outside
}
beside with_links through-a-link
beside with_links through-a-link-below

# What the user has said.
beside pulls_over_a_file overwrites 5 'it would replace what exists, which was not asked for' \
  --no-overwrite far:asked here
beside pulls_over_a_file overwrites 5 'it sends what was to be listed' -n far:asked here
beside pulls only-lists 5 'it lists what was to be sent'
beside pulls_over_a_directory forces 5 'it would replace directories, which was not asked for'
beside pulls_over_a_directory overwrites 5 'more data came than was wanted'
beside pulls keeps 5 'metadata, which were not agreed on'

# Data that are not what was offered.
beside pulls more-than-offered 5 'more data came than was wanted'
beside pulls less-than-offered 5 'before all of it came'
beside pulls ends-in-the-middle 3 'is lost'
beside pulls wrong-checksum 5 'checksum'
beside pulls bomb 5 'grow'
beside pulls endless-list 5 'too many batches' -r far:tree here

# One that stays when all is over, well or not, is not waited for.
beside pulls stays-after-harm 5 '../x'
is_left_behind() {
  ATTACK=stays
  expect_exit 0 copy far:asked here
  check 'what was asked for arrives, and the far side is left behind' [ "$(cat here/asked)" = evil ]
}
beside is_left_behind
# Bytes behind the end: what has arrived until then may have its name, if it is whole.
behind_the_end() {
  ATTACK=more-after-the-end
  expect_exit 5 copy far:asked here
  says cp.err 'bytes came after the sender'
  [[ ! -e here/asked ]] || check 'what has its name is whole' [ "$(cat here/asked)" = evil ]
}
beside behind_the_end
without_privileges() {
  ATTACK=privileged
  expect_exit 0 copy far:asked here
  check 'nobody gives rights who was not asked to' [ "$(stat -c %a here/asked)" = 755 ]
}
beside without_privileges

# On a terminal, what the far side writes to standard error is text.
on_a_terminal() {
  ATTACK=writes-escapes
  TERM=xterm script -qec "'$ADOC_CP' -S '$T/here-ssh' --via ssh --far-program '$HOSTILE $ATTACK $PWD/outside' far:asked here" \
    /dev/null </dev/null >terminal
  check "$ATTACK: what was asked for arrives" [ "$(cat here/asked)" = evil ]
  check "$ATTACK: it is shown" grep -qF '\033]0;the title\007 and \033[2J' terminal
  check "$ATTACK: also what has no end" grep -q 'no end' terminal
  check "$ATTACK: and does nothing" eval '! grep -q $'"'\e]0'"' terminal'
}
beside on_a_terminal

# A shell that takes what it reads for commands, as of a forced command, and one that says it all
# back: what goes out before anybody has answered has no meaning there, whatever names are in it.
at_a_shell() {
  ATTACK="$1 in the place of AdOC"
  printf '#!/bin/sh\nfor word; do [ "$word" != -G ] || exit 0; done\necho Welcome\nexec %s\n' "$1" >shell-ssh
  chmod +x shell-ssh
  local code=0 name="x;touch $PWD/outside/new;\`touch $PWD/outside/new\`"
  name+=$'\n'"touch $PWD/outside/new"$'\n'
  timeout -k 1 60 "$ADOC_CP" -S "$PWD/shell-ssh" -v --timeout 1s "far:$name" here \
    </dev/null >cp.out 2>cp.err || code=$?
  check "$ATTACK: it fails" [ "$code" == 3 ]
  nothing_outside
}
beside at_a_shell sh
beside at_a_shell bash
beside at_a_shell cat
# Between two other machines it is the one that receives who holds the one that sends to it.
between_two() {
  ATTACK=another-name
  cat >two-ssh <<END
#!/bin/sh
far=
for word; do
  [ "\$word" != -G ] || { echo hostname 127.0.0.1; exit 0; }
  [ "\$word" != evil ] || far=evil
done
[ -z "\$far" ] || word="$HOSTILE $1 $PWD/outside --far"
exec sh -c "\$word"
END
  chmod +x two-ssh
  code=0
  timeout -k 1 60 "$ADOC_CP" -S "$PWD/two-ssh" "${@:2}" --far-program "$ADOC_CP" evil:asked \
    "good:$PWD/here" </dev/null >cp.out 2>cp.err || code=$?
}
sends_another_name() {
  between_two another-name -3
  check "between two others another name fails: $(cat cp.err)" [ "$code" == 5 ]
  check 'and that is told' grep -q 'adoc-cp on good ended with 5' cp.err
  check 'it is not there' [ ! -e here/passwd ]
}
beside sends_another_name
names_its_address() {
  between_two names-an-address
  check "between two others what was asked for arrives: $(cat cp.err)" [ "$code" == 0 ]
  check 'and nobody connects elsewhere' grep -qxF 'nobody connects' cp.err
}
beside names_its_address

# Connections beside the channel: only the machine that ssh means is connected to, at a port that it
# may have been given, and nobody who brings nothing comes back for ever.
BESIDE_THE_CHANNEL=(-S "$T/here-ssh" --via auto)
connects() {
  ATTACK=$1
  WAY=("${BESIDE_THE_CHANNEL[@]}")
  expect_exit 0 copy far:asked here
  check "$ATTACK: $2" grep -qxF "$2" cp.err
}
beside connects names-a-port 'somebody connects'
beside connects names-an-address 'nobody connects'
((EUID != 0)) || beside connects names-a-low-port 'nobody connects'
behind_a_gate() {
  sed 's/hostname 127.0.0.1/hostname 192.0.2.2; echo proxyjump gate/' "$T/here-ssh" >jump-ssh
  chmod +x jump-ssh
  BESIDE_THE_CHANNEL=(-S "$PWD/jump-ssh")
  connects is-behind-another 'only the channel'
}
beside behind_a_gate
comes_again() {
  WAY=("${BESIDE_THE_CHANNEL[@]}")
  pulls comes-again 3 'comes back again and again, and brings nothing'
}
beside comes_again

# takes ATTACK COMMAND: what hostile_sender makes is led to far sides that COMMAND starts. None is
# left or has crashed then, and what was written is where it may be.
takes() {
  ATTACK=$1
  mkdir there
  mkfifo door.in
  "$ADOC_BIN_DIR/tests/channel_door" "$PWD/there" "$2" <door.in >door.out 2>door.err &
  local door=$! port
  exec 8>door.in
  eventually grep -q '^listening' door.out
  port=$(sed -n 's/^listening on port //p' door.out)
  timeout 60 "$ADOC_BIN_DIR/tests/hostile_sender" "$port" "$ATTACK" "$PWD/outside" ||
    fail "the attack itself fails: $ATTACK"
  exec 8>&-
  ends_within 30 "$door" || fail "$ATTACK: far sides do not end: $(tail -n 3 door.out)"
  wait "$door"
  check "$ATTACK: nobody crashes: $(grep -c '^[0-9]' door.out) far sides" \
    awk '/^[0-9]/ { ++n; if ($1 >= 126) { print; bad = 1 } } END { exit bad || !n }' door.out
  if ! sanitized; then
    # 64M and --memory, as in adoc-recv(1).
    check "$ATTACK: memory" awk '/^[0-9]/ && $2 >= 327680 { print; bad = 1 } END { exit bad }' door.out
  fi
  nothing_outside
  check "$ATTACK: only files, directories and links are there" \
    [ -z "$(find there ! -type f ! -type d ! -type l)" ]
}
for attack in names sizes inflation offers; do
  beside takes "$attack" "exec $ADOC_CP --far"
done
an_honest_copy() {
  "$ADOC_CP" "${WAY[@]}" --far-program "$ADOC_CP" outside/canary far:"$PWD/copy" </dev/null
  check 'an honest copy arrives' cmp outside/canary copy
}
beside an_honest_copy
all_have_ended

# With the real one on the way.
ln -s "$ADOC_CP" adoc-cp
SSH_PATH=$T:$PATH
start_sshd
at_end 'stop_sshd'
WAY=(-F "$SSH_CONFIG")
beside takes inflation "exec ssh -F $SSH_CONFIG far 'adoc-cp --far'"
beside pulls babbles 3 'does not speak AdOC' --via ssh far:asked here
beside pulls parent 5 '../x' --via auto far:asked here
beside pulls stays-after-harm 5 '../x' --via ssh far:asked here
all_have_ended
