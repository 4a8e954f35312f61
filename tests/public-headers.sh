#!/usr/bin/env bash
# Goal: each public header compiles alone, twice in one file, with nothing but include/ to see.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
count=0
for header in "$root"/include/adoc/*.hpp; do
  name=adoc/$(basename "$header")
  printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
    "${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror \
      -I "$root/include" -x c++ - || { echo "FAILED: $name does not compile alone"; exit 1; }
  ((++count))
done
# Those of C are for C as well, of 1999 and later.
for header in "$root"/include/adoc/*.h; do
  name=adoc/$(basename "$header")
  for language in c++ c; do
    standard='c99'
    [[ $language == c ]] || standard=c++20
    printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
      "${CXX:-c++}" -std="$standard" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
        -Werror -I "$root/include" -x "$language" - ||
      { echo "FAILED: $name does not compile alone"; exit 1; }
  done
  ((++count))
done
((count > 0)) || { echo 'FAILED: there are no public headers'; exit 1; }
echo "$count public headers compile alone"
