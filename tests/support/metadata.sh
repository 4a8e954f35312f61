# Sourced by the scripts of tests/e2e that look at what is kept on request. Adds to transfer.sh a
# tree and what compares one with what rsync makes of it, with the options in $RSYNC.
source "$(dirname "${BASH_SOURCE[0]}")/transfer.sh"

# What of a tree rsync keeps, hard links by the names that are one file's.
belongings() {
  (
    cd "$1" || exit
    find . -mindepth 1 -printf '%y %m %U:%G %n %P -> %l\n' | sort
    find . -type f -links +1 -printf '%i %P\n' | sort | awk '
      { inode = $1; sub(/^[0-9]+ /, ""); names[inode] = names[inode] " | " $0 }
      END { for (inode in names) print "one file:" names[inode] }' | sort
    find . -mindepth 1 ! -type l -print0 | sort -z | xargs -0 getfattr -d -m '-' -e hex -- 2>&1
    find . -mindepth 1 ! -type l -print0 | sort -z | xargs -0 getfacl -n -- 2>&1
  )
}
# as_by_rsync NAME: out/NAME is what `rsync $RSYNC` makes of NAME.
as_by_rsync() {
  rm -rf by-rsync
  mkdir by-rsync
  # shellcheck disable=SC2086 # several options
  rsync $RSYNC "$1" by-rsync/
  belongings by-rsync/"$1" >expected
  belongings out/"$1" >found
  cmp -s expected found || fail "not as by rsync: $(diff expected found | head -40)"
  same_trees "$1" out/"$1"
}

make_tree() {
  mkdir -p tree/{one,two/deep,empty}
  seq 1000 >tree/one/file
  head -c 300000 /dev/urandom >tree/one/large
  ln tree/one/file tree/two/deep/same
  ln tree/one/file 'tree/two/the same again'
  ln tree/one/large tree/large
  ln -s one/file tree/link
  echo text >tree/two/marked
  echo 'a program' >tree/two/program
}

# only_metadata WHAT: the tree is sent again, WHAT has changed, and no data moves.
only_metadata() {
  # shellcheck disable=SC2086
  sends 0 $RSYNC --json tree
  figures_are bytes=0
  check "$1 is sent without data" [ "$(figure committed)" -gt 0 ]
  as_by_rsync tree
  # shellcheck disable=SC2086
  sends 0 $RSYNC --json tree
  figures_are committed=0 bytes=0
  echo "ok: $1 is as by rsync, and nothing is sent again"
}
