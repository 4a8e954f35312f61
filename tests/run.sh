#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests: from a fresh clone, from any directory.
#
#   tests/run.sh [OPTION...] [-- CTEST_ARGUMENT...]
#
#   --sanitize address|thread   with AddressSanitizer and UBSan, or ThreadSanitizer
#   --compiler gcc|clang        default: gcc
#   --werror                    a compiler warning is an error
#   --build-only                do not run the tests
#   -DNAME=VALUE                for cmake
#
# Each kind of build has its directory: build, build-asan, build-tsan, build-clang, ...
# For example, one test under ThreadSanitizer: tests/run.sh --sanitize thread -- -R main-job
set -euo pipefail

usage() {
  echo "tests/run.sh: $1" >&2
  sed -n '2,/^set/{s/^# \{0,1\}//p}' "$0" >&2
  exit 2
}

root=$(cd "$(dirname "$0")/.." && pwd)
sanitize='' compiler=gcc werror=OFF build_only='' cmake_arguments=() ctest_arguments=()
while (($# > 0)); do
  case $1 in
    --sanitize | --compiler)
      (($# > 1)) || usage "$1 needs a value"
      if [[ $1 == --sanitize ]]; then sanitize=$2; else compiler=$2; fi
      shift
      ;;
    --sanitize=*) sanitize=${1#*=} ;;
    --compiler=*) compiler=${1#*=} ;;
    --werror) werror=ON ;;
    --build-only) build_only=1 ;;
    -D?*=*) cmake_arguments+=("$1") ;;
    --)
      shift
      ctest_arguments=("$@")
      break
      ;;
    -h | --help) usage 'how to use it:' ;;
    *) usage "unknown argument: $1" ;;
  esac
  shift
done

build=$root/build type=Release flags='' packages=test bench=ON
case $compiler in
  gcc) cxx=g++ ;;
  clang) cxx=clang++ build+=-clang packages=ci ;;
  *) usage "unknown compiler: $compiler" ;;
esac
case $sanitize in
  '') ;;
  address)
    build+=-asan
    flags='-fsanitize=address,undefined -fno-sanitize-recover=all'
    ;;
  thread)
    build+=-tsan
    flags='-fsanitize=thread'
    ;;
  *) usage "unknown sanitizer: $sanitize" ;;
esac
if [[ -n $sanitize ]]; then
  # Neither Debug (slow) nor Release (asserts gone, stacks unreadable). Stacks need lines and no
  # types, which take a fifth of the time to compile.
  type=None
  # Nothing is measured with one.
  bench=OFF
  flags+=' -O1 -g1 -fno-omit-frame-pointer'
  # Tests of times and of memory leave the sanitizer its share.
  export ADOC_TEST_SANITIZED=1
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
  export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}
fi

"$root/packaging/install-dependencies.sh" "$packages"

around=()
if [[ $sanitize == thread ]]; then
  # TSan of g++ 12 and clang 14 dies ("unexpected memory mapping") where the kernel randomises more
  # address bits than they know. The build too runs test programs, to ask them for their tests.
  if setarch -R true 2>/dev/null; then
    around=(setarch -R)
  elif (($(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0) > 28)); then
    echo 'tests/run.sh: setarch -R is not allowed here; should ThreadSanitizer report an' \
      'unexpected memory mapping: sysctl vm.mmap_rnd_bits=28' >&2
  fi
fi

# A build that was copied or moved here with its clone is none.
grep -qsxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build" "$build/CMakeCache.txt" ||
  rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
generator=()
[[ -e $build/CMakeCache.txt ]] || ! command -v ninja >/dev/null || generator=(-G Ninja)
launcher=
! command -v ccache >/dev/null || launcher=ccache
jobs=$(nproc)
# A third of the time to compile many small sources goes into the same headers.
unity_batch=30
# Where a package for Debian has its libraries; other systems have no such directory.
multiarch=$(g++ -print-multiarch 2>/dev/null || true)

"${around[@]}" cmake -S "$root" -B "$build" "${generator[@]}" -DADOC_BUILD_TESTS=ON \
  -DCMAKE_BUILD_TYPE="$type" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" \
  -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE="$unity_batch" \
  -DADOC_BUILD_BENCH="$bench" -DADOC_WARNINGS_AS_ERRORS="$werror" \
  -DCMAKE_INSTALL_LIBDIR="lib${multiarch:+/$multiarch}" "${cmake_arguments[@]}"
"${around[@]}" cmake --build "$build" --parallel "$jobs"
[[ -z $build_only ]] || exit 0
# Most tests wait for links, timers and each other: three times as many as there are processors.
exec "${around[@]}" ctest --test-dir "$build" --parallel "$((3 * jobs))" --output-on-failure \
  --no-tests=error --timeout 120 "${ctest_arguments[@]}"
