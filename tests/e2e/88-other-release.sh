#!/usr/bin/env bash
# Goal: an installed adoc-cp brings its static build to a machine with an older release of Debian,
# whose C library could not run what was linked here, and copies from and to it.
set -euo pipefail
source "$(dirname "$0")/../support/package.sh"
needs mmdebstrap readelf
((EUID == 0)) || skip 'only root can make a root'
[[ -x $ADOC_BIN_DIR/adoc-cp-static ]] ||
  skip 'no static libraries here: packaging/install-dependencies.sh build'

work_in_memory 400000
readelf -dl "$ADOC_BIN_DIR/adoc-cp-static" >parts
check 'the static build needs no library and no loader' \
  bash -c '! grep -E "NEEDED|INTERP" parts'

older=bullseye root=$T/root
mapfile -t mirrors < <(apt-get indextargets --format '$(REPO_URI)' 'Component: main' \
  'Identifier: Packages' 'Origin: Debian')
[[ -n ${mirrors[0]:-} ]] || unreachable 'apt knows no mirror of Debian'
timeout 200 mmdebstrap --variant=essential --dpkgopt=force-unsafe-io \
  --aptopt='Acquire::Languages "none"' "$older" "$root" "${mirrors[0]}" >bootstrap.log 2>&1 ||
  unreachable "no root of $older from ${mirrors[0]}: $(tail -n 5 bootstrap.log)"
mkdir -p "$root/dev"
[[ -c $root/dev/null ]] || mknod -m 666 "$root/dev/null" c 1 3

DESTDIR=$T/here "$CMAKE" --install "$ADOC_BIN_DIR" --prefix /usr --component programs >install.log
installed=$T/here/usr/bin/adoc-cp
cp "$installed" "$root/root/as-it-is"
check 'what was linked here does not run there' \
  bash -c '! chroot "$1" /root/as-it-is --version 2>/dev/null' _ "$root"

# In the place of ssh: the last words are the host and the command.
cat >ssh <<SH
#!/bin/bash
exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin /bin/sh -c "\${!#}"
SH
chmod +x ssh
seq 1 100000 >file
copies() {
  "$installed" -S "$T/ssh" --bootstrap "$@" 2>cp.err </dev/null || fail "adoc-cp $*: $(cat cp.err)"
}
copies file older:/root/file
check 'a file arrives there' cmp file "$root/root/file"
copies older:/root/file back
check 'and comes back' cmp file back
check 'what was brought is the static build' \
  cmp "$T/here/usr/libexec/adoc/adoc-cp" "$(echo "$root"/root/.cache/adoc/adoc-cp-*)"
