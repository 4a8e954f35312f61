#!/usr/bin/env bash
# Goal: what is lacking for one connection or one file ends neither the receiver nor what else it is
# busy with: descriptors, a network that goes down under accept(), `ulimit -f`.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
command -v strace >/dev/null || fail 'strace is not installed'
# The leak checker cannot work in a process that is traced.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

strangers=$(cd "$(dirname "$0")/../support" && pwd)/strangers.py
cd "$T"
seq 1 20000 >file

# start_limited LIMIT...: as start_recv, of a receiver with these limits of ulimit.
start_limited() {
  local ordinary=$ADOC_RECV
  printf '#!/usr/bin/env bash\nulimit %s\nexec "%s" "$@"\n' "$*" "$ordinary" >limited
  chmod +x limited
  ADOC_RECV=$T/limited
  start_recv --min-free 0
  ADOC_RECV=$ordinary
}

# A connection takes two: one of these limits leaves one for the last that comes.
for limit in 61 62; do
  start_limited -n $limit
  python3 "$strangers" "$PORT" holds 60 >held.out &
  held=$!
  eventually grep -q here held.out
  check "$limit descriptors, 60 strangers: it lives" kill -0 "$RECV_PID"
  kill "$held"
  wait "$held" 2>/dev/null || true
  rm -rf out/file
  sends 0 file
  check 'and serves the next' cmp file out/file
  stop_recv
done

# What befell one connection before it was accepted, as accept(2) lists it, and what passes.
for errno in ENETDOWN EPROTO ENOPROTOOPT EHOSTDOWN ENONET EHOSTUNREACH EOPNOTSUPP ENETUNREACH EPERM \
             ECONNABORTED ENOBUFS ENOMEM EMFILE; do
  cat >unlucky <<END
#!/bin/sh
exec strace -f -qq -o /dev/null -e trace=accept4 -e inject=accept4:error=$errno:when=1..2 "$ADOC_BIN_DIR/adoc-recv" "\$@"
END
  chmod +x unlucky
  rm -rf out
  ADOC_RECV=$T/unlucky start_recv --once
  sends 0 file
  recv_ends 0
  check "accept: $errno" cmp file out/file
done

# Files above the limit fail, the others arrive, beside them and afterwards.
mkdir tree
head -c 3000000 /dev/urandom >tree/long
head -c 150000 /dev/urandom >tree/longish
for i in {1..5}; do echo "$i" >tree/"$i"; done
truncate -s 5M tree/hole
start_limited -f 100
sends 1 tree
for name in long longish hole; do
  says send.err "tree/$name" 'ile too large'
  check "$name is not there" [ ! -e "out/tree/$name" ]
done
check 'the small ones are' diff <(ls out/tree) <(seq 1 5)
nothing_left_over
# The sender remembers what it learned of the link, where it can.
# ThreadSanitizer writes a file before main(), and would be ended by the signal there.
ignoring=()
[[ ${ADOC_TEST_SANITIZED:-0} != 1 ]] || ignoring=(env --ignore-signal=XFSZ)
limited_sender() { (ulimit -f 0 && "${ignoring[@]}" "$ADOC_SEND" -q file "127.0.0.1:$PORT"); }
rm -rf "$XDG_CACHE_HOME"
seq 1 10000 >file
check 'a sender with that limit sends' limited_sender
check 'and it arrives' cmp file out/file
stop_recv
