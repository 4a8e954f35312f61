# Sourced by the scripts of tests/e2e that move files. Adds to e2e.sh the verbs of a transfer.
source "$(dirname "${BASH_SOURCE[0]}")/e2e.sh"

# True where the programs are instrumented: slower, and with memory of their own.
sanitized() { [[ ${ADOC_TEST_SANITIZED:-0} == 1 ]]; }

# send ARGUMENT...: adoc-send to the receiver of start_recv; its output goes to $T/send.out and
# $T/send.err.
send() {
  "$ADOC_SEND" "$@" "127.0.0.1:$PORT" >"$T/send.out" 2>"$T/send.err"
}

# sends CODE ARGUMENT...: the same, and it ends with this code.
sends() {
  local wanted=$1 code=0
  shift
  send "$@" || code=$?
  [[ $code == "$wanted" ]] ||
    fail "exit code $code instead of $wanted: adoc-send $*: $(tail -n 5 "$T/send.err")"
}

# ends CODE [PID [SECONDS]]: the process, else that of $SENDER, ends by itself in time, or within so
# many seconds, and with this code.
ends() {
  local code=0 pid=${2:-$SENDER}
  ends_within "${3:-$PATIENCE}" "$pid" || fail "it does not end: $(what_was_said)"
  wait "$pid" || code=$?
  [[ $code == "$1" ]] || fail "exit code $code instead of $1: $(what_was_said)"
}

what_was_said() { tail -n 5 "$T"/{send,recv,cp}.err 2>/dev/null || true; }

# recv_ends CODE: so does the receiver of start_recv.
recv_ends() { ends "$1" "$RECV_PID"; }

stop_recv() {
  kill -TERM "$RECV_PID"
  recv_ends 130
}

# change_byte FILE OFFSET: one byte becomes another one, whatever it was.
change_byte() {
  python3 -c 'if True:
    import sys
    with open(sys.argv[1], "r+b") as file:
        file.seek(int(sys.argv[2]))
        was = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([was ^ 0x55]))
' "$1" "$2"
}

# ends_within SECONDS PID
ends_within() {
  local deadline=$((SECONDS + $1 + 1))
  while kill -0 "$2" 2>/dev/null && [[ $(process_state "$2") != Z ]]; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

process_state() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null || true; }

# sleeps_or_over PID PROGRAM: the process has become the program and sleeps, or it has ended.
sleeps_or_over() {
  local state
  state=$(process_state "$1")
  [[ $state == Z || -z $state ]] ||
    [[ $state == S && $(tr '\0' ' ' <"/proc/$1/cmdline") == "$2 "* ]]
}

# cut_off ARGUMENT...: adoc-send to the receiver of start_recv, which is killed as soon as some of a
# large file is there to go on with.
cut_off() {
  "$ADOC_SEND" -q --retry 0 "$@" "127.0.0.1:$PORT" >"$T/send.out" 2>"$T/send.err" &
  SENDER=$!
  eventually has_journal
  kill -KILL "$RECV_PID"
  recv_ends 137
  ends 3
}

has_journal() { [[ -n $(find "$T/out/.adoc" -name '*.journal' -size +0 2>/dev/null) ]]; }

# eventually COMMAND...: the command succeeds in time.
eventually() {
  local deadline=$((SECONDS + PATIENCE))
  until "$@"; do
    ((SECONDS < deadline)) || fail "never came true: $*"
    sleep 0.01
  done
}

# The receiver holds the directory open, so only what is in it goes.
empty_out() {
  find "$T/out" -mindepth 1 -type d -exec chmod u+rwx {} +
  find "$T/out" -mindepth 1 -delete
}

# Type, mode, time with nanoseconds, size, link target and name of all below a directory.
listing() {
  (cd "$1" && find . -mindepth 1 \( -type d -printf '%y %m %T@ %P\0' -o -printf '%y %m %T@ %s %l %P\0' \) |
    sort -z)
}

# same_trees A B: names, metadata and contents are equal.
same_trees() {
  if ! cmp -s <(listing "$1") <(listing "$2"); then
    diff -a <(listing "$1" | tr '\0' '\n') <(listing "$2" | tr '\0' '\n') >&2 || true
    return 1
  fi
  diff -r --no-dereference "$1" "$2" >&2
}

# nothing_left_over: no temporary file is in the destination, nor the directory for them.
nothing_left_over() {
  local left
  left=$(find "$T/out" -name '.adoc-*' -o -path "$T/out/.adoc")
  [[ -z $left ]] || fail "left over: $left"
}

# says FILE FRAGMENT...: one line of the file holds all fragments.
says() {
  local file=$1 lines fragment
  shift
  lines=$(cat "$file")
  for fragment in "$@"; do
    lines=$(grep -aF -e "$fragment" <<<"$lines") || fail "no line with '$*' in: $(cat "$file")"
  done
}

# figure KEY [FILE]: a number of the last JSON object that was printed.
figure() {
  tail -n 1 "${2:-$T/send.out}" | sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"
}

# figures_are KEY=NUMBER...: in what adoc-send --json printed last.
figures_are() {
  local pair
  for pair in "$@"; do
    [[ $(figure "${pair%%=*}") == "${pair#*=}" ]] || fail "not $pair: $(tail -n 1 "$T/send.out")"
  done
}

# has_open PID PATH: the process has this file or directory open.
has_open() {
  local fd
  # The programs let nobody but root look into them: who is not waits as long as it mostly takes.
  [[ -r /proc/$1/fd ]] || { sleep 0.3; return; }
  for fd in "/proc/$1/fd/"*; do
    [[ $(readlink "$fd" 2>/dev/null) != "$2" ]] || return 0
  done
  return 1
}

# peak_memory PID: in KiB, so far; nothing when the process has ended.
peak_memory() { sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null || true; }

# work_in_memory KIB: makes $T anew on a file system in memory if that much is free there, because
# some disks are slow at much data and at many flushes, and goes there. Fails if there is no room.
work_in_memory() {
  local available
  available=$(sed -n 's/^MemAvailable:[[:space:]]*\([0-9]*\).*/\1/p' /proc/meminfo)
  if ((available > $1 * 3 / 2 && $(free_kib /dev/shm) > $1)); then
    rm -rf "$T"
    T=$(mktemp -d -p /dev/shm)
  fi
  (($(free_kib "$T") > $1)) || fail "$1 KiB are needed at $T"
  cd "$T" || fail "cannot go to $T"
}

free_kib() { df --output=avail -k "$1" 2>/dev/null | tail -n 1 | grep . || echo 0; }
