#!/usr/bin/env bash
# Installs from the distribution what AdOC needs, if it is missing: Debian 12, Ubuntu 22.04, 24.04.
# This is the only list of packages in the project.
#
#   packaging/install-dependencies.sh build|test|bench|ci     test includes build, the others test
#   packaging/install-dependencies.sh --list SET        only prints the names
#
# Says what it installs. When nothing is missing it does nothing, needs no rights and no network.
set -euo pipefail

# set | package | why
table='
build | g++                | compiler
build | cmake              | build system
build | ninja-build        | runs the compiler, quick when nothing changed
build | pkg-config         | finds zstd, lz4 and xxHash
build | zlib1g-dev         | codec zlib: the ladder of the paper
build | libzstd-dev        | codec zstd
build | liblz4-dev         | codec lz4
build | libbzip3-dev       | codec bzip3, which a build can do without
build | libxxhash-dev      | checksums
build | libssl-dev         | encryption
build | libre2-dev         | patterns of --include and --exclude, in linear time
build | libseccomp-dev     | system calls that the receiver gives up
build | libcli11-dev       | command line of the programs
build | libspdlog-dev      | log and text formatting of the programs
build | nlohmann-json3-dev | --json
test  | libgtest-dev       | unit tests
test  | mandoc             | the man pages are checked
test  | bash-completion    | completions are tried
test  | fish               | likewise
test  | zsh                | likewise
test  | jq                 | the examples of README.md use it
test  | strace             | the order of system calls at a commit is checked; failures are injected
test  | rsync              | trees are compared with what rsync makes of them
test  | attr               | extended attributes, of files that are sent and of what arrives
test  | acl                | access control lists, likewise
test  | iproute2           | links of a given rate between network namespaces; who listens
test  | netcat-openbsd     | peers that do not speak AdOC, and the race against nc
test  | openssl            | a peer of its own making at the door of adoc-recv
test  | python3            | peers that misbehave to the byte, and the race
test  | procps             | ps, pgrep: no process is left behind
test  | util-linux         | unshare, script, setarch: namespaces, terminals, addresses for TSan
test  | diffutils          | cmp, diff
test  | spin               | the model of the protocol is checked
test  | e2fsprogs          | a file system whose times are whole seconds
test  | git                | sources of a clone
test  | openssh-client     | adoc-cp beside scp
test  | openssh-server     | what adoc-cp logs in to
test  | systemd            | passes a socket to adoc-recv; the units are checked
test  | lzop               | LZO for the bench of the pipeline paper, as a program of its own
bench | zstd               | the race against zstd and pzstd
bench | lz4                | the race against lz4
bench | libbz2-dev         | a codec of the adaptive paper, which the bench can do without
bench | libsnappy-dev      | a codec of the pipeline paper, which the bench can do without
bench | python3-grpcio     | gRPC beside the C library
ci    | clang              | second compiler, libFuzzer
ci    | clang-format       | layout of the sources
ci    | ccache             | what was compiled before is not compiled again
ci    | shellcheck         | the scripts are checked
ci    | rpm                | the recipe for RPM is checked
ci    | rpmlint            | likewise
ci    | ruby               | the formula for Homebrew is checked
ci    | rubocop            | likewise
ci    | nix-bin            | the flake for Nix is checked
ci    | dpkg-dev           | what the packages depend on
ci    | lintian            | the packages are checked
ci    | mmdebstrap         | a fresh root that they are installed in
ci    | parallel           | starts senders of one tree
ci    | slurmctld          | likewise, as tasks of a job array
ci    | slurmd             | likewise
ci    | slurm-client       | likewise
ci    | munge              | tells the parts of Slurm from strangers
ci    | python3-yaml       | the manifest for Kubernetes is checked
ci    | chromium-headless-shell | the page of --report is looked at
'

say() { echo "install-dependencies: $*" >&2; }

usage() {
  say 'usage: install-dependencies.sh [--list] build|test|bench|ci'
  exit 2
}

packages_of() {
  local sets
  case $1 in
    build) sets='build' ;;
    test) sets='build|test' ;;
    bench) sets='build|test|bench' ;;
    ci) sets='build|test|ci' ;;
    *) usage ;;
  esac
  awk -F'|' -v sets="^($sets)\$" -v absent="^($(absent_here))\$" '
    { gsub(/ /, "", $1); gsub(/ /, "", $2) }
    $1 ~ sets && $2 !~ absent { print $2 }' <<<"$table"
}

# What this distribution does not have, and a build does without.
absent_here() {
  local ID='' VERSION_ID=''
  # shellcheck source=/dev/null
  if [[ -r /etc/os-release ]]; then . /etc/os-release; fi
  case $ID-$VERSION_ID in
    ubuntu-22.04) echo 'libbzip3-dev|chromium-headless-shell' ;;
    ubuntu-*) echo chromium-headless-shell ;;
  esac
}

# Those of the arguments that are not installed, one a line.
missing_of() {
  comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed //p' | sed 's/:.*//' | sort)
}

# apt_get ARGUMENT...: as root, or with sudo when it can be had.
apt_get() {
  local as_root=()
  if ((EUID != 0)); then
    # Without a terminal nobody can type a password: sudo must not wait for one.
    if ! command -v sudo >/dev/null || { [[ ! -t 2 ]] && ! sudo -n true 2>/dev/null; }; then
      say "not root, and sudo cannot be used; please have these packages installed:"
      say "  apt-get install ${wanted[*]}"
      exit 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}

install() {
  wanted=("$@")
  say "missing here, installing: $*"
  if [[ -z ${updated:-} ]]; then
    apt_get update
    updated=1
  fi
  apt_get install -y --no-install-recommends "$@" || {
    say "the distribution's packages could not be installed; see above"
    exit 1
  }
}

# The sanitizers' and libFuzzer's libraries are in a package of their own since clang 14 of Debian
# 12, named after clang's version, and only there.
install_clang_runtime() {
  local version
  [[ ! -e $(clang -print-file-name=libclang_rt.asan-"$(uname -m)".a) &&
    ! -e $(clang -print-runtime-dir)/libclang_rt.asan.a ]] || return 0
  version=$(clang -dumpversion)
  install "libclang-rt-${version%%.*}-dev"
}

if [[ ${1:-} == --list ]]; then
  (($# == 2)) || usage
  packages_of "$2"
  exit 0
fi
(($# == 1)) || usage
set_name=$1
names=$(packages_of "$set_name")
mapfile -t packages <<<"$names"
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say 'this is neither Debian nor Ubuntu: nothing is installed; needed, by their names there:'
  say "  ${packages[*]}"
  exit 0
fi
mapfile -t missing < <(missing_of "${packages[@]}")
((${#missing[@]} == 0)) || install "${missing[@]}"
[[ $set_name != ci ]] || install_clang_runtime
