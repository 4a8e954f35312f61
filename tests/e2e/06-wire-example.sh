#!/usr/bin/env bash
# Goal: the worked examples in adoc.5 are, byte for byte, the golden conversations.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
page=$root/man/adoc.5

# Prints the hexadecimal bytes of one direction: the pairs that a line begins with, up to two
# spaces.
example() {
  sed -n "/^\.\\\\\" wire-example: $1\$/,/^\.\\\\\" end of wire-example\$/p" "$page" |
    grep -v '^\.' | sed 's/  .*//' | tr -d ' \n'
}

for file in v1/good/to-receiver v1/good/to-sender v1-channel/channel-near v1-channel/channel-far \
  v1-messages/messages; do
  direction=${file##*/}
  in_page=$(example "$direction")
  golden=$(od -An -v -tx1 "$root/tests/golden/$file.bin" | tr -d ' \n')
  [[ -n $golden ]] || { echo "the golden file of $direction is empty"; exit 1; }
  if [[ $in_page != "$golden" ]]; then
    echo "the example of $direction in adoc.5 differs from its golden file:"
    diff <(fold -w 32 <<<"$in_page") <(fold -w 32 <<<"$golden") || exit 1
  fi
done
