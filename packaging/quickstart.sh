#!/usr/bin/env bash
# Shows AdOC at work on this machine: installs what a build needs, builds, sends PATH through both
# programs, once as fast as the loopback interface is and once at 20 Mbit/s, compares what arrived
# with what was sent, and tells in words how it went. Without PATH it takes a tree of this machine.
# It leaves nothing but the build.
#
#   packaging/quickstart.sh [PATH]
set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
least_megabytes=30
most_megabytes=150
# The slow link, as adoc-send's --bwlimit: an upload at home.
slow_megabits=20

say() { echo "quickstart: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

case ${1:-} in
  -h | --help)
    sed -n '2,/^set/{s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  -?*) fail "unknown option: $1 (usage: quickstart.sh [PATH])" ;;
esac
(($# <= 1)) || fail 'one PATH only (usage: quickstart.sh [PATH])'

# As far as it can be read.
megabytes_of() { { du -sm -- "$1" 2>/dev/null || true; } | head -n 1 | cut -f 1; }

# The first of some trees that every machine with a compiler has, of a size worth a look. All of it
# must be readable, and files only root may own are left alone.
find_tree() {
  local tree size
  for tree in /usr/lib/gcc /usr/include /usr/libexec/gcc /usr/share/doc /usr/bin /usr/share /usr/lib; do
    [[ -d $tree ]] || continue
    size=$(megabytes_of "$tree")
    ((size >= least_megabytes && size <= most_megabytes)) || continue
    [[ -z $(find "$tree" \( ! -type l ! -readable -o -perm /7000 -o ! -type f ! -type d ! -type l \) \
      -print -quit 2>/dev/null) ]] || continue
    echo "$tree"
    return
  done
  fail "no tree of $least_megabytes to $most_megabytes MB found here; name one: quickstart.sh PATH"
}

build_programs() {
  "$root/packaging/install-dependencies.sh" build
  local arguments=() log=$build/quickstart.log
  # A build that was copied or moved here with its clone is none.
  grep -qsxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build" "$build/CMakeCache.txt" ||
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  # One that is there, of the tests for example, is used as it is.
  if [[ ! -e $build/CMakeCache.txt ]]; then
    arguments=(-DADOC_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++)
    ! command -v ninja >/dev/null || arguments+=(-G Ninja)
    ! command -v ccache >/dev/null || arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    say 'building, which takes a minute or two the first time'
  fi
  { mkdir -p "$build" && : >"$log"; } 2>/dev/null || fail "cannot write to $build"
  { cmake -S "$root" -B "$build" "${arguments[@]}" &&
    cmake --build "$build" --parallel "$(nproc)" --target adoc-send adoc-recv; } >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    fail "the build failed; all of it is in $log"
  }
}

# Somewhere with room for a second copy of PATH: sets $scratch.
make_scratch() {
  local needed free directory
  needed=$(megabytes_of "$path")
  for directory in "${TMPDIR:-/tmp}" /var/tmp "$build"; do
    free=$(df -m --output=avail -- "$directory" 2>/dev/null | tail -n 1) || continue
    if ((free > needed + needed / 10 + 16)) && scratch=$(mktemp -d "$directory/adoc-quickstart.XXXXXX"); then
      return
    fi
  done
  fail "no room for a copy of $path, $needed MB: not in ${TMPDIR:-/tmp}, /var/tmp or $build (set TMPDIR)"
}

receiver='' scratch=''
clean_up() {
  local code=$?
  if [[ -n $receiver ]]; then
    kill "$receiver" 2>/dev/null || true
    wait "$receiver" 2>/dev/null || true
  fi
  if [[ -n $scratch ]]; then
    chmod -R u+rwx "$scratch" 2>/dev/null || true
    rm -rf "$scratch"
  fi
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# start_receiver OUT: encrypted, as by default, with a key that is gone afterwards, as is what it
# learned of the link.
start_receiver() {
  export XDG_CONFIG_HOME=$scratch/config XDG_CACHE_HOME=$scratch/cache
  unset ADOC_KEY
  : >"$scratch/recv.out"
  "$build/adoc-recv" --out "$scratch/$1" --listen 127.0.0.1:0 --once \
    >"$scratch/recv.out" 2>"$scratch/recv.err" &
  receiver=$!
  local line='' deadline=$((SECONDS + 20))
  until line=$(grep -m 1 '^listening on ' "$scratch/recv.out"); do
    kill -0 "$receiver" 2>/dev/null || fail "adoc-recv did not start: $(cat "$scratch/recv.err")"
    ((SECONDS < deadline)) || fail 'adoc-recv does not say where it listens'
    sleep 0.05
  done
  address=${line#listening on }
}

# send OPTION...: sets $json.
send() {
  local code=0
  "$build/adoc-send" --json "$@" "$path" "$address" >"$scratch/send.out" || code=$?
  ((code != 1)) || fail "not all of $path could be sent; adoc-send says above why"
  ((code == 0)) ||
    fail "adoc-send failed with exit code $code; adoc-recv says: $(cat "$scratch/recv.err")"
  wait "$receiver" || code=$?
  receiver=''
  ((code == 0)) || fail "adoc-recv failed with exit code $code: $(cat "$scratch/recv.err")"
  json=$(tail -n 1 "$scratch/send.out")
}

# What a tree is but its contents: kind, mode, time, target and size of each name. The size of a
# directory is the file system's affair.
listing() {
  (cd "$1" && find "$2" \( -type d -printf '%p\0%y %m %T@\0\n' \) \
    -o -printf '%p\0%y %m %T@ %s %l\0\n') | sort
}

# compare OUT
compare() {
  local name
  name=$(basename "$path")
  diff -r --no-dereference -- "$path" "$scratch/$1/$name" >"$scratch/diff" 2>&1 ||
    fail "what arrived differs from what was sent: $(head -n 10 "$scratch/diff")"
  listing "$(dirname "$path")" "$name" >"$scratch/sent"
  listing "$scratch/$1" "$name" >"$scratch/arrived"
  diff -a "$scratch/sent" "$scratch/arrived" >"$scratch/diff" ||
    fail "modes, times or links differ (< sent, > arrived): $(tr '\0' ' ' <"$scratch/diff" | head -n 10)"
}

# number KEY: of the statistics.
number() { sed -nE "s/.*\"$1\":([0-9.eE+-]+).*/\1/p" <<<"$json"; }

calculate() { awk "BEGIN { printf \"$1\", $2 }"; }

# tell_transfer TITLE: of $json, one line.
tell_transfer() {
  local bytes wire seconds
  bytes=$(number bytes) wire=$(number wire_bytes) seconds=$(number seconds)
  [[ -n $bytes && -n $wire && -n $seconds ]] || fail "adoc-send --json has an unknown form: $json"
  printf '%-12s %8s s   %8s MB on the wire, %3s %%   %8s MB/s of contents\n' "$1" \
    "$(calculate '%.2f' "$seconds")" "$(calculate '%.1f' "$wire / 1e6")" \
    "$(calculate '%.0f' "100 * $wire / ($bytes > 0 ? $bytes : 1)")" \
    "$(calculate '%.1f' "$bytes / 1e6 / ($seconds > 0 ? $seconds : 1)")"
}

# tell_levels: how much of $json was compressed how hard.
tell_levels() {
  local level blocks total=0 name levels
  # A line "LEVEL:BLOCKS" each.
  levels=$(sed -nE 's/.*"levels":\{([^}]*)\}.*/\1/p' <<<"$json" | tr -d '"' | tr ',' '\n')
  for blocks in $levels; do ((total += ${blocks#*:})); done
  ((total > 0)) || return 0
  "$build/adoc-send" --list-levels >"$scratch/levels"
  while IFS=: read -r level blocks; do
    name=$(sed -nE "s/^ *$level  +(.*)/\1/p" "$scratch/levels")
    [[ $level != 0 ]] || name='as it is'
    printf '             %5.1f %%  at level %s (%s)\n' \
      "$(calculate '%.1f' "100 * $blocks / $total")" "$level" "${name:-?}"
  done <<<"$levels"
}

build_programs
if (($# == 1)); then
  [[ -e $1 ]] || fail "there is no $1"
  [[ -r $1 ]] || fail "$1 cannot be read"
  # Without a slash at its end, which would mean the contents of a directory alone.
  path=$(realpath -- "$1")
  [[ $path != / ]] || fail '/ holds more than files; name a directory below it'
else
  path=$(find_tree)
fi
make_scratch
say "sending $path through adoc-send and adoc-recv, over 127.0.0.1"
start_receiver fast
send
say 'comparing what arrived with what was sent'
compare fast
fast=$json
raw=$(calculate '%.1f' "8 * $(number bytes) / 1e6 / $slow_megabits")
chmod -R u+rwx "$scratch/fast"
rm -rf "$scratch/fast"
say "sending it at $slow_megabits Mbit/s, which would take $raw s without compression"
start_receiver slow
send --bwlimit $((slow_megabits * 125000)) --no-remember
say 'comparing what arrived with what was sent'
compare slow

echo
echo "$path: $(calculate '%.1f' "$(number bytes) / 1e6") MB of contents"
echo
slow=$json json=$fast
tell_transfer 'Loopback:'
tell_levels
json=$slow
tell_transfer "$slow_megabits Mbit/s:"
tell_levels
echo "             as it is, these bytes take $raw s over such a link"
echo
echo 'Both times every file arrived, and contents, modes, times and links are the same. Nothing was'
echo 'tuned: the levels follow from how fast the link takes what is sent.'
