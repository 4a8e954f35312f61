#!/usr/bin/env bash
# Goal: each rule of floors.sh is enforced: a copy of the house with one thing broken is refused,
# with the name of the file and of the rule.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$root/src" "$root/include" "$root/tests" "$copy"

"$root/tests/floors.sh" "$copy" || { echo 'the unbroken copy is refused'; exit 1; }

# refused RULE FILE LINE: with LINE in the new file FILE, RULE is told of FILE and of nothing else.
refused() {
  local rule=$1 file=$2 line=$3 output
  mkdir -p "$(dirname "$copy/$file")"
  echo "$line" >"$copy/$file"
  if output=$("$root/tests/floors.sh" "$copy"); then
    echo "FAILED: '$line' in $file was let in"
    exit 1
  fi
  [[ $output == *"$file"*"$rule"* && $(wc -l <<<"$output") == 1 ]] || {
    echo "FAILED: '$line' in $file is refused with: $output"
    exit 1
  }
  rm "$copy/$file"
  echo "ok: '${line%%$'\n'*}' in $file is refused"
}

floors=(util wire codec control io pipeline source transfer cli)
for ((i = 0; i + 1 < ${#floors[@]}; ++i)); do
  refused 'is below' "src/${floors[i]}/broken_.hpp" "#include \"${floors[i + 1]}/x.hpp\""
done
refused 'is below' src/destination/broken_.hpp '#include "transfer/x.hpp"'
refused 'does not know' src/source/broken_.hpp '#include "destination/x.hpp"'
refused 'does not know' src/destination/broken_.hpp '#include "source/x.hpp"'
refused 'not a path from src/' src/io/broken_.cpp '#include "tcp.hpp"'
refused 'not a path from src/' src/io/broken_.cpp '#  include "../util/fd.hpp"'
refused 'included with ""' src/io/broken_.cpp '#include <util/fd.hpp>'
refused 'not on a floor' src/attic/broken_.cpp ''
refused 'nothing of the house' include/adoc/broken_.hpp '#include "util/fd.hpp"'
refused 'only the language' include/adoc/broken_.hpp '#include <sys/socket.h>'
refused 'names no library' include/adoc/broken_.hpp '#include <xxhash.h>'
refused 'cli alone' src/transfer/broken_.cpp '#include <CLI/CLI.hpp>'
refused 'cli alone' src/transfer/broken_.cpp '#include <spdlog/spdlog.h>'
refused 'cli alone' src/transfer/broken_.cpp '#include <nlohmann/json.hpp>'
refused 'codec alone' src/util/broken_.cpp '#include <zlib.h>'
refused 'codec alone' src/cli/broken_.cpp '#include <zstd_errors.h>'
refused 'codec alone' src/wire/broken_.cpp '#include <lz4frame.h>'
refused 'source alone' src/cli/broken_.cpp '#include <re2/re2.h>'
refused 'io alone' src/cli/broken_.cpp '#include <openssl/ssl.h>'
refused 'a lock is lent' src/pipeline/broken_.hpp '#include <mutex>'
refused 'a lock is lent' src/transfer/broken_.cpp '#include <condition_variable>'
refused 'nobody sleeps' src/transfer/broken_.cpp \
  $'#include "util/guarded.hpp"\nvoid f() { std::this_thread::sleep_for(kLong); }'
refused 'tests are in' src/util/broken_.cpp '#include <gtest/gtest.h>'
refused 'named by cli alone' src/io/broken_.cpp 'throw Error(ErrorKind::usage, "try --retry");'
refused 'named by cli alone' src/io/broken_.cpp 'throw Error(ErrorKind::usage, "start adoc-recv");'
refused 'over 500 lines' tests/unit/broken_.cpp "$(printf '//%.0s\n' {1..501})"
