#!/usr/bin/env bash
# Goal: each source of the product compiles without the others that a build compiles it together
# with, so that one can be changed, moved or compiled alone.
#
#   stand-alone.sh all | some | SOURCE...
#
# All of them take five minutes of a processor. Some are those of the last commit and an eighth of
# the others, which one that commit's name says: what is missed now another commit finds.
set -euo pipefail

cd "$(dirname "$0")/.."
case ${1:-} in
  all) mapfile -t sources < <(git ls-files 'src/*.cpp') ;;
  some)
    commit=$(git rev-parse HEAD)
    mapfile -t sources < <({
      git diff-tree --no-commit-id --name-only --diff-filter=d -r HEAD -- 'src/*.cpp'
      git ls-files 'src/*.cpp' | awk -v which="$((16#${commit:0:1} % 8))" 'NR % 8 == which'
    } | sort -u)
    ;;
  '') echo "usage: $0 all | some | SOURCE..." >&2; exit 2 ;;
  *) sources=("$@") ;;
esac
((${#sources[@]} > 0)) || { echo 'FAILED: no sources' >&2; exit 1; }

# As CMakeLists.txt has it.
options=(-std=c++20 -Iinclude -Isrc -DADOC_VERSION='""' -DADOC_STATIC_PROGRAM='""')
options+=(-DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL)
printf '%s\0' "${sources[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "${CXX:-g++}" -fsyntax-only "${options[@]}" ||
  { echo 'FAILED: what is named above does not compile alone' >&2; exit 1; }
echo "${#sources[@]} sources compile alone"
