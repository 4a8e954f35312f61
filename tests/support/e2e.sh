# Sourced by the scripts of tests/e2e. Gives $ADOC_SEND and $ADOC_RECV (from $ADOC_BIN_DIR), a
# directory $T that is removed at the end, and the verbs below. Whatever a script starts in the
# background is ended with it. The programs encrypt, with a key of the script's own: that of whoever
# runs it is neither seen nor touched.

: "${ADOC_BIN_DIR:?the directory with adoc-send and adoc-recv}"
ADOC_SEND=$ADOC_BIN_DIR/adoc-send
ADOC_RECV=$ADOC_BIN_DIR/adoc-recv
ADOC_CP=$ADOC_BIN_DIR/adoc-cp
T=$(mktemp -d)
XDG_CONFIG_HOME=$(mktemp -d)
KEY_FILE=$XDG_CONFIG_HOME/adoc/key
export XDG_CONFIG_HOME
# What one test learns of the loopback link is not for the next.
export XDG_CACHE_HOME=$XDG_CONFIG_HOME/cache
unset ADOC_KEY
export LC_ALL=C.UTF-8

# What takes more seconds hangs. Instrumented programs on a busy machine take many times as long as
# others do.
PATIENCE=20
[[ ${ADOC_TEST_SANITIZED:-0} != 1 ]] || PATIENCE=80

# at_end COMMAND: run at the end of the script, whatever its outcome, which it does not change; the
# latest first. A trap of a script's own would lose the outcome, or skip the rest of the end.
AT_END=()
at_end() { AT_END=("$1" "${AT_END[@]}"); }

end_of_script() {
  local code=$? jobs command
  set +e
  for command in "${AT_END[@]}"; do eval "$command"; done
  jobs="$(jobs -p) ${ALSO_KILLED:-}"
  # shellcheck disable=SC2086 # one word for each process
  [[ $jobs == ' ' ]] || kill -KILL $jobs 2>/dev/null || true
  wait 2>/dev/null || true
  # Directories that a test made unwritable.
  chmod -R u+rwx "$T" 2>/dev/null || true
  rm -rf "$T" "$XDG_CONFIG_HOME"
  exit "$code"
}
trap end_of_script EXIT

# Not where a caller may have sent standard error.
exec 9>&2
fail() {
  echo "FAILED: $*" >&9
  exit 1
}

# skip WHY: ends the script so that ctest reports it as skipped; what has to pass in CI is run
# there.
skip() {
  [[ ${CI:-} != true ]] || fail "cannot be left out in CI: $*"
  echo "SKIPPED: $*"
  exit 77
}

# check SENTENCE COMMAND...: the command succeeds, or the script ends.
check() {
  local sentence=$1
  shift
  "$@" || fail "$sentence ($*)"
  echo "ok: $sentence"
}

# empty FILE: nothing is in it, or what is in it is shown.
empty() { [[ ! -s $1 ]] || ! head -c 2000 "$1" >&9; }

# expect_exit CODE COMMAND...: the command ends with exactly this code.
expect_exit() {
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  [[ $code == "$wanted" ]] || fail "exit code $code instead of $wanted: $*"
}

# start_recv [OPTION...]: adoc-recv for $T/out on a free port, in the background; it can be reached
# when this returns. Sets $PORT and $RECV_PID; its output goes to $T/recv.out and $T/recv.err.
start_recv() {
  : >"$T/recv.out"
  : >"$T/recv.err"
  "$ADOC_RECV" --out "$T/out" --listen 127.0.0.1:0 "$@" >>"$T/recv.out" 2>>"$T/recv.err" &
  RECV_PID=$!
  local line= deadline=$((SECONDS + PATIENCE))
  until line=$(grep -m 1 '^listening on ' "$T/recv.out"); do
    kill -0 "$RECV_PID" 2>/dev/null || fail "adoc-recv ended early: $(cat "$T/recv.err")"
    ((SECONDS < deadline)) || fail 'adoc-recv does not say where it listens'
    sleep 0.01
  done
  PORT=${line##*:}
}
