#!/usr/bin/env bash
# Goal: bash and fish complete each option that --help has, the values of those that have a choice,
# file names, and hosts as ssh's configuration names them.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"

completions=$(cd "$(dirname "$0")/../../packaging/completions" && pwd)
cd "$T"
mkdir -p home/.ssh dir
touch file-of-mine
printf 'Host builder.test\n  Port 22\nHost second.test\n' >home/.ssh/config

# completed WORD...: what bash has for the last of them, one a line.
completed() {
  HOME=$T/home bash --norc -c '
    source /usr/share/bash-completion/bash_completion
    source "$1/adoc.bash"
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9
    COMP_LINE=$* COMP_LINE=${COMP_LINE// = /=} COMP_POINT=${#COMP_LINE} COMPREPLY=()
    _adoc "$1" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
  ' bash "$completions" "$@" 2>home/err || fail "bash: $(cat home/err)"
}

# fish_completed LINE: what fish has for the end of it, one a line, without the descriptions.
fish_completed() {
  HOME=$T/home PATH=$ADOC_BIN_DIR:$PATH fish --no-config -c \
    'source $argv[1]; complete -C $argv[2]' "$completions/adoc.fish" "$1" 2>home/err |
    cut -f 1 || fail "fish: $(cat home/err)"
}

# fish_completes WANTED LINE
fish_completes() {
  local answers
  answers=$(fish_completed "$2")
  grep -qxF -e "$1" <<<"$answers" || fail "fish: '$2' is not completed to $1 but to: $answers"
}

# completes WANTED WORD...: WANTED is among what the last word is completed to.
completes() {
  local wanted=$1 answers
  shift
  answers=$(completed "$@")
  grep -qxF -e "$wanted" <<<"$answers" || fail "'$*' is not completed to $wanted but to: $answers"
}

for program in "$ADOC_SEND" "$ADOC_RECV" "$ADOC_CP"; do
  answers=$(completed "$program" -)
  options=$({ "$program" --help-all 2>/dev/null || "$program" --help; } |
    grep -oE '^ +(-[A-Za-z0-9], )?--[^ ]+(, --[^ ]+)*' | tr -d ',')
  (($(wc -w <<<"$options") > 10)) || fail "$program --help-all shows too few options: $options"
  fish_answers=$(fish_completed "${program##*/} -"; fish_completed "${program##*/} --")
  for option in $options; do
    grep -qxF -e "$option" <<<"$fish_answers" || fail "fish, $program: no $option: $fish_answers"
    grep -qxF -e "$option" <<<"$answers" || fail "$program: $option is not completed"
  done
  echo "ok: each option of $(basename "$program") is completed"
  completes warn "$program" --log-level w
  completes always "$program" --progress ''
done
for policy in auto adoc selective fixed; do completes "$policy" "$ADOC_SEND" --policy ''; done
for ladder in auto zlib zstd lz4; do completes "$ladder" "$ADOC_SEND" --ladder ''; done
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

fish_completes direct 'adoc-cp --via '
fish_completes builder.test: 'adoc-cp file-of-mine b'
fish_completes warn 'adoc-recv --log-level w'
fish_completes selective 'adoc-send --policy '
fish_completes --policy=selective 'adoc-send --policy=s'
fish_completes zstd 'adoc-send --ladder '
fish_completes always 'adoc-send --progress '
fish_completes builder.test 'adoc-send file-of-mine b'
fish_completes second.test 'adoc-send --save-key '
fish_completes file-of-mine 'adoc-send f'
fish_completes file-of-mine 'adoc-send --files-from f'
fish_completes dir/ 'adoc-recv --out d'
check 'fish: an operand of adoc-recv is nothing' [ "$(fish_completed 'adoc-recv ')" = '' ]
