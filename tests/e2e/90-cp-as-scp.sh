#!/usr/bin/env bash
# Goal: a script that says scp works with adoc-cp in its place. Each case is done by both in the
# same small world: then the same files are there, with the same contents, modes and kinds, and
# both succeeded or both failed. Where adoc-cp is better on purpose, the case says so.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/sshd.sh"

if [[ -z ${IN_MOUNT_NAMESPACE:-} || $EUID != 0 ]]; then
  echo 'skipped: this user may not make a mount namespace, and the home of the user is not touched'
  exit 0
fi

cd "$T"
# Home over there is in the world, so that what is relative to it is, too.
world=$T/world
export HOME=$world/home
echo "root:x:0:0::$world/home:/bin/bash
sshd:x:$(id -u sshd 2>/dev/null || echo 65534):65534::/run/sshd:/usr/sbin/nologin" >passwd
mount --bind passwd /etc/passwd
at_end 'umount -l /etc/passwd'
at_end 'stop_sshd'
mkdir -p "$world/home"
SSHD_SETS=HOME=$HOME
start_sshd

make_world() {
  rm -rf "$world"
  mkdir -p "$world/home" "$world/here"
  cd "$world/here"
  printf 'one\n' >one
  printf 'two\n' >two
  chmod 640 two
  mkdir -p tree/deep tree/empty
  printf 'deep\n' >tree/deep/file
  printf 'x\n' >tree/run
  chmod 755 tree/run
  ln -s run tree/link
  printf 'far one\n' >"$world/home/far1"
  printf 'far two\n' >"$world/home/far2"
  mkdir -p "$world/home/dir" "$world/home/fartree/sub"
  printf 'in\n' >"$world/home/dir/in"
  printf 'sub\n' >"$world/home/fartree/sub/file"
  find "$world" -type f -exec touch -d '2020-01-02 03:04:05' {} +
}

# Kind, mode, link target and name; times of files where both keep them.
shape() {
  local time=
  [[ $1 != times ]] || time='%T@ '
  (cd "$world" && find . -mindepth 1 -name .adoc -prune -o \
    \( -type f -printf "%y %m $time%P\n" \
    -o -type l -printf '%y %l %P\n' -o -printf '%y %m %P\n' \) | sort)
}

# same TITLE SETUP ARGUMENT...: SETUP is run in the world first.
times=no only=all cases=0
same() {
  local title=$1 setup=$2 tool code
  shift 2
  cases=$((cases + 1))
  # Instrumented programs take their time: some of the cases do.
  ! sanitized || ((cases % 6 == 1)) || return 0
  for tool in scp cp; do
    make_world
    eval "$setup"
    cd "$world/here"
    code=0
    if [[ $tool == scp ]]; then
      scp -F "$SSH_CONFIG" "$@" >"$T/scp.log" 2>&1 </dev/null || code=$?
    else
      "$ADOC_BIN_DIR/adoc-cp" -F "$SSH_CONFIG" "$@" >"$T/cp.log" 2>&1 </dev/null || code=$?
    fi
    chmod -R u+rwx "$world"
    # Made read-only, whoever reads it later must be able to.
    ((code == 0)) && code=success || code=failure
    shape "$times" >"$T/$tool.shape"
    rm -rf "$T/$tool.world"
    cp -a "$world" "$T/$tool.world"
    echo "$code" >"$T/$tool.code"
  done
  cd "$T"
  cmp -s scp.code cp.code ||
    differs "$title" "scp: $(cat scp.code), adoc-cp: $(cat cp.code): $(cat scp.log) / $(cat cp.log)"
  cmp -s scp.shape cp.shape || differs "$title" "$(diff -a scp.shape cp.shape) / $(cat cp.log)"
  diff -r --no-dereference -x .adoc scp.world cp.world >diff.log ||
    differs "$title" "$(cat diff.log)"
}

# better TITLE CODE WHAT ARGUMENT...: scp stops or fails there; adoc-cp ends with this code, and
# WHAT is true in the world.
better() {
  local title=$1 wanted=$2 what=$3 code=0
  shift 3
  make_world
  "$ADOC_BIN_DIR/adoc-cp" -F "$SSH_CONFIG" "$@" >"$T/cp.log" 2>&1 </dev/null || code=$?
  [[ $code == "$wanted" ]] || differs "$title" "$code instead of $wanted: $(cat "$T/cp.log")"
  eval "$what" || differs "$title" "$(shape no)"
  cd "$T"
}

differing=0
differs() {
  echo "$1: $2" >&2
  differing=$((differing + 1))
}

