#!/usr/bin/env bash
# Goal: whoever can write below a source cannot lead the sender out of it while it is sent; and what
# the sender needs of descriptors and of the length of a path does not grow with the tree.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
source "$(dirname "$0")/../support/held_up.sh"

work_in_memory 65536
start_recv -q --max-depth 2047

make_what_holds
printf '#!/bin/sh\nulimit -Sn 64\nexec "%s" "$@"\n' "$ADOC_SEND" >with-few-descriptors
chmod +x with-few-descriptors

# Size and time of what is behind the link are those of what was listed.
mkdir -p tree/sub secrets
echo public >tree/sub/file
echo secret >secrets/file
touch -d '2020-01-01 UTC' tree/sub/file secrets/file
ADOC_SEND=$T/with-few-descriptors hold_up tree
check 'the sender may have as many descriptors as it could have' \
  [ "$(awk '/^Max open files/ {print $4}' "/proc/$SENDER/limits")" == "$(ulimit -Hn)" ]
mv tree/sub elsewhere
ln -s "$T/secrets" tree/sub
let_go 1
check 'nothing of what a parent became a link to arrives' [ ! -e out/tree/sub/file ]
says send.err tree/sub/file 'cannot open it'
rm tree/sub
empty_out

# The same file by its own path.
mkdir tree/sub
cp -p elsewhere/file tree/sub/file
ADOC_SEND=$T/with-few-descriptors hold_up tree/sub/file
mv tree/sub elsewhere.too
ln -s "$T/secrets" tree/sub
let_go 1
check 'nor if the user named the file itself' [ ! -e out/file ]
says send.err tree/sub/file 'changed after it was listed'
rm tree/sub
empty_out

# The directory that the user named is held open.
mkdir tree/sub
cp -p elsewhere/file tree/sub/file
ADOC_SEND=$T/with-few-descriptors hold_up tree
mv tree moved
ln -s "$T/secrets" tree
let_go 0
check 'a renamed source is sent from where it is' [ "$(<out/tree/sub/file)" == public ]
empty_out

# A tree of 1,500 levels at a path that no call takes, 256 files in as many directories, and many
# sources: each needs few descriptors.
python3 - <<'END'
import os
os.mkdir("deep")
os.chdir("deep")
for component in ["x" * 200] * 12 + ["d"] * 1500:
    os.mkdir(component)
    os.chdir(component)
    open("f", "w").close()
END
mkdir -p wide many
for i in {1..256}; do
  mkdir "wide/$i" "many/$i"
  echo "$i" >"wide/$i/file"
  echo "$i" >"many/$i/own$i"
done
few() { (
  ulimit -n 40
  ulimit -Hn 40
  sends "$@"
); }
top=deep
for _ in {1..11}; do top+=/$(printf 'x%.0s' {1..200}); done
# Whether a receiver can make it is another question.
few 0 --json --dry-run "$top/"
figures_are committed=3003 files=1502 directories=1501
echo 'ok: a deep tree is walked'
few 0 wide
check 'many directories' same_trees wide out/wide
empty_out
few 0 many/*/
check 'many sources' [ "$(find out -type f | wc -l)" == 256 ]
stop_recv
