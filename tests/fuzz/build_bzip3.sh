#!/usr/bin/env bash
# Builds libbzip3 with the sanitizers and for the fuzzer, as the distribution's is not, and says how
# to use it:
#
#   tests/fuzz/build_bzip3.sh DIRECTORY [SOURCE]
#
# SOURCE is an unpacked source of bzip3; without one it is fetched with `apt-get source`, for which
# apt must know where sources are (deb-src).
set -euo pipefail

directory=${1:?usage: build_bzip3.sh DIRECTORY [SOURCE]}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
source=${2:-}
if [[ -z $source ]]; then
  (cd "$directory" && apt-get source bzip3)
  source=$(echo "$directory"/bzip3-*/)
fi

# Without undefined: libsais shifts into the sign bit, and reads four bytes wherever they lie.
flags=(-g -O1 -fsanitize=address -fsanitize=fuzzer-no-link -w '-DVERSION="1.2.2"')
objects=()
for file in "$source"/src/*.c; do
  [[ ${file##*/} != main.c ]] || continue
  objects+=("$directory/$(basename "$file" .c).o")
  clang "${flags[@]}" "-I$source/include" -c "$file" -o "${objects[-1]}"
done
rm -f "$directory/libbzip3.a"
ar rcs "$directory/libbzip3.a" "${objects[@]}"
cp "$source/include/libbz3.h" "$directory"
cat >"$directory/bzip3.pc" <<END
Name: bzip3
Description: with sanitizers
Version: 1.2.2
Libs: $directory/libbzip3.a
Cflags: -I$directory
END
echo "PKG_CONFIG_PATH=$directory cmake -B build-fuzz -DCMAKE_CXX_COMPILER=clang++" \
  '-DADOC_BUILD_FUZZERS=ON'