# To there: what the destination means.
same 'into the home directory' '' one far:
same 'into the home directory, with a dot' '' one far:.
same 'a new name' '' one far:new
same 'an absolute name' '' one "far:$world/home/new"
same 'a name below a directory' '' one far:dir/new
same 'into a directory' '' one far:dir
same 'into a directory with a slash' '' one far:dir/
same 'over a file' '' one far:far1
same 'into a link to a directory' 'ln -s dir ~/ln' one far:ln
same 'over a link to a file' 'ln -s far1 ~/ln' one far:ln
same 'below a directory that is missing' '' one far:missing/new
same 'below a file' '' one far:far1/new
same 'a new name with a slash' '' one far:new/
same 'a new name with slashes below a directory' '' one far:dir/new//
same 'a link to a new name with a slash' 'ln -s one ln' ln far:new/
same 'over a file with a slash' '' one far:far1/
same 'home by tilde' '' one 'far:~/new'
same 'a URI' '' one scp://far/new
same 'a URI with an absolute path' '' one "scp://far/$world/home/new"
same 'several into a directory' '' one two far:dir
same 'several into home' '' one two far:
same 'several over a file' '' one two far:far1
better 'several to what is missing' 0 'cmp two ~/missing/two' one two far:missing
better 'a missing one among good ones' 1 'cmp two ~/dir/two' one missing two far:dir
same 'all missing' '' missing far:dir
same 'a directory without -r' '' tree far:
same 'a directory without -r among files' '' one tree two far:dir
same 'an empty file' ': >empty' empty far:
# Trees.
same 'a tree into home' '' -r tree far:
same 'a tree to a new name' '' -r tree far:new
same 'a tree into a directory' '' -r tree far:dir
same 'a tree with a slash' '' -r tree/ far:dir
same 'the contents of a tree' '' -r tree/. far:dir
same 'here as a whole' '' -r . far:dir
same 'a tree onto its like' 'mkdir -p ~/tree/deep; echo old >~/tree/deep/file' -r tree far:
same 'a tree and a file' '' -r tree one far:dir
better 'a tree to a new name with a slash' 0 'cmp tree/deep/file ~/new/deep/file' -r tree far:new/
same 'a tree over a file' '' -r tree far:far1
same 'a file over a directory in a tree' 'mkdir -p ~/tree/run' -r tree far:
same 'a link to a file is followed' 'ln -s one ln' ln far:
same 'a link to a directory is followed' 'ln -s tree ln' -r ln far:
# Names.
same 'a name with a space' 'echo s >"a b"' 'a b' 'far:c d'
same 'a name with a quote' "echo q >\"it's\"" "it's" far:
same 'a name with a double quote and a dollar' "echo q >'a\"\$b'" 'a"$b' far:
same 'a name with a star' "echo q >'a*b'" 'a*b' far:
same 'a name with a backslash' "echo q >'a\\b'" 'a\b' far:
same 'a name with a colon, as a path' 'echo c >a:b' ./a:b far:
same 'a name with a newline' "echo n >\$'a\\nb'" $'a\nb' far:
same 'a name with a leading dash' 'echo d >-d' -- -d far:
same 'a name that is no text' "echo b >\$'\\xff\\xfe'" $'\xff\xfe' far:
same 'a hidden name' 'echo h >.hidden' .hidden far:
# From there.
same 'a file from there' '' far:far1 .
same 'a file from there to a new name' '' far:far1 new
same 'a file from there over a file' '' far:far1 one
same 'a file from there into a directory' '' far:far1 tree/deep
same 'an absolute file from there' '' "far:$world/home/far1" new
same 'several from there' '' far:far1 far:far2 tree
same 'several from there to what is missing' '' far:far1 far:far2 missing
same 'a pattern' '' 'far:far[12]' tree
same 'a pattern with a star' '' 'far:*1' .
same 'a pattern that matches nothing' '' 'far:nothing*' .
same 'a name with a star, from there' "echo q >~/'a*b'" 'far:a\*b' .
same 'a name with a space, from there' 'echo s >~/"a b"' 'far:a b' .
same 'a tree from there' '' -r far:fartree .
same 'a tree from there to a new name' '' -r far:fartree new
same 'a tree from there without -r' '' far:fartree .
same 'the contents of a tree from there' '' -r far:fartree/. tree
same 'home from there' '' -r far:dir/.. new
same 'missing from there' '' far:missing .
same 'missing among good ones from there' '' far:far1 far:missing far:far2 tree
same 'below a missing directory here' '' far:far1 missing/new
same 'tilde from there' '' 'far:~/far1' new
same 'a file from there to a new name with a slash' '' far:far1 new/
better 'a tree from there to a new name with a slash' 0 'cmp ~/fartree/sub/file new/sub/file' \
  -r far:fartree new/
# Elsewhere.
same 'between two others, through here' '' -3 far:far1 other:new
same 'a tree between two others' '' -3 -r far:fartree other:new
same 'here to here' '' one new
same 'here to a new name here with a slash' '' one new/
same 'a tree here to a new name here with a slash' '' -r tree new/
same 'between two others, to a new name with a slash' '' -3 far:far1 other:new/
better 'directly between two others, to a new name with a slash' 7 '[[ ! -e ~/new ]]' \
  far:far1 other:new/
same 'from two machines and here' '' one far:far1 other:far2 tree
same 'a host that is not there' '' -o ConnectTimeout=2 one 'nobody@127.0.0.1:'
same 'options of scp that mean nothing here' '' -C -O -T -q one far:new
same 'options that go to ssh' '' -4 -B -o Compression=yes -c aes128-ctr \
  -S "$(command -v ssh)" one far:new
same 'a limit' '' -l 80000 one far:new
same 'a jump' '' -J other one far:new
times="times"
same 'with times and modes' '' -p one two far:
same 'a tree with times and modes' '' -rp tree far:
same 'with times and modes from there' '' -p far:far1 new
check "adoc-cp does $cases cases as scp does" [ "$differing" = 0 ]
