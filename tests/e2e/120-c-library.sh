#!/usr/bin/env bash
# Goal: the C library as it is installed. The examples of adoc(3) are compiled with it, in C found
# by pkg-config and by find_package(), and run in Python; it exports its own functions, with
# versions, and nothing else, and each of them is in the manual.
set -euo pipefail
build=$ADOC_BIN_DIR
source "$(dirname "$0")/../support/e2e.sh"
page=$(cd "$(dirname "$0")/../../man" && pwd)/adoc.3
header=$(cd "$(dirname "$0")/../../include/adoc" && pwd)/adoc.h

cd "$T"
root=$T/root
for component in shared library; do
  DESTDIR=$root "$CMAKE" --install "$build" --prefix /usr --component "$component" >install.log
done
shared=$(find "$root" -name 'libadoc.so.0')
[[ -e $shared ]] || fail 'no libadoc.so.0'
export LD_LIBRARY_PATH=${shared%/*}

check 'its name is that of its interface' grep -q 'SONAME.*\[libadoc.so.0\]' \
  <<<"$(readelf -d "$shared")"
sed -n 's/^[a-z].*[ *]\(adoc_[a-z_]*\)(.*/\1/p' "$header" | sort -u >declared
nm -D --defined-only "$shared" | awk '$2 == "T" {print $3}' | sort >exported
sed 's/$/@@ADOC_0.1/' declared | sort >versioned
(($(wc -l <declared) >= 12)) || fail "too few functions in the header: $(cat declared)"
check 'it exports what the header declares, with versions' diff versioned exported
check 'and nothing else' [ -z "$(nm -D --defined-only "$shared" | awk '$2 !~ /[TA]/')" ]
while read -r function; do
  check "adoc(3) names $function" grep -qE "^\.(Nm|Fn|Fo) $function( |$)" "$page"
done <declared

# example NAME: as it stands in the page.
example() {
  sed -n "/^\.\\\\\" example: $1\$/,/^\.\\\\\" end of example\$/p" "$page" | grep -v '^\.' |
    sed 's/\\e/\\/g' >"$1"
  [[ -s $1 ]] || fail "adoc(3) has no $1"
}
example echo.c
example echo.py

PKG_CONFIG_PATH=$(dirname "$(find "$root" -name libadoc.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --define-variable=prefix="$root/usr" \
  --define-variable=libdir="${shared%/*}" --define-variable=includedir="$root/usr/include" \
  --cflags --libs libadoc)"
cc -std=gnu99 -Wall -Wextra -Werror echo.c -o by_pkg_config "${flags[@]}" >cc.log 2>&1 ||
  fail "pkg-config: $(cat cc.log)"
mkdir by_cmake
cp echo.c by_cmake
cat >by_cmake/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(echo LANGUAGES C)
find_package(adoc 0.1 REQUIRED COMPONENTS C)
add_executable(echo echo.c)
target_link_libraries(echo PRIVATE adoc::c)
CMAKE
"$CMAKE" -S by_cmake -B by_cmake/build -DCMAKE_PREFIX_PATH="$root/usr" >cmake.log 2>&1 ||
  fail "find_package: $(cat cmake.log)"
"$CMAKE" --build by_cmake/build >cmake.log 2>&1 || fail "cmake --build: $(cat cmake.log)"
for program in ./by_pkg_config by_cmake/build/echo; do
  check "the example of $program says what it is to" \
    [ "$(timeout 20 "$program")" == 'the same, in few bytes' ]
done
check 'the example for Python, too' [ "$(timeout 20 python3 echo.py)" == 'the same' ]
