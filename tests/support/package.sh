# Sourced by the scripts of tests/e2e that make packages. Adds to transfer.sh what they share.
source "$(dirname "${BASH_SOURCE[0]}")/transfer.sh"
PACKAGING=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../packaging" && pwd)

# unreachable WHY: the same, in CI too: no change of the sources mends what a mirror does not give.
unreachable() {
  echo "SKIPPED: $*"
  exit 77
}

# needs PROGRAM...: all are installed.
needs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null ||
      skip "no $program here: packaging/install-dependencies.sh ci"
  done
}

# The version as CMakeLists.txt has it, the one place where it is kept.
project_version() {
  sed -n 's/^project(adoc VERSION \([0-9.]*\).*/\1/p' "$PACKAGING/../CMakeLists.txt"
}

# make_packages DIRECTORY [CPACK_OPTION...]: the .deb files of the build, there.
make_packages() {
  mkdir -p "$1"
  cpack --config "$ADOC_BIN_DIR/CPackConfig.cmake" -B "$@" >"$1.log" 2>&1 ||
    fail "cpack: $(tail -n 30 "$1.log")"
  rm -rf "$1/_CPack_Packages"
}
