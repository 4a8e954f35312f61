#!/usr/bin/env bash
# Goal: nothing is written outside of --out through a link, whoever made it and whenever, be it on a
# kernel that opens a path safely at once or on one that refuses to; a tree arrives on both.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
command -v strace >/dev/null || fail 'strace is not installed'
# The leak checker cannot work in a process that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

work_in_memory 100000
mkdir -p outside/sub tree/d/sub/deep/er
echo alive >outside/canary
for i in {1..20}; do
  echo "$i" >"tree/d/$i"
  echo "$i" >"tree/d/sub/$i"
done
echo deep >tree/d/sub/deep/er/file

# Names, modes and times; a temporary file that came and went leaves its directory's time.
outside() { find outside -printf '%p %m %C@\n' | sort; }
outside >outside.before
nothing_outside() { diff outside.before <(outside) >&2; }

# Exchanges a directory with a link that leads outside, and one below it with another, by
# descriptor, until it is ended.
cat >attack.py <<'END'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
out = os.open(sys.argv[1], os.O_PATH)
d = os.open("d", os.O_PATH, dir_fd=out)
def swap(here, one, other):
    if libc.renameat2(here, one, out, other, 2) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")
while True:
    swap(out, b"d", b"l")
    swap(out, b"d", b"l")
    swap(d, b"sub", b"k")
    swap(d, b"sub", b"k")
END

# is_confined SENTENCE: with the receiver that $ADOC_RECV says.
is_confined() {
  rm -rf out
  start_recv -q
  sends 0 tree
  check "$1: a tree arrives" same_trees tree out/tree
  rm -rf out/tree/d/sub
  ln -s "$T/outside" out/tree/d/sub
  sends 1 tree
  says send.err tree/d/sub/deep/er/file "not a directory"
  check "$1: a link that was there is not followed" nothing_outside
  check "$1: and stays" [ "$(readlink out/tree/d/sub)" == "$T/outside" ]
  rm -rf out/tree/d/sub

  sends 0 tree
  ln -s "$T/outside" out/tree/l
  ln -s "$T/outside/sub" out/tree/k
  python3 attack.py out/tree &
  local attacker=$! code hit=0 missed=0 end=$((SECONDS + 3))
  while ((SECONDS < end)); do
    code=0
    # Times that differ have every file sent.
    find tree -type f -exec touch -d "@$((1000000000 + hit + missed))" {} +
    send tree || code=$?
    case $code in
      0) missed=$((missed + 1)) ;;
      1) hit=$((hit + 1)) ;;
      *) fail "exit code $code: $(tail -n 5 send.err)" ;;
    esac
  done
  kill "$attacker" || fail 'the attack ended early'
  wait "$attacker" || true
  ((hit > 0)) || fail "no transfer of $missed met the attack"
  check "$1: nothing gets out while $((hit + missed)) transfers are attacked" nothing_outside
  stop_recv
}

strace -f -qq -o calls -e trace=openat2 "$ADOC_RECV" --out out --listen 127.0.0.1:0 --once >recv.out 2>recv.err &
RECV_PID=$!
eventually grep -q '^listening' recv.out
PORT=$(sed -n 's/.*://p;q' recv.out)
sends 0 tree
recv_ends 0
check 'a path is opened in one call' grep -q 'openat2(.*"tree/d.*RESOLVE_NO_SYMLINKS' calls
is_confined 'this kernel'

program=$ADOC_RECV
for refusal in ENOSYS EPERM; do
  printf '#!/bin/sh\nexec strace -D -f -qq -o /dev/null -e trace=openat2 -e inject=openat2:error=%s "%s" "$@"\n' \
    "$refusal" "$program" >refusing-recv
  chmod +x refusing-recv
  ADOC_RECV=$T/refusing-recv is_confined "a kernel that says $refusal"
done
