#!/usr/bin/env bash
# The man pages are well-formed, and each option of --help-all is in the page of its program.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"

man=$(cd "$(dirname "$0")/../../man" && pwd)
command -v mandoc >/dev/null || fail 'mandoc is not installed'

# Short and long options at the start of a line of --help-all.
options_of() {
  { "$1" --help-all 2>/dev/null || "$1" --help; } |
    sed -nE 's/^ +((-[A-Za-z0-9], )?--[a-z0-9-]+(, --[a-z0-9-]+)*|-[A-Za-z0-9])( .*)?$/\1/p' |
    tr -d ' ' | tr ',' '\n'
}

# documents PAGE OPTION: an .It line of the page has it, "-" written "Fl".
documents() {
  grep -qE "^\.It (.* )?Fl ${2#-}( |\$)" "$1"
}

lint() {
  local findings
  findings=$(mandoc -T lint -W warning "$1" 2>&1) || fail "$findings"
}

for page in "$man"/*.[15]; do
  check "$(basename "$page") passes lint" lint "$page"
done
for program in "$ADOC_SEND" "$ADOC_RECV" "$ADOC_CP"; do
  page=$man/$(basename "$program").1
  options=$(options_of "$program")
  (($(wc -l <<<"$options") > 10)) || fail "$program --help-all shows too few options: $options"
  for option in $options; do
    check "$(basename "$page") explains $option" documents "$page" "$option"
  done
  # The other way round: a page that promises what the program does not have.
  for flag in $(grep -oE '^\.It .*' "$page" | grep -oE 'Fl [A-Za-z0-9-]+' | sed 's/^Fl /-/'); do
    check "$(basename "$program") has $flag" grep -qxF -e "$flag" <(echo "$options")
  done
done
