#!/usr/bin/env bash
# Goal: the recipes for other package systems have the version of the project, name files that are
# there, and are right as far as their own tools tell on this machine.
set -euo pipefail
source "$(dirname "$0")/../support/package.sh"
needs rpmspec rpmlint ruby rubocop nix-instantiate

cd "$T"
version=$(project_version)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "no version in CMakeLists.txt: $version"
check 'the programs have it' [ "$("$ADOC_SEND" --version)" == "adoc-send $version" ]

spec=$PACKAGING/rpm/adoc.spec
rpmspec -P "$spec" >parsed.spec 2>spec.err || fail "rpmspec: $(cat spec.err)"
check 'the spec has it' [ "$(sed -n 's/^Version: *//p' parsed.spec)" == "$version" ]
check 'and a line of changes for it' grep -q "> - $version-" parsed.spec
rpmlint "$spec" >rpmlint.out 2>&1 || fail "rpmlint: $(cat rpmlint.out)"
check 'rpmlint has looked at it' grep -q '1 specfiles checked; 0 errors' rpmlint.out
# Every file that is installed is in one of its two packages.
DESTDIR=$T/root "$CMAKE" --install "$ADOC_BIN_DIR" --prefix /usr >install.log
sed -n '/^%files/,/^%changelog/p' "$spec" |
  sed 's,%{_bindir},/usr/bin,; s,%{_mandir},/usr/share/man,; s,%{_datadir},/usr/share,
    s,%{_unitdir},/usr/lib/systemd/system,; s,%{_sysusersdir},/usr/lib/sysusers.d,
    s,%{_tmpfilesdir},/usr/lib/tmpfiles.d,; s,%doc %{_docdir}/%{name},/usr/share/doc/adoc,
    s,%{_includedir},/usr/include,; s,%{_libdir},/usr/lib*/**,' | grep '^/' >patterns
cd root
while read -r file; do
  listed=
  # Without static libraries there is none to bring along.
  [[ $file != /usr/libexec/* ]] || continue
  while read -r pattern; do
    # shellcheck disable=SC2053 # a pattern
    [[ $file != $pattern && $file != $pattern/* ]] || listed=1
  done <../patterns
  [[ -n $listed ]] || fail "adoc.spec does not list $file"
done < <(find . -type f -printf '/%P\n')
echo 'ok: it lists each file'
cd "$T"

# shellcheck disable=SC1091
alpine() { (set +u; source "$PACKAGING/alpine/APKBUILD"; "$@"); }
check 'the APKBUILD has it' [ "$(alpine eval 'echo "$pkgver"')" == "$version" ]
check 'and what it names' alpine eval '[[ $source == adoc-$pkgver.tar.gz && -n $makedepends &&
  $license == Apache-2.0 ]] && declare -F build package >/dev/null'

formula=$PACKAGING/homebrew/adoc.rb
ruby -c "$formula" >ruby.out 2>&1 || fail "ruby: $(cat ruby.out)"
rubocop --cache false --only Lint,Layout "$formula" >rubocop.out 2>&1 ||
  fail "rubocop: $(cat rubocop.out)"
check 'the formula has it' grep -qF "/adoc-$version.tar.gz\"" "$formula"

export NIX_STATE_DIR=$T/nix/state NIX_STORE_DIR=$T/nix/store
nix-instantiate --parse "$PACKAGING/nix/flake.nix" >nix.out 2>nix.err ||
  fail "nix-instantiate: $(cat nix.err)"
check 'the flake has it' grep -qF "version = \"$version\"" nix.out

# Each wants what the list of packages for Debian wants.
for library in seccomp lz4 bzip3 re2 xxhash zstd zlib openssl cli11 spdlog; do
  for recipe in "$spec" "$PACKAGING/alpine/APKBUILD" "$formula" "$PACKAGING/nix/flake.nix"; do
    grep -qi "$library" "$recipe" || grep -qi "${library/openssl/ssl}" "$recipe" ||
      fail "${recipe##*/} does not name $library"
  done
done
