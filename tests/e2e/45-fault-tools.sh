#!/usr/bin/env bash
# Goal: what the fault plans rest on works: the file layer fails the call that it is told to, in one
# program alone; and the plans find programs that do not keep to what they promise.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
: "${ADOC_FAULT:?the program tests/fault}" "${ADOC_FAULT_FILES_LIBRARY:?the file layer}"
# gcc's AddressSanitizer wants to be loaded before the file layer.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
cd "$T"
mkdir tree
for name in a b c; do head -c 5000 /dev/urandom >"tree/$name"; done

# with_faults PLAN COMMAND...
with_faults() {
  local plan=$1
  shift
  env LD_PRELOAD="$ADOC_FAULT_FILES_LIBRARY" ADOC_FAULT_FILES="$plan" ADOC_FAULT_BELOW="$T" \
    ADOC_FAULT_STRUCK="$T/struck" "$@"
}

# A receiver with that plan, for the verbs of transfer.sh.
receiver_with() {
  printf '#!/bin/sh\nexec env LD_PRELOAD="%s" ADOC_FAULT_FILES="%s" ADOC_FAULT_BELOW="%s" ADOC_FAULT_STRUCK="%s" "%s" "$@"\n' \
    "$ADOC_FAULT_FILES_LIBRARY" "$1" "$T/out" "$T/struck" "$ADOC_BIN_DIR/adoc-recv" >"$T/faulty-recv"
  chmod +x "$T/faulty-recv"
  ADOC_RECV=$T/faulty-recv
}

receiver_with 'fsync@2=EIO'
start_recv --once
sends 1 -v tree
recv_ends 1
check 'the second flush failed' [ "$(cat struck)" = 'fsync@2' ]
says send.err 'failed on the other side: cannot flush it to the disk: input/output error'
check 'the other two files are there' [ "$(find out -type f | wc -l)" = 2 ]

rm -rf out struck
receiver_with 'pwrite@1+=ENOSPC'
start_recv --once
sends 1 tree
recv_ends 1
says send.err 'failed on the other side' 'no space left on device'
check 'no file is there' [ "$(find out -type f | wc -l)" = 0 ]

rm -rf out struck
receiver_with 'rename@1=KILL'
start_recv --once
sends 3 --retry 0 tree
code=0
wait "$RECV_PID" || code=$?
check 'the receiver was killed at its first rename' [ "$code" = 137 ]
check 'and has published nothing' [ -z "$(find out -type f -not -name '.adoc-*')" ]

rm -rf out struck
ADOC_RECV=$ADOC_BIN_DIR/adoc-recv
start_recv --once
code=0
with_faults 'pread@1=EIO;pread@2+=short:10' "$ADOC_SEND" --level 0 tree "127.0.0.1:$PORT" \
  2>send.err || code=$?
check 'a file that the sender cannot read fails alone' [ "$code" = 1 ]
recv_ends 1
says send.err 'was not sent: cannot read it: input/output error'
check 'short reads are gone on with' [ "$(find out -type f -size 5000c | wc -l)" = 2 ]

# Whichever of its looks at the hello gives less than is there.
for call in 1 2 3 4; do
  rm -rf out struck
  receiver_with "recv@$call=short:3"
  start_recv --once --insecure
  sends 0 --insecure --retry 0 tree
  recv_ends 0
  check "call $call may give 3 bytes" [ "$(find out -type f -size 5000c | wc -l)" = 3 ]
done

code=0
with_faults 'pwrite@0=EIO' "$ADOC_SEND" --version 2>/dev/null || code=$?
check 'a plan that is none is refused' [ "$code" = 125 ]

# finds SENTENCE [OPTION...]: the plans find out what the programs in $T/bin do wrong.
finds() {
  local code=0
  "$ADOC_FAULT" --bin bin --plans 15 --seed 3 --until-failed "${@:2}" >found 2>&1 || code=$?
  [[ $code == 1 ]] && grep -qF "$1" found || fail "the plans do not find: $1: $(tail -n 20 found)"
  echo "ok: the plans find: $1"
  rm bin/*
}
# program NAME: a script of standard input, in the place of that program. In it `really` runs the
# program, which ends when the script does.
program() {
  {
    printf '#!/bin/bash\nreal=%q\n' "$ADOC_BIN_DIR/$1"
    cat <<'END'
really() {
  setpriv --pdeathsig KILL -- "$real" "$@" &
  trap 'kill -TERM $!' TERM
  wait $!
  local code=$?
  ((code <= 128)) || { wait $!; code=$?; }
  return $code
}
END
    cat
  } >"bin/$1"
  chmod +x "bin/$1"
}
mkdir bin
cp "$ADOC_BIN_DIR/adoc-recv" bin
program adoc-send <<<'really "$@"; exit 0'
finds 'adoc-send ended well, but this is not there as it was sent'

cp "$ADOC_BIN_DIR/adoc-recv" bin
program adoc-send <<<'exec "$real" "$@" 2>/dev/null'
finds 'does not say why it ended with'

cp "$ADOC_BIN_DIR/adoc-recv" bin
program adoc-send <<<'exec sleep 100'
finds 'adoc-send ended with nothing, it hangs' --plans 1 --limit 1

cp "$ADOC_BIN_DIR/adoc-send" bin
program adoc-recv <<<'echo >"$2/../stray"; exec "$real" "$@"'
finds 'wrote outside of the destination: stray'

cp "$ADOC_BIN_DIR/adoc-send" bin
program adoc-recv <<<'echo tweet >>"$2/../canary/directory/file"; exec "$real" "$@"'
finds 'changed something outside of the destination: canary/directory/file'

cp "$ADOC_BIN_DIR/adoc-send" bin
program adoc-recv <<<'really "$@"; code=$?; find "$2" -type f -exec truncate -s +1 {} +; exit $code'
finds 'the destination has something else than the source'

cp "$ADOC_BIN_DIR/adoc-send" bin
program adoc-recv <<<'really "$@"; code=$?; touch "$2/.adoc-0.part"; exit $code'
finds 'ended well, but this is left over: .adoc-0.part'
