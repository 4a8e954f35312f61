#!/usr/bin/env bash
# Goal: bash completes each option that --help has, the values of those that have a choice, file
# names, and hosts as ssh's configuration names them.
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

# completes WANTED WORD...: WANTED is among what the last word is completed to.
completes() {
  local wanted=$1 answers
  shift
  answers=$(completed "$@")
  grep -qxF -e "$wanted" <<<"$answers" || fail "'$*' is not completed to $wanted but to: $answers"
}

for program in "$ADOC_SEND" "$ADOC_RECV"; do
  answers=$(completed "$program" -)
  options=$("$program" --help | grep -oE '^ +(-[A-Za-z0-9], )?--[^ ]+(, --[^ ]+)*' | tr -d ',')
  (($(wc -w <<<"$options") > 10)) || fail "$program --help shows too few options: $options"
  for option in $options; do
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
completes dir "$ADOC_RECV" --out ''
check 'where a directory is wanted no file is offered' \
  [ "$(completed "$ADOC_RECV" --out file)" = '' ]
check 'an operand of adoc-recv is nothing' [ "$(completed "$ADOC_RECV" '')" = '' ]
