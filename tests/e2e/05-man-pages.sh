#!/usr/bin/env bash
# Goal: the man pages are well-formed, each option of --help-all is in the page of its program and
# the reverse, and adoc-cp's table has each option of the scp that is installed.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"
source "$(dirname "$0")/../support/options.sh"

man=$(cd "$(dirname "$0")/../../man" && pwd)
command -v mandoc >/dev/null || fail 'mandoc is not installed'

# documents PAGE OPTION: an .It line of the page has it, "-" written "Fl".
documents() {
  grep -qE "^\.It (.* )?Fl ${2#-}( |\$)" "$1"
}

lint() {
  local findings
  findings=$(mandoc -T lint -W warning "$1" 2>&1) || fail "$findings"
}

for page in "$man"/*.[135]; do
  check "$(basename "$page") passes lint" lint "$page"
done
for program in "$ADOC_SEND" "$ADOC_RECV" "$ADOC_CP"; do
  page=$man/$(basename "$program").1
  options=$(options_of "$program")
  for option in $options; do
    check "$(basename "$page") explains $option" documents "$page" "$option"
  done
  # The other way round: a page that promises what the program does not have.
  for flag in $(grep -oE '^\.It .*' "$page" | grep -oE 'Fl [A-Za-z0-9-]+' | sed 's/^Fl /-/'); do
    check "$(basename "$program") has $flag" grep -qxF -e "$flag" <(echo "$options")
  done
done

# What scp says that it takes: -[346ABC...], and those with a value, [-c cipher].
usage=$(scp 2>&1 | tr '\n' ' ') || true
letters=$(grep -oE '\[-[A-Za-z0-9]+( [a-z_]+)?\]' <<<"$usage" |
  sed -E 's/^\[-([A-Za-z0-9]+).*/\1/' | grep -o . | sort -u)
(($(wc -l <<<"$letters") > 20)) || fail "too few options of scp: $usage"
table=$(sed -n '/^\.Sh COMPATIBILITY/,/^\.El/p' "$man/adoc-cp.1")
for letter in $letters; do
  check "adoc-cp has scp's -$letter" grep -qxF -e "-$letter" <(options_of "$ADOC_CP")
  check "and the table says what it means" grep -qE "^\.It Li (.* )?-$letter( |\$)" <<<"$table"
done
