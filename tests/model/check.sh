#!/usr/bin/env bash
# Goal: Spin proves what README.md says of the models, and finds each mistake that they can be made
# with.
#
#   check.sh proofs     what holds
#   check.sh mistakes   what does not, once a mistake is made
#   check.sh more       larger proofs: minutes, and gigabytes of memory
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
cd "$T"

# build MODEL COMPILER_OPTION... -- SPIN_OPTION...: the verifier, pan.
build() {
  local model=$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  spin "$@" -a "$here/$model.pml" >spin.out 2>&1 || { cat spin.out; return 1; }
  gcc "${optimize:--O2}" -w -DCOLLAPSE -DMEMLIM=8000 "${options[@]}" -o pan pan.c
}

verify() { timeout 1200 ./pan -m500000 -c1 "$@" >pan.out 2>&1; }
states() { sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.out; }

# Assertions hold, and nobody waits for ever: no process stops but at its end.
safe() {
  local began=$SECONDS
  build "$1" -DSAFETY -DNOCLAIM -- "${@:2}"
  verify
  grep -q 'errors: 0' pan.out || { cat pan.out; return 1; }
  grep -q 'Search not completed\|max search depth' pan.out && { cat pan.out; return 1; }
  echo "ok: $1 ${*:2}: assertions hold, nobody waits for ever;" \
    "$(states) states, $((SECONDS - began)) s"
}

# live HOW MODEL OPTION...: the formula of the model holds, and the assertions. HOW is empty, for
# any scheduler, or -f, for those that are fair.
live() {
  local began=$SECONDS
  build "$2" -DNFAIR=4 -- "${@:3}"
  verify -a $1
  grep -q 'errors: 0' pan.out || { cat pan.out; return 1; }
  grep -q 'Search not completed\|max search depth' pan.out && { cat pan.out; return 1; }
  echo "ok: $2 ${*:3}: both sides end${1:+, with a fair scheduler};" \
    "$(states) states, $((SECONDS - began)) s"
}

# finds MODEL BUG OPTION...: with this mistake in it the model is wrong.
finds() {
  build "$1" -DSAFETY -DNOCLAIM -- "-D$2" "${@:3}"
  verify || true
  grep -q '^pan:1: ' pan.out || {
    echo "FAILED: $2 is not found in $1"
    tail -n 40 pan.out
    return 1
  }
  echo "ok: $1 with $2: $(sed -n 's/^pan:1: \(.\{1,60\}\).*/\1/p' pan.out)"
}

case ${1:-} in
  proofs)
    safe session -DFAULTS=0
    live '' session -DFAULTS=1 -DWINDOW=1 -DBLOCKS=1
    live -f session -DFAULTS=0 -DWINDOW=1
    safe resume -DMISFORTUNES=1 -DSOURCE_CHANGES=1
    live '' resume -DMISFORTUNES=1 -DBATCHES=1
    live -f resume -DMISFORTUNES=1 -DBATCHES=1
    safe streams
    ;;
  mistakes)
    optimize=-O0 # found at once
    finds session BUG_NO_WINDOW -DFAULTS=0 -DWINDOW=1
    finds session BUG_OFFER_BEFORE_QUEUE -DFAULTS=0
    finds session BUG_LAST_BLOCK_LEFT_OUT -DFAULTS=0
    finds session BUG_WANT_DROPPED -DFAULTS=0
    finds session BUG_WANT_BEFORE_QUEUE -DFAULTS=0
    finds session BUG_COMMIT_BEFORE_PUBLISH -DFAULTS=0
    finds session BUG_FAILED_COUNTS_AS_COMMITTED -DFAULTS=0
    finds session BUG_NO_CHECKSUM -DFAULTS=1
    finds session BUG_QUEUE_NOT_WOKEN -DFAULTS=1
    finds resume BUG_PARTIAL_OF_ANOTHER_SOURCE -DMISFORTUNES=1 -DSOURCE_CHANGES=1
    finds resume BUG_JOURNAL_BELIEVED -DMISFORTUNES=1
    finds resume BUG_NO_LOCK -DMISFORTUNES=1
    finds resume BUG_WANT_LEAVES_OUT -DMISFORTUNES=1
    finds resume BUG_NO_CHECKSUM -DMISFORTUNES=1
    finds resume BUG_PUBLISH_BEFORE_FLUSH -DMISFORTUNES=1
    finds resume BUG_TOLD_BEFORE_DIRECTORY_FLUSH -DMISFORTUNES=1
    finds streams FORGETS
    finds streams TELLS_ONCE
    finds streams LEAVES
    finds streams STAYS_AWAY
    finds streams BELIEVES_ITS_SYSTEM
    ;;
  more)
    safe session -DFAULTS=1 -DWINDOW=1
    safe session -DFAULTS=1 -DBLOCKS=1
    safe resume -DMISFORTUNES=2 -DBATCHES=1 -DSOURCE_CHANGES=1
    safe streams -DROOM=4
    ;;
  *)
    echo "usage: $0 proofs|mistakes|more" >&2
    exit 2
    ;;
esac
