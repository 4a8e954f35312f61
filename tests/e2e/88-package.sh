#!/usr/bin/env bash
# Goal: cpack makes packages for Debian that lintian has nothing against, the same ones when it does
# so again, whose versions and dependencies are right, and whose units systemd understands.
set -euo pipefail
source "$(dirname "$0")/../support/package.sh"
needs cpack dpkg-deb lintian systemd-analyze pkg-config

cd "$T"
version=$(project_version)
make_packages first
architecture=$(dpkg --print-architecture)
adoc=first/adoc_$version-1_$architecture.deb
shared=first/libadoc0_$version-1_$architecture.deb
dev=first/libadoc-dev_$version-1_$architecture.deb
for package in "$adoc" "$shared" "$dev"; do
  check "cpack makes ${package##*/}" [ -s "$package" ]
done

# It refuses to be root without this.
lintian --allow-root --display-info first/*.deb >lintian.out 2>&1 ||
  fail "lintian: $(cat lintian.out)"
# Where the compiler takes words apart differs from one version to the next.
findings=$(grep -E '^[EW]: |^I: .*(unused|mismatched)-override' lintian.out |
  grep -v 'override spelling-error-in-binary' || true)
check "lintian has nothing against them: $findings" [ -z "$findings" ]

make_packages second
for package in first/*.deb; do
  check "made again it is the same: ${package##*/}" cmp "$package" "second/${package##*/}"
done

field() { dpkg-deb -f "$1" "$2"; }
check 'the version is that of the project' [ "$(field "$adoc" Version)" == "$version-1" ]
check 'the changelog is of this version' \
  [ "$(dpkg-parsechangelog -l "$PACKAGING/debian/changelog" -S Version)" == "$version-1" ]
check 'the libraries are among what it depends on' \
  grep -q 'libssl3.*libzstd1' <<<"$(field "$adoc" Depends)"
root=$T/root
dpkg-deb -x "$adoc" "$root"
dpkg-deb -x "$shared" "$root"
dpkg-deb -x "$dev" "$root"
check 'libadoc-dev wants the C library of its version' \
  grep -qF "libadoc0 (= $version-1)" <<<"$(field "$dev" Depends)"
check 'and where that is among what others depend on is said' \
  grep -q '^libadoc 0 libadoc0' <<<"$(dpkg-deb --info "$shared" shlibs)"
says_nothing_of_the_build() {
  ! grep -rlaF -e "$ADOC_BIN_DIR" -e "$(cd "$PACKAGING/.." && pwd)" "$root"
}
check 'nothing in them names the folder that they were built in' says_nothing_of_the_build

# Each library that pkg-config asks for comes along.
pc=$(find "$root" -name adoc.pc)
read -ra modules <<<"$(sed -n 's/^Requires.private: *//p' "$pc")"
((${#modules[@]} >= 7)) || fail "adoc.pc requires: ${modules[*]}"
for module in "${modules[@]}"; do
  owner=$(dpkg -S "*/pkgconfig/$module.pc" | sed 's/[:, ].*//' | head -n 1)
  check "libadoc-dev depends on $owner, which has $module.pc" \
    grep -qw -- "$owner" <<<"$(field "$dev" Depends)"
done
cat >consumer.cpp <<'CPP'
#include <adoc/version.hpp>

#include <iostream>

int main() { std::cout << adoc::version() << "\n"; }
CPP
export PKG_CONFIG_PATH=${pc%/*}
read -ra flags <<<"$(pkg-config --define-variable=prefix="$root/usr" \
  --define-variable=libdir="${pc%/pkgconfig/*}" \
  --define-variable=includedir="$root/usr/include" --static --cflags --libs adoc)"
"$CXX" -std=c++20 consumer.cpp -o consumer "${flags[@]}" || fail 'libadoc-dev is of no use'
check 'a program is compiled with libadoc-dev' [ "$(./consumer)" == "$version" ]

unit=$root/usr/lib/systemd/system/adoc-recv.service
check 'the unit runs what is installed' grep -q '^ExecStart=/usr/bin/adoc-recv ' "$unit"
# Where what they start is.
sed "s,=/usr/bin/,=$root/usr/bin/," "$unit" >adoc-recv.service
cp "${unit%service}socket" .
systemd-analyze verify --man=no ./adoc-recv.service ./adoc-recv.socket >verify.out 2>&1 ||
  fail "systemd-analyze verify: $(cat verify.out)"
check 'systemd has nothing to say about the units' empty verify.out
systemd-analyze security --offline=true --threshold=20 --no-pager ./adoc-recv.service \
  >security.out 2>&1 || fail "systemd-analyze security: $(cat security.out)"
tail -n 1 security.out
