#!/usr/bin/env bash
# Builds the packages twice, in two folders, and compares them: the same sources and the same
# compiler give the same files, whoever builds them and where. Takes twice the time of a build.
#
#   packaging/reproduce.sh
set -euo pipefail
# Nothing that was compiled before, in one of the folders, is used for the other.
export CCACHE_DISABLE=1

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for place in one another/and-a-longer-one; do
  mkdir -p "$work/$place"
  git -C "$root" archive HEAD | tar -x -C "$work/$place"
  (
    cd "$work/$place"
    cmake -B build -DCMAKE_INSTALL_PREFIX=/usr -DADOC_BUILD_TESTS=OFF >cmake.log
    cmake --build build --parallel "$(nproc)" >build.log
    cpack --config build/CPackConfig.cmake -B packages >cpack.log
  )
done
cd "$work"
for package in one/packages/*.deb; do
  cmp "$package" "another/and-a-longer-one/packages/${package##*/}"
  sha256sum <"$package" | sed "s/-\$/${package##*/}/"
done
echo 'both builds are the same'
