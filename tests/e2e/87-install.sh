#!/usr/bin/env bash
# Goal: what `cmake --install` puts into a directory is complete. The programs there move a file,
# and a program of somebody else's is compiled with the library there, found by find_package() and
# by pkg-config, and receives one.
set -euo pipefail
build=$ADOC_BIN_DIR
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
root=$T/root
# install_component NAME: into $root, as a package is made.
install_component() {
  DESTDIR=$root "$CMAKE" --install "$build" --prefix /usr --component "$1" >"install-$1.log"
}

install_component programs
check 'programs alone have no library' [ ! -e "$root/usr/include" ]
for program in adoc-send adoc-recv; do
  check "$program is installed" [ -x "$root/usr/bin/$program" ]
  check "$program has its manual" [ -s "$root/usr/share/man/man1/$program.1" ]
  check "$program has its completion" \
    [ -s "$root/usr/share/bash-completion/completions/$program" ]
  check 'for fish, too' [ -s "$root/usr/share/fish/vendor_completions.d/$program.fish" ]
done
check 'the protocol has its manual' [ -s "$root/usr/share/man/man5/adoc.5" ]
documents=$(find "$root/usr/share/doc" -name LICENSE -printf '%h\n')
check 'the licence is installed' [ -s "$documents/LICENSE" ]
check 'zsh has one for all' [ -s "$root/usr/share/zsh/site-functions/_adoc" ]
check 'the README is installed' [ -s "$documents/README.md" ]
says_nothing_of_the_build() {
  ! grep -rlIF -e "$build" "$root"
}

# Each start has other addresses, nothing that is bound at the start can be changed afterwards, and
# no data can be run.
while read -r program; do
  readelf -W --dynamic --program-headers "$program" >parts
  check "${program#"$root"}: it can be anywhere" grep -qE '\(FLAGS_1\).* PIE' parts
  check 'all is bound at the start' grep -qE '\(FLAGS_1\).* NOW' parts
  check 'and not to be changed afterwards' grep -qE '^ *GNU_RELRO ' parts
  check 'the stack holds data' grep -qE '^ *GNU_STACK .* RW +0x' parts
  check 'nothing can be written and run' bash -c '! grep -qE "^ *LOAD .* RWE " parts'
  if grep -q '^CMAKE_BUILD_TYPE:.*=Release$' "$build/CMakeCache.txt"; then
    # Where an assertion of std::vector stands.
    check 'containers are guarded' grep -aqF 'bits/stl_vector.h' "$program"
    readelf -W --dyn-syms "$program" >symbols
    # What is linked statically names no symbols.
    ! grep -q libc_start symbols || check 'the stack is guarded' grep -q __stack_chk_fail symbols
  fi
done < <(find "$root" -type f -name 'adoc-*' -perm -u+x)

# What is linked statically may run where other libraries are, and loads nothing of theirs
# (built_in_only.cpp): neither what is configured for OpenSSL nor for names of users. The others do,
# so that it is clear that this is asked for.
if [[ -e $build/adoc-cp-static ]] && ((EUID == 0)) && ! sanitized; then
  static=$(find "$root" -path '*/adoc/adoc-cp' -type f)
  echo 'passwd: trap files' >nsswitch.conf
  cat >no_ssh <<'END'
#!/bin/sh
for word; do [ "$word" != -G ] || exit 0; done
exec "$PROGRAM" --far
END
  chmod +x no_ssh
  mkdir own
  # So much that it has a connection of its own: what is little needs no OpenSSL.
  head -c 2M /dev/zero >own/file
  # opens PROGRAM: into trace, all that both sides of a copy open.
  opens() {
    rm -rf copied
    # shellcheck disable=SC2016 # for the inner shell
    PROGRAM=$1 OPENSSL_CONF=$T/trap.cnf unshare --mount sh -c '
      mount --bind nsswitch.conf /etc/nsswitch.conf
      strace -f -o trace -e trace=openat "$PROGRAM" -S ./no_ssh -r --owner own "host:$PWD/copied"
      ' >opens.log 2>&1 || fail "$1: $(cat opens.log)"
  }
  opens "$root/usr/bin/adoc-cp"
  check 'a shared one reads the configuration of OpenSSL' grep -q trap.cnf trace
  check 'and loads what names of users are looked up by' grep -q libnss_trap trace
  opens "$static"
  check 'the static one looks names up' grep -q '"/etc/passwd"' trace
  check 'and loads nothing' [ -z "$(grep -E 'trap|ossl-modules' trace)" ]
fi

install_component shared
install_component library
check 'each public header is installed' \
  diff -r "$(dirname "$0")/../../include/adoc" "$root/usr/include/adoc"
check 'no text that is installed names the build' says_nothing_of_the_build

# A receiver that takes one transfer. It uses what the library is made of, TLS above all.
mkdir consumer
cat >consumer/main.cpp <<'CPP'
#include <adoc/key.hpp>
#include <adoc/receive.hpp>
#include <adoc/version.hpp>

#include <cstdlib>
#include <iostream>

int main(int, char** argv) {
  adoc::ReceiveOptions options;
  options.out_directory = argv[1];
  options.listen = adoc::parse_endpoint("127.0.0.1:0");
  options.once = true;
  options.key = adoc::read_key_file(argv[2]);
  adoc::Receiver receiver(options);
  std::cout << "listening on " << adoc::to_string(receiver.local_endpoint()) << std::endl;
  std::cerr << adoc::version() << "\n";
  return receiver.serve().failure ? EXIT_FAILURE : EXIT_SUCCESS;
}
CPP
cat >consumer/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
find_package(adoc 0.1 REQUIRED)
add_executable(by_cmake main.cpp)
target_link_libraries(by_cmake PRIVATE adoc::adoc)
CMAKE
"$CMAKE" -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_CXX_COMPILER="$CXX" \
  >cmake.log 2>&1 || fail "find_package: $(cat cmake.log)"
"$CMAKE" --build consumer/build >cmake.log 2>&1 || fail "cmake --build: $(tail -n 30 cmake.log)"

export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig
for directory in "$root"/usr/lib/*/pkgconfig "$root"/usr/lib64/pkgconfig; do
  [[ ! -e $directory/adoc.pc ]] || PKG_CONFIG_PATH=$directory
done
check 'pkg-config knows the version' [ "$(pkg-config --modversion adoc)" = "$(
  "$ADOC_SEND" --version | awk '{print $2; exit}')" ]
# The root is not /, so the prefix is given.
read -ra flags <<<"$(pkg-config --define-variable=prefix="$root/usr" --static --cflags --libs adoc)"
"$CXX" -std=c++20 consumer/main.cpp -o by_pkg_config "${flags[@]}" >cxx.log 2>&1 ||
  fail "pkg-config: $(cat cxx.log)"

seq 1 100000 >file
"$ADOC_RECV" --show-key >/dev/null
ADOC_SEND=$root/usr/bin/adoc-send
ADOC_RECV=$root/usr/bin/adoc-recv
start_recv --once
sends 0 file
recv_ends 0
check 'the installed programs move a file' cmp file out/file
for consumer in "$T/consumer/build/by_cmake" "$T/by_pkg_config"; do
  rm -rf out
  : >recv.out
  "$consumer" "$T/out" "$KEY_FILE" >recv.out 2>recv.err &
  RECV_PID=$!
  eventually grep -q '^listening on ' recv.out
  PORT=$(sed -n 's/^listening on .*://p' recv.out)
  sends 0 file
  recv_ends 0
  check "${consumer##*/} receives a file" cmp file out/file
done
