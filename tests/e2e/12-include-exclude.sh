#!/usr/bin/env bash
# Goal: --include and --exclude choose what rsync would choose. What is expected stands here; where
# rsync is installed, it is asked as well.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

start_recv -q
cd "$T"
set -f  # the patterns are for the programs
mkdir -p tree/{src/sub,build/src,docs/src/deep,tmp}
for file in a.c a.o b.h Makefile src/x.c src/x.o src/sub/y.c src/sub/y.h build/out.o build/src/z.c \
  docs/i.txt docs/src/j.txt docs/src/deep/k.c tmp/t 'tmp/a b' 'tmp/[x]' tmp/ax; do
  echo "$file" >"tree/$file"
done
ln -s a.c tree/link.c

names_below() { (cd "$1" && find . -mindepth 1 -printf '%P\n' | sort); }

# chooses SOURCE "RULES" EXPECTED...: with these rules exactly these arrive, and rsync agrees.
chooses() {
  local source=$1
  local -a rules
  read -ra rules <<<"$2"
  shift 2
  empty_out
  sends 0 "${rules[@]}" "$source"
  check "$source ${rules[*]}" [ "$(names_below out)" == "$(printf '%s\n' "$@" | sort)" ]
  if command -v rsync >/dev/null; then
    rm -rf by-rsync
    rsync -a "${rules[@]}" "$source" by-rsync/
    check "rsync agrees on $source ${rules[*]}" [ "$(names_below out)" == "$(names_below by-rsync)" ]
  fi
}

all=(a.c a.o b.h Makefile link.c src src/x.c src/x.o src/sub src/sub/y.c src/sub/y.h build build/out.o
  build/src build/src/z.c docs docs/i.txt docs/src docs/src/j.txt docs/src/deep docs/src/deep/k.c
  tmp tmp/t 'tmp/a b' 'tmp/[x]' tmp/ax)
# but PATTERN: all names without those that match the extended regular expression.
but() { printf '%s\n' "${all[@]}" | grep -vE "$1"; }
mapfile -t no_objects < <(but '\.o$')
mapfile -t no_src < <(but '(^|/)src(/|$)')
mapfile -t no_top_src < <(but '^src(/|$)')
mapfile -t no_docs_src < <(but '^docs/src(/|$)')
mapfile -t no_tmp_contents < <(but '^tmp/')
mapfile -t only_x < <(but '^tmp/a[x]$')

chooses tree/ '' "${all[@]}"
chooses tree/ '--exclude *.o' "${no_objects[@]}"
chooses tree/ '--exclude src' "${no_src[@]}"
chooses tree/ '--exclude src/' "${no_src[@]}"
chooses tree/ '--exclude /src' "${no_top_src[@]}"
chooses tree/ '--exclude docs/src' "${no_docs_src[@]}"
chooses tree/ '--exclude /docs/src/' "${no_docs_src[@]}"
chooses tree/ '--exclude a.c/' "${all[@]}"
chooses tree/ '--exclude tmp/*' "${no_tmp_contents[@]}"
chooses tree/ '--exclude tmp/**' "${no_tmp_contents[@]}"
chooses tree/ '--exclude /tmp/***' $(printf '%s\n' "${no_tmp_contents[@]}" | grep -v '^tmp$')
chooses tree/ '--exclude a[xyz]' "${only_x[@]}"
chooses tree/ '--exclude tmp/a?' "${only_x[@]}"
chooses tree/ '--exclude \[x\]' $(but 'tmp/\[x\]|a b') 'tmp/a b'
chooses tree/ '--include */ --include *.[ch] --exclude *' a.c b.h link.c src src/x.c src/sub \
  src/sub/y.c src/sub/y.h build build/src build/src/z.c docs docs/src docs/src/deep docs/src/deep/k.c tmp
chooses tree/ '--include *.c --exclude *' a.c link.c
chooses tree/ '--include /src/ --include /src/** --exclude *' src src/x.c src/x.o src/sub \
  src/sub/y.c src/sub/y.h
chooses tree/ '--exclude src/**/y.c' $(but '^src/sub/y\.c$|a b') 'tmp/a b'
chooses tree/ '--exclude src/**.h' $(but '^src/sub/y\.h$|a b') 'tmp/a b'
chooses tree/ '--exclude **/deep' $(but 'deep|a b') 'tmp/a b'
chooses tree/ '--exclude *.c --include a.c' $(but '\.c$|a b') 'tmp/a b'
chooses tree/ '--include a.c --exclude *.c' a.c $(but '\.c$|a b') 'tmp/a b'
chooses tree/ '--exclude [!a]*' a.c a.o
# What is only rsync's: prefixes, named classes, what a backslash means, an end to the rules so far.
chooses tree/ '--exclude [[:lower:]].[[:alpha:]]' $(but '(^|/)[a-z]\.[a-z]$|a b') 'tmp/a b'
chooses tree/ '--exclude [!x-z].[!ch]' $(but '(^|/)a\.o$|a b') 'tmp/a b'
chooses tree/ '--exclude [x' "${all[@]}"
chooses tree/ '--exclude a\.c' "${all[@]}"
chooses tree/ '--exclude a\.c*' $(but '^a\.c$|a b') 'tmp/a b'
chooses tree/ '--exclude *.o --exclude ! --exclude *.txt' $(but '\.txt$|a b') 'tmp/a b'
empty_out
sends 0 --exclude '+ a.c' --include '- *.[co]' --exclude '' tree/
check 'a prefix counts more than its option' [ "$(names_below out)" == \
  "$({ but '\.[co]$' && echo a.c; } | sort)" ]
for pattern in '- ' "$(printf '%4096s' '' | tr ' ' x)"; do
  expect_exit 2 "$ADOC_SEND" --exclude "$pattern" tree/ localhost:1
done
chooses tree '--exclude /src' tree "${all[@]/#/tree/}"
chooses tree '--exclude /tree/src' tree $(but '^src|a b' | sed 's,^,tree/,') 'tree/tmp/a b'
chooses tree '--exclude tree/tmp --exclude *.txt' tree $(but '^tmp|\.txt$' | sed 's,^,tree/,')
chooses tree/a.c '--exclude *.o' a.c
empty_out
sends 0 --exclude a.o tree/a.c tree/a.o tree/src
check 'a path that is given can be left out' [ "$(ls out)" == $'a.c\nsrc' ]
# A pattern that goes back and forth would take minutes on it.
mkdir longname
: >"longname/$(printf '%200s' '' | tr ' ' a)"
SECONDS=0
empty_out
sends 0 --exclude '*a*a*a*a*a*ab' longname/
check 'whatever the pattern is, it takes no time' [ $SECONDS -lt 20 ]
empty_out
sends 0 --json --exclude '*' tree/
figures_are files=0 committed=0
stop_recv
