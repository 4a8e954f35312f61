#!/usr/bin/env bash
# Goal: the far side of a copy, all of its threads, is held by the kernel before a byte of the data
# moves: one that sends reads what was asked for and changes nothing, one that receives stays below
# the destination, neither runs a program nor opens a socket. Tried from within and looked at from
# outside.
set -euo pipefail
source "$(dirname "$0")/../support/cp.sh"

: "${ADOC_BREAK_OUT:?the library that tries}"
if sanitized; then
  echo 'skipped: what sanitizers need is allowed in their builds, and they bear no other library'
  exit 0
fi
cd "$T"
mkdir asked elsewhere here
start_far
head -c 300000 /dev/urandom >asked/file
echo secret >elsewhere/secret
cat >bin/entered <<END
#!/bin/sh
echo \$\$ >"$T/pid"
export ADOC_ATTEMPTS="$T/attempts" ADOC_SECRET="$T/elsewhere/secret" ADOC_ELSEWHERE="$T/elsewhere"
ADOC_ASKED=\$(cat "$T/asked-for") ADOC_NEW=\$(cat "$T/new") LD_PRELOAD="$ADOC_BREAK_OUT"
export ADOC_ASKED ADOC_NEW LD_PRELOAD
exec "$ADOC_CP" "\$@"
END
chmod +x bin/entered

is_stopped() { [[ -s pid && $(process_state "$(cat pid)") == T ]]; }
# attempt WHAT OUTCOME
attempt() { grep -qxF "$1: $2" attempts || fail "not '$1: $2' in: $(cat attempts)"; }

# enter FROM TO [OPTION...]: copies while somebody is in the far side, who is looked at from
# outside.
enter() {
  rm -f pid attempts
  timeout 60 "$ADOC_CP" -F "$SSH_CONFIG" --far-program entered "${@:3}" "$1" "$2" \
    </dev/null >cp.out 2>cp.err &
  local copy=$! status
  eventually is_stopped
  for status in "/proc/$(cat pid)/task/"*/status; do
    check 'a thread has no way to privileges' grep -q '^NoNewPrivs:[[:space:]]*1$' "$status"
    check 'a thread is filtered' grep -q '^Seccomp:[[:space:]]*2$' "$status"
  done
  kill -CONT "$(cat pid)"
  wait "$copy" || fail "the copy ended with $?: $(cat cp.err)"
  attempt 'be confined' 'done'
  attempt 'run /bin/true' refused
  attempt 'open a socket' refused
}
# The kernel of this machine may lack Landlock, or the version of use; then the rest holds.
landlock=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))')
echo "Landlock of this kernel: $landlock"
has_landlock() { ((landlock >= 2)); }

for way in ssh auto; do
  echo "$T/asked/file" >asked-for
  echo "$T/asked/new" >new
  enter "far:$T/asked/file" here/pulled --via "$way"
  check 'it arrives' cmp asked/file here/pulled
  attempt "read $T/asked/file" 'done'
  if has_landlock; then
    attempt "read $T/elsewhere/secret" refused
    attempt "list $T/elsewhere" refused
    attempt "change $T/asked/file" refused
    attempt "make $T/asked/new" refused
  fi
  rm -f asked/new
  enter "far:$T/asked" here --via "$way" -r --links
  check 'a tree arrives' diff -r asked here/asked
  attempt "read $T/asked/file" 'done'
  if has_landlock; then
    attempt "read $T/elsewhere/secret" refused
    attempt "change $T/asked/file" refused
    attempt "make $T/asked/new" refused
  fi
  rm -rf asked/new here/asked
done

# Links in a tree may lead anywhere: all can be read then, and nothing changed.
ln -s ../elsewhere/secret asked/link
enter "far:$T/asked" here -r
check 'what a link leads to arrives' cmp elsewhere/secret here/asked/link
attempt "read $T/elsewhere/secret" 'done'
if has_landlock; then
  attempt "change $T/asked/file" refused
  attempt "make $T/asked/new" refused
fi
check 'nothing was changed' [ "$(cat elsewhere/secret)" = secret ]

# The names of owners are in files that may be read for that.
if ((EUID == 0)); then
  chown 1:2 asked/file
  enter "far:$T/asked" kept -a
  attempt "read $T/asked/file" 'done'
  ! has_landlock || attempt "read $T/elsewhere/secret" refused
  check 'owners are kept' [ "$(stat -c %u:%g kept/file)" = 1:2 ]
fi

# One that receives.
mkdir there
echo "$T/elsewhere/new" >new
enter asked/file "far:$T/there"
check 'it arrives there' cmp asked/file there/file
if has_landlock; then
  attempt "read $T/asked/file" refused
  attempt "list $T/elsewhere" refused
  attempt "make $T/elsewhere/new" refused
fi
