#!/usr/bin/env bash
# The programs without a peer: what cannot be meant is a usage error that names the culprit, what is
# asked about the program is answered, and an answer that nobody can read is an error.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"

# refuses FRAGMENT COMMAND...: exit 2, and one line on standard error that holds FRAGMENT and the
# way to the help; nothing on standard output.
refuses() {
  local fragment=$1
  shift
  expect_exit 2 "$@" >"$T/stdout" 2>"$T/stderr"
  [[ ! -s $T/stdout ]] || fail "$*: standard output is not empty"
  [[ $(wc -l <"$T/stderr") == 1 ]] || fail "$*: not one line: $(cat "$T/stderr")"
  grep -qF -e "$fragment" "$T/stderr" || fail "$*: '$fragment' is not in: $(cat "$T/stderr")"
  grep -qF -e '--help)' "$T/stderr" || fail "$*: no way to the help in: $(cat "$T/stderr")"
}

# answers FRAGMENT COMMAND...: exit 0, FRAGMENT on standard output, nothing on standard error.
answers() {
  local fragment=$1
  shift
  expect_exit 0 "$@" >"$T/stdout" 2>"$T/stderr"
  grep -qF -e "$fragment" "$T/stdout" || fail "$*: '$fragment' is not in: $(cat "$T/stdout")"
  [[ ! -s $T/stderr ]] || fail "$*: standard error is not empty"
}

# cannot_answer COMMAND...: exit 6 and a line on standard error when standard output is full, and
# when it is closed.
cannot_answer() {
  expect_exit 6 "$@" >/dev/full 2>"$T/stderr"
  grep -qF 'standard output' "$T/stderr" || fail "$* >/dev/full: $(cat "$T/stderr")"
  expect_exit 6 "$@" >&- 2>"$T/stderr"
  grep -qF 'standard output' "$T/stderr" || fail "$* >&-: $(cat "$T/stderr")"
}

echo data >"$T/file"
send=("$ADOC_SEND")
recv=("$ADOC_RECV")

check 'an unknown option is named' refuses '--frobnicate' "${send[@]}" --frobnicate "$T/file" localhost
check 'an unknown short option is named' refuses '-Z' "${send[@]}" -Z "$T/file" localhost
check 'PATH and HOST are asked for' refuses 'PATH' "${send[@]}"
check 'one operand is not enough' refuses "$T/file" "${send[@]}" "$T/file"
check 'a port is a number' refuses 'localhost:x' "${send[@]}" "$T/file" localhost:x
check 'a port has an upper end' refuses 'localhost:65536' "${send[@]}" "$T/file" localhost:65536
check 'nobody listens on port 0' refuses '0' "${send[@]}" "$T/file" localhost:0
check 'a bare IPv6 address needs brackets' refuses '::1:4400' "${send[@]}" "$T/file" ::1:4400
check 'a size needs digits' refuses '--block-size' "${send[@]}" --block-size big "$T/file" localhost
check 'a size has only known suffixes' refuses '12Q' "${send[@]}" --packet-size 12Q "$T/file" localhost
check 'a block has an upper end' refuses '--block-size' "${send[@]}" --block-size 1G "$T/file" localhost
check 'a packet has a lower end' refuses '--packet-size' "${send[@]}" --packet-size 1 "$T/file" localhost
check 'a FIFO has an upper end' refuses '--fifo-packets' "${send[@]}" --fifo-packets 9G "$T/file" localhost
check 'a size does not overflow' refuses '--fifo-packets' "${send[@]}" --fifo-packets 99999999999G "$T/file" localhost
check 'standard input needs a name' refuses '--name' "${send[@]}" - localhost
check 'a name needs standard input' refuses '--name' "${send[@]}" --name x "$T/file" localhost
check 'a name stays below --out' refuses '--name' "${send[@]}" --name ../x - localhost
check '--level contradicts --policy adoc' refuses '--level' "${send[@]}" --policy adoc --level 3 "$T/file" localhost
check '--policy fixed needs a level' refuses '--level' "${send[@]}" --policy fixed "$T/file" localhost
check 'a level is on the ladder' refuses '10' "${send[@]}" --ladder zlib --level 10 "$T/file" localhost
check 'a level is a number' refuses '--level' "${send[@]}" --level high "$T/file" localhost
check 'a level range has an order' refuses '--min-level' "${send[@]}" --min-level 5 --max-level 4 "$T/file" localhost
check 'the policies are listed' refuses 'adoc, fixed' "${send[@]}" --policy best "$T/file" localhost
check 'the ladders are listed' refuses 'zlib' "${send[@]}" --ladder brotli "$T/file" localhost
check 'an option lacks its value' refuses '--level' "${send[@]}" "$T/file" localhost --level
check '-q contradicts -v' refuses '--verbose' "${send[@]}" -q -v "$T/file" localhost

check 'adoc-recv asks for --out' refuses '--out' "${recv[@]}"
check 'adoc-recv takes no operands' refuses 'stray' "${recv[@]}" --out "$T/out" stray
check 'adoc-recv names an unknown option' refuses '--level' "${recv[@]}" --out "$T/out" --level 3
check 'adoc-recv checks its address' refuses '127.0.0.1:x' "${recv[@]}" --out "$T/out" --listen 127.0.0.1:x
check 'adoc-recv stays on loopback' refuses '--insecure' "${recv[@]}" --out "$T/out" --listen 0.0.0.0:0
[[ ! -e $T/out ]] || fail 'a usage error made the directory'

for program in "$ADOC_SEND" "$ADOC_RECV"; do
  name=$(basename "$program")
  check "$name --help" answers 'Usage: ' "$program" --help
  check "$name -h" answers 'Examples:' "$program" -h
  check "$name --version" answers "$name " "$program" --version
  check "$name --help to where nothing can be written" cannot_answer "$program" --help
  check "$name --version to where nothing can be written" cannot_answer "$program" --version
done
check 'adoc-send --list-levels' answers ' 0  raw' "$ADOC_SEND" --list-levels
check 'each ladder has its levels' answers ' 9  zlib 9' "$ADOC_SEND" --list-levels --ladder zlib
check '--list-levels to where nothing can be written' cannot_answer "$ADOC_SEND" --list-levels
check 'adoc-recv needs its first line to be read' \
  cannot_answer "$ADOC_RECV" --out "$T/out" --listen 127.0.0.1:0
