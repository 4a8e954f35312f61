#!/usr/bin/env bash
# Goal: with few descriptors senders take longer, and nothing that they send fails: not many small
# files of five at once, nor files of a size that is kept for resuming, nor one file in each
# directory.
set -euo pipefail
# Each file is flushed by itself where there are few descriptors: in memory that takes no time.
[[ ! -w /dev/shm ]] || export TMPDIR=/dev/shm
source "$(dirname "$0")/../support/transfer.sh"
cd "$T"

mkdir small
for i in {1..600}; do echo "$i" >"small/$i"; done
mkdir large spread
for i in {1..60}; do
  head -c 262144 /dev/zero >"large/$i"
  mkdir "spread/$i"
  echo "$i" >"spread/$i/file"
done

# start_with DESCRIPTORS
start_with() {
  rm -rf out
  printf '#!/usr/bin/env bash\nulimit -n %s\nexec "%s" "$@"\n' "$1" "$ADOC_BIN_DIR/adoc-recv" >limited
  chmod +x limited
  ADOC_RECV=$T/limited start_recv
}

# all_arrive DIRECTORY...: a sender for each, at once, and no entry fails.
all_arrive() {
  local senders=() directory
  for directory in "$@"; do
    "$ADOC_SEND" --threads 1 "$directory" "127.0.0.1:$PORT" 2>"${directory##*/}.err" &
    senders+=("$!:$directory")
  done
  for sender in "${senders[@]}"; do
    directory=${sender#*:}
    wait "${sender%%:*}" || fail "$directory: $(tail -n 3 "${directory##*/}.err")"
    check "$directory is there" same_trees "$directory" "out/$directory"
  done
}

for i in 1 2 3 4 5; do cp -a small "small$i"; done
start_with 1024
all_arrive small1 small2 small3 small4 small5
stop_recv
for limit in 64 128; do
  start_with "$limit"
  all_arrive small large spread
  nothing_left_over
  stop_recv
done

# Below what a single sender needs it says so.
code=0
(ulimit -n 30 && exec "$ADOC_BIN_DIR/adoc-recv" --out out --listen 127.0.0.1:0) 2>few.err || code=$?
check 'too few to serve anybody is said at once' [ "$code" == 2 ]
says few.err 'ulimit -n'
