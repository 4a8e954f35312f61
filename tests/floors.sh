#!/usr/bin/env bash
# Goal: the house stands as designed. Each file includes its own floor or a lower one, each foreign
# library is named on one floor alone, the public headers name nothing but the language, locks are
# lent for a scope and nobody sleeps where they are, only cli names options and programs in what it
# says, and no file has grown over 500 lines.
#
#   tests/floors.sh [ROOT]
set -euo pipefail
export LC_ALL=C

cd "${1:-$(dirname "$0")/..}"
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

mapfile -d '' -t sources < <(
  find src include -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' \) -print0 | sort -z)
((${#sources[@]} > 0)) || { echo 'no sources found'; exit 1; }

awk '
  function report(text) { printf "%s:%d: %s: %s\n", FILENAME, FNR, text, $0 }
  function only_on(pattern, floor_name, who) {
    if (angle ~ pattern && floor != floor_name) report(who " belongs to " floor_name " alone")
  }
  BEGIN {
    # Where files are read and where they are written stand side by side.
    count = split("util wire codec control io pipeline source,destination,messages transfer cli",
                  names, " ")
    for (i = 1; i <= count; ++i) {
      rooms = split(names[i], room, ",")
      for (j = 1; j <= rooms; ++j) height[room[j]] = i
    }
    # A lock is lent for a scope (guarded.hpp), or is within a queue. Others are named here, each
    # for what it has to hold: OpenSSL while it computes, what both threads write to one channel,
    # the mode of a directory that several transfers work in and must not undo for each other, the
    # terminal and the trace. None is held while a thread waits for another, but for one: a
    # direction of a descriptor in the library for middleware is waited for as its system calls are.
    count = split("util/guarded.hpp pipeline/queue_ends.hpp cli/progress.cpp" \
                  " cli/send_observer.hpp cli/status_line.hpp io/tls_stream.hpp" \
                  " io/channel_out.hpp" \
                  " destination/lent_permissions.cpp messages/adoc.cpp" \
                  " messages/connection.hpp messages/connection.cpp", names, " ")
    for (i = 1; i <= count; ++i) may_lock["src/" names[i]]
  }
  FNR == 1 {
    split(FILENAME, part, "/")
    is_public = part[1] == "include"
    floor = is_public ? "" : part[2]
    if (!is_public && !(floor in height)) report("not on a floor of the house")
  }
  FNR == 1 { lends = 0 }
  /"util\/guarded\.hpp"/ { lends = 1 }
  lends && /sleep_for|sleep_until|usleep|nanosleep/ { report("nobody sleeps where locks are") }
  # What the user is to type is said by cli alone: an error has a hint (include/adoc/error.hpp).
  floor != "cli" && !/^[ \t]*\/\// && /"[^"]*(--[a-z]|adoc-(send|recv|cp))[^"]*"/ {
    report("options and programs are named by cli alone")
  }
  !/^[ \t]*#[ \t]*include/ { next }
  {
    quoted = ""; angle = ""
    if (match($0, /"[^"]*"/)) quoted = substr($0, RSTART + 1, RLENGTH - 2)
    else if (match($0, /<[^>]*>/)) angle = substr($0, RSTART + 1, RLENGTH - 2)
    else report("neither \"\" nor <>")
  }
  quoted != "" {
    split(quoted, to, "/")
    if (to[1] == "adoc" && quoted ~ /^adoc\/[a-z_]+\.hp?p?$/) next
    if (is_public) report("a public header includes nothing of the house")
    else if (!(to[1] in height)) report("not a path from src/")
    else if (height[to[1]] > height[floor]) report(floor " is below " to[1])
    else if (height[to[1]] == height[floor] && to[1] != floor)
      report(floor " does not know " to[1])
  }
  angle != "" {
    # For ssize_t C has no header of its own.
    if (is_public && angle !~ /^([a-z_0-9]+(\.h)?|sys\/types\.h)$/)
      report("a public header includes only the language")
    if (is_public && angle ~ /^(zlib|zconf|zstd.*|zdict|lz4.*|libbz3|xxhash)\.h$/)
      report("a public header names no library")
    if (angle ~ /^(adoc|util|wire|codec|control|io|pipeline|source|destination|transfer|cli)\//)
      report("what is ours is included with \"\"")
    if (angle ~ /^(gtest|gmock)\//) report("tests are in tests/")
    only_on("^(CLI|spdlog|fmt|nlohmann)/", "cli", "CLI11, spdlog or nlohmann-json")
    only_on("^(zlib|zconf|zstd.*|zdict|lz4.*|libbz3)\\.h$", "codec", "zlib, zstd, lz4 or bzip3")
    only_on("^re2/", "source", "RE2")
    only_on("^seccomp\\.h$", "util", "seccomp")
    only_on("^openssl/", "io", "OpenSSL")
    if (angle ~ /^(mutex|shared_mutex|condition_variable|pthread\.h|semaphore|semaphore\.h)$/ &&
        !(FILENAME in may_lock))
      report("a lock is lent by src/util/guarded.hpp")
  }
' "${sources[@]}" >>"$findings"

# What a test leaves undone at its end must not change its outcome (tests/support/e2e.sh).
grep -n '^ *trap .*EXIT' tests/e2e/*.sh tests/support/*.sh 2>/dev/null |
  grep -v '^tests/support/e2e.sh:' | sed 's/$/: at_end is for that/' >>"$findings" || true

# Neither what was measured nor golden bytes are read line by line.
find src include tests -type f ! -name '*.md' ! -path 'tests/golden/v*' -print0 |
  xargs -0 awk 'FNR == 501 { printf "%s: over 500 lines: it is two files\n", FILENAME }' \
    >>"$findings"

if [[ -s $findings ]]; then
  cat "$findings"
  exit 1
fi
echo "${#sources[@]} files stand on their floors"
