#!/usr/bin/env bash
# Goal: every command of README.md works as it is written there. What installs is run by
# tests/readme-install.sh, tests and quickstart by .ci/run; the rest here, in one go, on a machine
# that is its own `host`.
set -euo pipefail
if [[ -z ${ADOC_README_NAMESPACE:-} ]]; then
  ((EUID == 0)) || { echo 'skipped: only root can give the test a home and hosts'; exit 0; }
  ADOC_README_NAMESPACE=1 exec unshare --net --mount bash "$0" "$@"
fi
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"

# Before the home goes, in which the sources may be.
mapfile -t commands < <(sed -n 's/^    //p' "$(dirname "$0")/../../README.md")
((${#commands[@]} > 20)) || fail "README.md has ${#commands[@]} commands only"
mkdir "$T/bin" "$T/far-bin" "$T/home" "$T/here" "$T/there"
cp "$ADOC_SEND" "$ADOC_RECV" "$ADOC_CP" "$T/bin"
home=$(getent passwd "$(id -un)" | cut -d : -f 6)
# The home goes, in which the sources may be.
cp "$(dirname "$0")/../support/answer.py" "$T"

# What README.md takes for granted: a machine of that name, ssh that gets in, and files.
ip link set lo up
printf '127.0.0.1 localhost host\n' >"$T/hosts"
mount --bind "$T/hosts" /etc/hosts
there_config=$T/there-config
SSH_PATH=$T/far-bin:$PATH SSHD_SETS=XDG_CONFIG_HOME=$there_config start_sshd
at_end stop_sshd
mkdir "$T/home/.ssh" "$T/home/logs"
sed 's/^Host far$/Host host gate inner/' "$SSH_CONFIG" >"$T/home/.ssh/config"
mount --bind "$T/home" "$home"
at_end 'umount -l /etc/hosts "$home"'
# Keys and what is remembered are where a user has them.
as_user=(env -u XDG_CONFIG_HOME -u XDG_CACHE_HOME HOME="$home" PATH="$T/bin:$PATH")
printf '#!/bin/sh\necho "CREATE TABLE $1 (name TEXT);"\n' >"$T/bin/pg_dump"
chmod +x "$T/bin/pg_dump"
for name in one two; do echo "$name" >"$home/logs/$name.log"; done
cd "$T/here"
mkdir photos src
head -c 3000000 /dev/urandom >photos/sea.jpeg
seq 100000 >report.tar
touch -d '2026-01-01 UTC' report.tar
printf 'int main() {}\n' | tee src/main.c >src/main.o

for command in "${commands[@]}"; do
  case $command in
    'sudo '* | 'cmake '* | packaging/quickstart.sh\ * | tests/run.sh\ *) continue ;;
    "processors' price"*) continue ;;  # a formula
    adoc-recv\ *)
      : >"$T/recv.out"
      (cd "$T/there" && XDG_CONFIG_HOME=$there_config PATH=$T/bin:$PATH \
        exec bash -c "exec $command") </dev/null >"$T/recv.out" 2>"$T/recv.err" &
      eventually grep -q 'listening on' "$T/recv.out"
      ;;
    'adoc-send --save-key host '*)
      check "$command" "${as_user[@]}" python3 "$T/answer.py" 'the key of' \
        "$(<"$there_config/adoc/key")" bash -c "$command"
      ;;
    *) check "$command" "${as_user[@]}" bash -o pipefail -c "$command" </dev/null ;;
  esac
  # Only now, so that --bootstrap had something to do.
  [[ $command != *--bootstrap* ]] || cp "$T/bin/"adoc-* "$T/far-bin"
done

check 'trees arrive by adoc-cp' diff -r photos "$home/photos"
check 'under another name, too' cmp src/main.c "$home/work/main.c"
check 'with its modes and times' same_trees src "$home/src"
check 'files' cmp report.tar "$home/report.tar"
check 'what a pattern names comes' cmp one.log "$home/logs/one.log"
inbox=$T/there/inbox
check 'trees arrive by adoc-send' same_trees photos "$inbox/photos"
check 'what is in a directory' cmp photos/sea.jpeg "$inbox/sea.jpeg"
check 'a stream' [ "$(tar -tf "$inbox/src.tar" | sort | tr '\n' ' ')" == 'src/ src/main.c src/main.o ' ]
check 'a list' cmp src/main.c "$inbox/src/main.c"
check 'what a data base says' grep -q 'CREATE TABLE shop' "$inbox/shop-$(date +%F).sql"
check 'a backup' diff -r src "$home/backup"
