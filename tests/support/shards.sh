# Sourced by the scripts of tests/e2e that send one source by several senders.
source "$(dirname "${BASH_SOURCE[0]}")/transfer.sh"

# make_shared_tree: $T/tree with all that is sent in parts, in a way of its own each.
make_shared_tree() {
  local i
  mkdir -p tree/{many,deep/a/b/c,empty/{one,two/three},only/links,closed,large}
  for i in {1..120}; do head -c $((i * 97)) /dev/urandom >"tree/many/$i"; done
  for i in {1..12}; do echo "$i" >"tree/deep/a/b/c/$i" && echo "$i" >"tree/deep/a/$i"; done
  for i in {1..9}; do ln -s "../../many/$i" "tree/only/links/$i"; done
  : >'tree/many/nothing in it'
  echo odd >$'tree/many/new\nline \xff'
  head -c 200000 /dev/urandom >tree/closed/in
  head -c 30000001 /dev/urandom >tree/large/random
  head -c 9000000 /dev/zero | tr '\0' x >tree/large/same
  truncate -s 60M tree/large/sparse
  printf 'head' | dd of=tree/large/sparse conv=notrunc status=none
  head -c 5000000 /dev/urandom | dd of=tree/large/sparse bs=1M seek=17 conv=notrunc status=none
  truncate -s 50M tree/large/hole
  chmod 640 tree/large/same
  chmod 600 tree/many/7
  find tree -exec touch -h -d '2020-02-03 04:05:06.789 UTC' {} +
  touch -d '2021-01-01 UTC' tree/deep/a tree/large tree/empty/two
  chmod 555 tree/closed
}

# Bytes of the files below a directory, without their holes of 4 KiB and more.
data_bytes() {
  python3 - "$1" <<'PYTHON'
import os
import sys

total = 0
for top, _, names in os.walk(sys.argv[1]):
    for name in names:
        path = os.path.join(top, name)
        if os.path.islink(path):
            continue
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            at = 0
            while at < size:
                try:
                    data = os.lseek(file.fileno(), at, os.SEEK_DATA)
                except OSError:
                    break
                at = os.lseek(file.fileno(), data, os.SEEK_HOLE)
                total += at - data
print(total)
PYTHON
}

# shard K/N ARGUMENT...: that sender, to the receiver of start_recv, ends well; its output goes to
# $T/K-N.out and $T/K-N.err.
shard() {
  local of=$1 name=${1/\//-} code=0
  shift
  "$ADOC_SEND" --json --shard "$of" "$@" "127.0.0.1:$PORT" >"$T/$name.out" 2>"$T/$name.err" ||
    code=$?
  [[ $code == 0 ]] || fail "exit code $code of --shard $of: $(tail -n 5 "$T/$name.err")"
}

# each_shard N ARGUMENT...: all N of them, one after the other. all_shards: at once.
each_shard() {
  local count=$1 k
  shift
  for ((k = 1; k <= count; ++k)); do shard "$k/$count" "$@"; done
}
all_shards() {
  local count=$1 k pids=() pid
  shift
  for ((k = 1; k <= count; ++k)); do
    shard "$k/$count" "$@" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "a sender of $count failed"; done
}

# sum KEY N: of a figure of all N senders.
sum() {
  local k total=0
  for ((k = 1; k <= $2; ++k)); do total=$((total + $(figure "$1" "$T/$k-$2.out"))); done
  echo "$total"
}

# pieces: how many are whole, of files that have no name yet. A record has 32 bytes, its flags
# behind 24.
pieces() {
  python3 - <<'PYTHON'
import glob

whole = 0
for table in glob.glob("out/.adoc/.adoc-*.pieces"):
    try:
        with open(table, "rb") as file:
            records = file.read()[4096:]
    except FileNotFoundError:
        continue
    whole += sum(flags & 1 for flags in records[24::32])
print(whole)
PYTHON
}
