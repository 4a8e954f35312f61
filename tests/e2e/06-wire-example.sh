#!/usr/bin/env bash
# Goal: the worked example in adoc.5 is, byte for byte, the golden conversation.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
page=$root/man/adoc.5

# Prints the hexadecimal bytes of one direction: the pairs that a line begins with, up to two spaces.
example() {
  sed -n "/^\.\\\\\" wire-example: $1\$/,/^\.\\\\\" end of wire-example\$/p" "$page" |
    grep -v '^\.' | sed 's/  .*//' | tr -d ' \n'
}

for direction in to-receiver to-sender; do
  in_page=$(example "$direction")
  golden=$(od -An -v -tx1 "$root/tests/golden/v1/good/$direction.bin" | tr -d ' \n')
  [[ -n $golden ]] || { echo "the golden file of $direction is empty"; exit 1; }
  if [[ $in_page != "$golden" ]]; then
    echo "the example of $direction in adoc.5 differs from its golden file:"
    diff <(fold -w 32 <<<"$in_page") <(fold -w 32 <<<"$golden") || exit 1
  fi
done
