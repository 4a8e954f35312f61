#!/usr/bin/env bash
# Goal: a far disk that is full or read-only, also one here, fails what does not fit, in words that
# say so, and nothing else; a login that is slow leaves the data its own connection; a password is
# asked for by ssh on the terminal; and -J goes through another sshd.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
support=$(cd "$(dirname "$0")/../support" && pwd)
source "$support/cp.sh"
[[ -n ${IN_MOUNT_NAMESPACE:-} ]] || skip 'no file system can be mounted here'

cd "$T"
mkdir far out
start_far

# A disk of 2 MB. $T/out is there for both sides, as both are this machine.
mount_out size=2m
mkdir tree
head -c 300000 /dev/urandom >tree/a
head -c 4000000 /dev/urandom >tree/b
head -c 300000 /dev/urandom >tree/c
for way in ssh direct; do
  for side in there here; do
    if [[ $side == there ]]; then
      cp_ends 1 --via "$way" -r tree "far:$T/out"
    else
      cp_ends 1 --via "$way" -r "far:$T/tree" out
    fi
    check "a full disk $side, by $way, is told" says cp.err tree/b space
    check 'and not that some of it is kept free' eval "! grep -q 'kept free\|min-free' cp.err"
    check 'what fits is there' cmp tree/a out/tree/a
    check 'behind what does not, too' cmp tree/c out/tree/c
    check 'nothing of what does not fit' [ ! -e out/tree/b ]
    check 'and nothing is left over' [ ! -e out/.adoc ]
    rm -rf out/tree
  done
done
mount -o remount,ro "$T/out"
for side in there here; do
  code=0
  if [[ $side == there ]]; then
    timeout 60 "$ADOC_CP" -F "$SSH_CONFIG" -r tree "far:$T/out" >cp.out 2>cp.err </dev/null || code=$?
  else
    timeout 60 "$ADOC_CP" -F "$SSH_CONFIG" -r "far:$T/tree" out >cp.out 2>cp.err </dev/null || code=$?
  fi
  check "a read-only disk $side fails" [ "$code" -gt 0 ]
  grep -qi 'read-only' cp.err || fail "a read-only disk $side: $(cat cp.err)"
done

# Whoever takes long to log in, and whose shell takes long to start, is not behind a firewall.
head -c 2000000 /dev/urandom >data
cat >bin/slow <<END
#!/bin/sh
sleep 1.2
exec adoc-cp "\$@"
END
chmod +x bin/slow
cp_ends 0 -v --far-program slow data "far:$T/far/late" \
  -o "ProxyCommand sh -c 'sleep 1.2; exec python3 $support/cutting_relay.py $SSH_PORT there 100000000'"
check 'a slow login arrives' cmp data far/late
check 'by a connection of its own' grep -q 'of its own' cp.err
stop_sshd

# Two machines, each with keys of its own: the second is told in the configuration of the first.
SSHD_HOME=$T/gate start_sshd
gate_pid=$SSHD_PID
at_end 'kill "$gate_pid"'
gate_log=$SSH_LOG
gate_config=$SSH_CONFIG
SSHD_HOME=$T/behind start_sshd
{
  sed 's/^Host far$/Host gate/' "$gate_config" | sed -n '/^Host gate$/,/Port/p'
  printf '  IdentityFile %s\n' "$T/gate/user_key"
  cat "$SSH_CONFIG"
} >two.config
cp_ends 0 -F two.config -J gate --via ssh -r tree "far:$T/far"
check 'through a gate a tree arrives' diff -r tree far/tree
check 'by the sshd of the gate' grep -q 'Accepted publickey' "$gate_log"
cp_ends 0 -F two.config -J gate "far:$T/data" far/back
check 'and something comes back' cmp data far/back

# A password, by a shadow file of the test's own that this sshd alone sees.
((EUID == 0)) || skip 'only root can give an sshd a password'
stop_sshd
password='correct horse'
hash=$(openssl passwd -6 "$password")
awk -F : -v OFS=: -v hash="$hash" '$1 == "root" { $2 = hash; $3 = 19000; $5 = 99999; $8 = "" } 1' \
  /etc/shadow >shadow
chmod 600 shadow
cat >with_password <<END
#!/bin/sh
mount --bind "$T/shadow" /etc/shadow && exec "\$@"
END
chmod +x with_password
SSHD_HOME=$T/asks SSHD_PREFIX="unshare --mount $T/with_password" \
  SSHD_OPTIONS='-o PasswordAuthentication=yes' start_sshd
check 'ssh asks for a password on the terminal' \
  timeout 60 python3 "$support/answer.py" "password:" "$password" "$ADOC_CP" -F "$SSH_CONFIG" \
  -o PubkeyAuthentication=no data "far:$T/far/asked"
check 'and it arrives' cmp data far/asked
check 'by that password' grep -q 'Accepted password' "$SSH_LOG"
cp_ends 3 -B -o PubkeyAuthentication=no data "far:$T/far/refused"
check 'with -B nothing is asked' grep -q 'ssh cannot log in' cp.err
