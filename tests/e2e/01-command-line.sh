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
check 'a name is of one source' refuses '--name' "${send[@]}" --name x "$T/file" "$T" localhost
check 'a name stays below --out' refuses '--name' "${send[@]}" --name ../x - localhost
check '--level contradicts --policy adoc' refuses '--level' "${send[@]}" --policy adoc --level 3 "$T/file" localhost
check '--policy fixed needs a level' refuses '--level' "${send[@]}" --policy fixed "$T/file" localhost
check 'a level is on the ladder' refuses '10' "${send[@]}" --ladder zlib --level 10 "$T/file" localhost
check 'a level is a number' refuses '--level' "${send[@]}" --level high "$T/file" localhost
check 'a level range has an order' refuses '--min-level' "${send[@]}" --min-level 5 --max-level 4 "$T/file" localhost
check 'the policies are listed' refuses 'auto, adoc, selective, fixed' "${send[@]}" --policy best "$T/file" localhost
check 'the ladders are listed' refuses 'zlib' "${send[@]}" --ladder brotli "$T/file" localhost
check 'an option lacks its value' refuses '--level' "${send[@]}" "$T/file" localhost --level
check '--level contradicts --policy auto' refuses '--level' "${send[@]}" --policy auto --level 3 "$T/file" localhost
check 'a level range contradicts --level' refuses '--min-level' "${send[@]}" --level 3 --min-level 2 "$T/file" localhost
check 'a block has a lower end' refuses 'from 1024' "${send[@]}" --block-size 1 "$T/file" localhost
check 'a block is never below zero' refuses '--block-size' "${send[@]}" --block-size -1 "$T/file" localhost
for program in send recv; do
  arguments=(adoc-recv --out "$T/out" --listen 127.0.0.1:0)
  [[ $program == recv ]] || arguments=(adoc-send "$T/file" localhost)
  for threads in -1 65 10000 99999999999999999999 many 1.5; do
    check "adoc-$program --threads $threads" refuses '--threads' \
      "$ADOC_BIN_DIR/${arguments[0]}" --threads "$threads" "${arguments[@]:1}"
  done
  for memory in 1 -1 4095K 99999999999999999999 all; do
    check "adoc-$program --memory $memory" refuses '--memory' \
      "$ADOC_BIN_DIR/${arguments[0]}" --memory "$memory" "${arguments[@]:1}"
  done
done
check 'memory for one thread at the level is asked for' \
  refuses '--memory' "${send[@]}" --memory 8M --ladder zstd --level 19 "$T/file" localhost
check 'memory for the largest block is asked for' \
  refuses '--memory' "${recv[@]}" --memory 8M --out "$T/out" --listen 127.0.0.1:0
check '-q contradicts -v' refuses '--verbose' "${send[@]}" -q -v "$T/file" localhost

check 'adoc-recv asks for --out' refuses '--out' "${recv[@]}"
check 'adoc-recv takes no operands' refuses 'stray' "${recv[@]}" --out "$T/out" stray
check 'adoc-recv names an unknown option' refuses '--level' "${recv[@]}" --out "$T/out" --level 3
check 'adoc-recv checks its address' refuses '127.0.0.1:x' "${recv[@]}" --out "$T/out" --listen 127.0.0.1:x
check 'no key and a key contradict each other' \
  refuses '--key-file' "${recv[@]}" --out "$T/out" --insecure --key-file "$T/key"
check 'no key and a new key contradict each other' refuses '--new-key' "${recv[@]}" --insecure --new-key
check 'no key and a key contradict each other at the sender' \
  refuses '--key-file' "${send[@]}" --insecure --key-file "$T/key" "$T/file" localhost
check 'ADOC_KEY has a form' refuses 'ADOC_KEY: this is not a key' \
  env ADOC_KEY=secret "${send[@]}" "$T/file" localhost
