#!/usr/bin/env bash
# Goal: a copy through the channel of ssh, either way, in which calls of either side fail, are cut
# short or are its last: it ends, what has its name is right and what is said to be there is, and
# the same command completes it. The plans follow from a seed.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
: "${ADOC_FAULT_FILES_LIBRARY:?the file layer}"
# gcc's AddressSanitizer wants to be loaded before the file layer.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0

cd "$T"
mkdir -p tree/below
for name in a b below/c; do head -c $((RANDOM * 8)) /dev/urandom >"tree/$name"; done
seq 20000 >tree/below/numbers
ln -s a tree/link
# In the place of ssh, which is only the way; the plan is for one side.
cat >here-ssh <<'END'
#!/bin/sh
for word; do [ "$word" != -G ] || exit 0; done
exec env -u LD_PRELOAD -u ADOC_FAULT_FILES sh -c "$word"
END
chmod +x here-ssh

# copies PROGRAM FAR_PROGRAM: in the direction of the trial; its exit code goes to $code.
copies() {
  code=0
  timeout -k 1 60 "$1" -S "$T/here-ssh" --via ssh --far-program "$2" --timeout 20s --links -r \
    "${places[@]}" </dev/null >cp.out 2>cp.err 9>&- || code=$?
}
whole_if_named() {
  local file
  for file in a b below/c below/numbers; do
    [[ ! -e out/tree/$file ]] || cmp "tree/$file" "out/tree/$file" || return 1
  done
}
# trial DIRECTION SIDE PLAN
trial() {
  local what="$1, $2: $3" places code
  cat >faulty-cp <<END
#!/bin/sh
exec env LD_PRELOAD='$ADOC_FAULT_FILES_LIBRARY' ADOC_FAULT_FILES='$3' ADOC_FAULT_BELOW='$PWD' \\
  ADOC_FAULT_STRUCK='$PWD/struck' '$ADOC_CP' "\$@"
END
  chmod +x faulty-cp
  if [[ $1 == push ]]; then places=(tree "far:$PWD/out"); else places=("far:$PWD/tree" out); fi
  local programs=("$ADOC_CP" "$PWD/faulty-cp")
  [[ $2 != here ]] || programs=("$PWD/faulty-cp" "$ADOC_CP")
  copies "${programs[@]}"
  echo "$what: exit code $code, $([[ ! -e struck ]] || tr '\n' ' ' <struck) $(tail -n 1 cp.err)"
  [[ $code != 124 ]] || fail "$what: it hangs"
  [[ $code -lt 126 || $2 == here && $3 == *KILL* ]] || fail "$what: it crashes: $(cat cp.err)"
  ((code != 0)) || diff -r --no-dereference tree out/tree || fail "$what: not all of it is there"
  whole_if_named || fail "$what: something wrong has a name"
  ((code == 0)) || [[ $3 == *KILL* || -s cp.err ]] || fail "$what: it fails without a word"
  copies "$ADOC_CP" "$ADOC_CP"
  [[ $code == 0 ]] || fail "$what: the same command does not complete it: $(cat cp.err)"
  diff -r --no-dereference tree out/tree || fail "$what: what is there differs"
  [[ ! -e out/.adoc ]] || fail "$what: something is left over: $(find out/.adoc)"
}

TRIALS=()
ended() {
  wait "${TRIALS[0]}" || exit 1
  TRIALS=("${TRIALS[@]:1}")
}
trials=0
begin_trial() {
  ((${#TRIALS[@]} < 4)) || ended
  local place=$T/$((++trials))
  mkdir "$place" "$place/out"
  cp -a tree "$place"
  (cd "$place" && trial "$@") &
  TRIALS+=($!)
}

seed=${ADOC_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "ADOC_TEST_SEED=$seed"
RANDOM=$((seed % 32768))
of_a_sender=('open EACCES EIO EMFILE' 'pread EIO KILL short:100' 'stat EIO EACCES KILL'
  'readdir EIO'
  'send ECONNRESET KILL KILLED short:3' 'recv ECONNRESET KILL KILLED short:3')
of_a_receiver=('open EACCES EIO KILLED' 'pwrite ENOSPC EIO KILL short:100' 'fsync EIO ENOSPC KILL'
  'fchmod EPERM KILL' 'futimens EIO KILLED' 'rename EIO ENOSPC KILL KILLED' 'mkdir ENOSPC KILLED'
  'symlink EIO KILL' 'stat EIO KILL' 'send ECONNRESET KILL short:3' 'recv ECONNRESET KILL short:3')
# random_plan CALL...: one fault of one of them, once or from then on, in $PLAN.
random_plan() {
  local words
  shift $((RANDOM % $#))
  read -ra words <<<"$1"
  local effect=${words[1 + RANDOM % (${#words[@]} - 1)]} again=
  ((RANDOM % 3)) || again=+
  PLAN="${words[0]}@$((1 + RANDOM % 6))$again=$effect"
}
rounds=4
! sanitized || rounds=1
for ((round = 0; round < rounds; ++round)); do
  for direction in push pull; do
    for side in here there; do
      if [[ $direction/$side == push/here || $direction/$side == pull/there ]]; then
        random_plan "${of_a_sender[@]}"
      else
        random_plan "${of_a_receiver[@]}"
      fi
      begin_trial $direction $side "$PLAN"
    done
  done
done
while ((${#TRIALS[@]} > 0)); do ended; done
