#!/usr/bin/env bash
# Goal: bash, zsh and fish complete each option that --help has, the values of those that have a
# choice, file names, hosts as ssh's configuration names them, and what is on another machine.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"
source "$(dirname "$0")/../support/options.sh"
source "$(dirname "$0")/../support/sshd.sh"

support=$(cd "$(dirname "$0")/../support" && pwd)
completions=$(cd "$(dirname "$0")/../../packaging/completions" && pwd)
cd "$T"
mkdir -p home/.ssh dir
touch file-of-mine
printf 'Host builder.test\n  Port 22\nHost second.test\n' >home/.ssh/config

# The shells run ssh as it is in PATH, and it looks for its configuration in no other home.
start_sshd
at_end stop_sshd
mkdir bin functions over-there "over-there/a folder"
touch over-there/afar
printf '#!/bin/sh\nexec %q -F %q "$@"\n' "$(command -v ssh)" "$SSH_CONFIG" >bin/ssh
chmod +x bin/ssh
export PATH=$T/bin:$ADOC_BIN_DIR:$PATH
cp "$completions/adoc.zsh" functions/_adoc

# completed WORD...: what bash has for the last of them, one a line.
completed() {
  HOME=$T/home bash --norc -c '
    source /usr/share/bash-completion/bash_completion
    source "$1/adoc.bash"
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
    COMP_LINE=$* COMP_LINE=${COMP_LINE// = /=} COMP_POINT=${#COMP_LINE} COMPREPLY=()
    _adoc "$1" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]% }"
  ' bash "$completions" "$@" 2>home/err || fail "bash: $(cat home/err)"
}

# fish_completed LINE: what fish has for the end of it, one a line, without the descriptions.
fish_completed() {
  HOME=$T/home fish --no-config -c \
    'source $argv[1]; complete -C $argv[2]' "$completions/adoc.fish" "$1" 2>home/err |
    cut -f 1 || fail "fish: $(cat home/err)"
}

zsh_completed() { HOME=$T/home timeout 20 zsh "$support/zsh_completed.zsh" "$T/functions" "$1"; }

# completes_in SHELL WANTED LINE: WANTED is among what SHELL, fish or zsh, completes LINE to.
completes_in() {
  local answers
  answers=$("$1_completed" "$3")
  grep -qxF -e "$2" <<<"$answers" || fail "$1: '$3' is not completed to $2 but to: $answers"
}

# completes WANTED WORD...: WANTED is among what the last word is completed to.
completes() {
  local wanted=$1 answers
  shift
  answers=$(completed "$@")
  grep -qxF -e "$wanted" <<<"$answers" || fail "'$*' is not completed to $wanted but to: $answers"
}

# same_options SHELL ANSWERS: they are the options of $program, all of them and no other.
same_options() {
  local differences
  differences=$(diff <(sort -u <<<"$options") <(sed 's/=$//' <<<"$2" | sort -u)) ||
    fail "$1, $program: $differences"
}
for program in "$ADOC_SEND" "$ADOC_RECV" "$ADOC_CP"; do
  answers=$(completed "$program" -)
  options=$(options_of "$program")
  fish_answers=$(fish_completed "${program##*/} -"; fish_completed "${program##*/} --")
  zsh_answers=$(zsh_completed "${program##*/} -"; zsh_completed "${program##*/} --")
  same_options bash "$answers"
  same_options fish "$fish_answers"
  same_options zsh "$zsh_answers"
  echo "ok: each option of $(basename "$program") is completed, and nothing else"
  completes warn "$program" --log-level w
  completes always "$program" --progress ''
done
for policy in auto adoc selective fixed; do completes "$policy" "$ADOC_SEND" --policy ''; done
for ladder in auto zlib zstd lz4; do completes "$ladder" "$ADOC_SEND" --ladder ''; done
for dtype in int8 uint8 int64 float16 bfloat16 float64 complex128; do
  completes "$dtype" "$ADOC_CP" --dtype ''
done
completes abs: "$ADOC_SEND" --lossy a
completes selective "$ADOC_SEND" --policy = s
completes builder.test "$ADOC_SEND" file-of-mine b
completes second.test "$ADOC_SEND" --save-key ''
completes file-of-mine "$ADOC_SEND" f
completes file-of-mine "$ADOC_SEND" --files-from f
completes direct "$ADOC_CP" --via d
completes builder.test: "$ADOC_CP" file-of-mine b
completes dir "$ADOC_RECV" --out ''
check 'where a directory is wanted no file is offered' \
  [ "$(completed "$ADOC_RECV" --out file)" = '' ]
check 'an operand of adoc-recv is nothing' [ "$(completed "$ADOC_RECV" '')" = '' ]

# The same of both; a directory has its slash in fish alone.
for shell in fish zsh; do
  completes_in $shell direct 'adoc-cp --via '
  completes_in $shell warn 'adoc-recv --log-level w'
  completes_in $shell selective 'adoc-send --policy '
  completes_in $shell zstd 'adoc-send --ladder '
  for dtype in int8 uint64 bfloat16 float32 complex128; do
    completes_in $shell $dtype 'adoc-send --dtype '
  done
  completes_in $shell abs: 'adoc-send --lossy '
  completes_in $shell always 'adoc-send --progress '
  completes_in $shell builder.test 'adoc-send file-of-mine b'
  completes_in $shell second.test 'adoc-send --save-key s'
  completes_in $shell file-of-mine 'adoc-send f'
  completes_in $shell file-of-mine 'adoc-send --files-from f'
done
completes_in fish builder.test: 'adoc-cp file-of-mine b'
completes_in zsh builder.test 'adoc-cp file-of-mine b'
completes_in fish --policy=selective 'adoc-send --policy=s'
completes_in zsh selective 'adoc-send --policy=s'
completes_in fish dir/ 'adoc-recv --out d'
completes_in zsh dir 'adoc-recv --out d'
check 'fish: an operand of adoc-recv is nothing' [ "$(fish_completed 'adoc-recv ')" = '' ]

completes "$T/over-there/afar" "$ADOC_CP" "far:$T/over-there/a"
completes "$T/over-there/a\\\\\\ folder/" "$ADOC_CP" "far:$T/over-there/a"
completes_in fish "far:$T/over-there/afar" "adoc-cp far:$T/over-there/a"
completes_in fish "far:$T/over-there/a folder/" "adoc-cp far:$T/over-there/a"
completes_in zsh afar "adoc-cp far:$T/over-there/a"
completes_in zsh 'a\ folder' "adoc-cp far:$T/over-there/a"
check 'a host that is not there is completed to nothing' \
  [ "$(completed "$ADOC_CP" nowhere.invalid:a)" = '' ]
