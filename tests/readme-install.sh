#!/usr/bin/env bash
# Runs what README.md says under "Install", word for word, in a new clone, and takes a look at what
# is installed. What it installs goes into a /usr/local of its own. Needs root.
set -euo pipefail
((EUID == 0)) || { echo 'readme-install.sh: only root has a /usr/local of its own' >&2; exit 1; }
[[ -n ${ADOC_README_NAMESPACE:-} ]] ||
  ADOC_README_NAMESPACE=1 exec unshare --mount bash "$0" "$@"

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'umount -l /usr/local "$work/over"; rm -rf "$work"' EXIT
git clone -q "$root" "$work/adoc"
cd "$work/adoc"
mkdir "$work/bin" "$work/over"
# A machine without sudo has root do it.
printf '#!/bin/sh\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin/sudo"
# What is there stays in sight, for a compiler or CMake may be.
mount -t tmpfs tmpfs "$work/over"
mkdir "$work/over/upper" "$work/over/work"
mount -t overlay overlay \
  -o "lowerdir=/usr/local,upperdir=$work/over/upper,workdir=$work/over/work" /usr/local
# What .ci/run has compiled by the same name of the compiler is not compiled again.
! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CXX=g++ CCACHE_BASEDIR=$work/adoc

mapfile -t commands < <(sed -n '/^## Install/,/^## /s/^    //p' README.md | grep -E '^(sudo|cmake) ')
((${#commands[@]} == 3)) || { echo "not three commands: ${commands[*]}" >&2; exit 1; }
for command in "${commands[@]}"; do
  echo "readme-install.sh: $command"
  PATH=$work/bin:$PATH bash -euo pipefail -c "$command"
done
for program in adoc-send adoc-recv adoc-cp; do
  "/usr/local/bin/$program" --version
  [[ -s $work/over/upper/share/man/man1/$program.1 ]]
done