check 'ADOC_KEY counts more than the file that --new-key would make' \
  refuses 'unset ADOC_KEY' env ADOC_KEY=adoc1 "${recv[@]}" --new-key
check 'a key is not shown without one' refuses '--show-key' "${recv[@]}" --insecure --show-key
check 'a key is shown, or files are received' refuses '--out' "${recv[@]}" --out "$T/out" --show-key
check '--save-key needs a host' refuses '--save-key' "${send[@]}" --save-key
for host in '' .. ../key /etc/passwd .hidden -x 'a b' $'a\nb' 'a;b' '[::1' '[::1]x' host:0 host:70000 1:2:3 ::1%a/b; do
  check "no file is called '$host'" refuses '' "${send[@]}" --save-key="$host" </dev/null
done
secret=adoc1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaj3slr
check 'a key on the command line is refused' refuses '--save-key takes HOST alone' "${send[@]}" --save-key host "$secret"
check 'and not shown' bash -c '! grep -qF "$1" "$2"' _ "$secret" "$T/stderr"
check 'in the place of the host, too' refuses 'a key is not given as an argument' "${send[@]}" --save-key "$secret"
check 'and not shown' bash -c '! grep -qF "$1" "$2"' _ "$secret" "$T/stderr"
check '--save-key and --insecure contradict each other' refuses '--insecure' "${send[@]}" --insecure --save-key host
check '--save-key reads no other file' refuses 'standard input' "${send[@]}" --key-file "$T/key" --save-key host
check 'this machine has its own key' refuses 'whose own key' "${send[@]}" --save-key localhost
[[ ! -e $T/out ]] || fail 'a usage error made the directory'
[[ ! -e $KEY_FILE ]] || fail 'a usage error made a key'

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
# measures FRAGMENT ARGUMENT...: --list-levels with a path answers, FRAGMENT among it.
measures() {
  local fragment=$1
  shift
  answers "$fragment" "$ADOC_SEND" --ladder zlib --list-levels "$@"
}
# cannot_measure FRAGMENT PATH: exit 6, and FRAGMENT on standard error.
cannot_measure() {
  expect_exit 6 "$ADOC_SEND" --list-levels "$2" >"$T/stdout" 2>"$T/stderr"
  [[ ! -s $T/stdout ]] || fail "--list-levels $2: standard output is not empty"
  grep -qF -e "$1" "$T/stderr" || fail "--list-levels $2: '$1' is not in: $(cat "$T/stderr")"
}
: >"$T/empty"
mkdir "$T/bare" "$T/tree"
mkfifo "$T/fifo"
head -c 300000 "$ADOC_SEND" >"$T/tree/some"
echo data >"$T/tree/out.o"
check '--list-levels PATH measures every level' measures '    9  zlib 9' "$T/tree/some"
check '--list-levels PATH advises for a link' measures '100 Mbit/s' "$T/tree/some"
check '--list-levels of a tree leaves out what is excluded' \
  measures '300 kB in 1 file' --exclude '*.o' "$T/tree"
check '--list-levels: PATH is missing' cannot_measure 'no such file' "$T/missing"
check '--list-levels: PATH is empty' cannot_measure "$T/empty: there is not a byte" "$T/empty"
check '--list-levels: a tree without a file' cannot_measure "$T/bare: there is not a byte" "$T/bare"
check '--list-levels: PATH is no file' cannot_measure 'nothing in it can be read' "$T/fifo"
check '--list-levels takes one PATH' refuses 'no HOST' "${send[@]}" --list-levels "$T/file" localhost
check '--list-levels needs a PATH that stays' refuses 'standard input' "${send[@]}" --list-levels -
check '--list-levels PATH checks the ladder' refuses 'brotli' "${send[@]}" --ladder brotli --list-levels "$T/file"
check 'adoc-recv needs its first line to be read' \
  cannot_answer "$ADOC_RECV" --out "$T/out" --listen 127.0.0.1:0
