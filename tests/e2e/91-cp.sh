#!/usr/bin/env bash
# Goal: adoc-cp goes directly where that pays and it can, else through ssh, says which, brings itself
# along, is not confused by what a login shell prints, takes no name that was not asked for, and
# goes on where a copy was cut off.
set -euo pipefail
source "$(dirname "$0")/../support/cp.sh"

cd "$T"
mkdir far
start_far

head -c 3000000 /dev/urandom >data
mkdir -p tree/sub
cp data tree/sub/data
seq 200000 >tree/numbers

cp_ends 0 -v data "far:$T/far/direct"
check 'the data goes over a connection of its own' grep -q 'of its own' cp.err
cp_ends 0 -v --via ssh data "far:$T/far/ssh"
check 'the data goes through ssh' grep -q 'through ssh' cp.err
check 'both arrive' cmp far/direct far/ssh
cp_ends 0 --via ssh -r tree "far:$T/far"
check 'a tree goes through ssh' diff -r tree far/tree
cp_ends 0 --via ssh -r "far:$T/far/tree" back
check 'and comes back' diff -r tree back
cp_ends 0 --json data "far:$T/far/direct"
check 'what is there is not sent again' grep -q '"skipped":1' cp.out
check 'on success nothing is said' empty cp.err

# A connection takes longer than what is little.
head -c 1048576 data >little
mkdir few many
for i in {1..255}; do echo "$i" >"few/$i" && echo "$i" >"many/$i"; done
touch many/256
ln -s ../data few/link
goes() {
  cp_ends 0 -v -r --links "${@:2}"
  grep -q "$1" cp.err || fail "$* does not: $(cat cp.err)"
}
own='of its own' little='through ssh, as there is little'
goes "$little" little "far:$T/far/little"
goes "$little" "far:$T/little" back/little
check 'what is little arrives' cmp back/little far/little
rm few/255 # the directory and the link count, too
goes "$little" few "far:$T/far"
goes "$little" "far:$T/few" back
check 'few files arrive' diff -r --no-dereference back/few far/few
goes "$own" many "far:$T/far"
goes "$own" "far:$T/many" back
cp_ends 0 -v -r few "far:$T/far/followed"
check 'what a link leads to may be more' grep -q "$own" cp.err
goes "$own" -n little data "far:$T/far"
goes "$own" --via direct little "far:$T/far/little2"
goes "$own" --via direct "far:$T/little" back/little2

# The far side need not say first that it is there.
cat >bin/shy <<'EOF'
#!/bin/bash
for i in {1..500}; do
  ! read -r -t 0 || exec adoc-cp "$@"
  sleep 0.02
done
exit 9
EOF
chmod +x bin/shy
goes "$little" --far-program shy little "far:$T/far/shy"
goes "$own" --far-program shy "far:$T/data" back/shy
check 'both arrive from who was asked at once' cmp back/shy data


# A login shell that prints a banner, and one without AdOC.
cat >bin/noisy <<EOF
#!/bin/sh
echo "Welcome! You have mail."
printf '\\211AdO not yet\\n'
exec adoc-cp "\$@"
EOF
chmod +x bin/noisy
cp_ends 0 --far-program noisy data "far:$T/far/noisy"
check 'a banner is no obstacle' cmp data far/noisy
cp_ends 3 --far-program no-such-program data "far:$T/far/none"
check 'without AdOC over there it says what to do' \
  grep -q 'on far: install the package adoc there, or add --bootstrap' cp.err
rm bin/adoc-cp
if ! sanitized; then
  cp_ends 0 --bootstrap data "far:$T/far/brought"
  check 'it brings itself along' cmp data far/brought
  check 'and no shell says that it was not found' empty cp.err
  check 'to the cache, for this user alone' [ "$(stat -c %a far-cache/adoc/adoc-cp-*)" = 700 ]
  printf 'x' >>"$(echo far-cache/adoc/adoc-cp-*)"
  cp_ends 0 --bootstrap data "far:$T/far/again"
  check 'what is not the same there any more is replaced' cmp "$ADOC_CP" far-cache/adoc/adoc-cp-*
fi
ln -s "$ADOC_CP" bin/adoc-cp

# A far side that sends what was not asked for (the class of CVE-2019-6111).
mkdir evil here
cp data evil/asked
echo 'evil::0:0::/:/bin/sh' >evil/passwd
cat >bin/liar <<EOF
#!/bin/sh
cd "$T/evil" && exec "$ADOC_CP" "\$@"
EOF
cat >bin/lies <<EOF
#!/bin/sh
cd "$T/evil" && LD_PRELOAD="$ADOC_LYING_GLOB" exec "$ADOC_CP" "\$@"
EOF
chmod +x bin/liar bin/lies
cp_ends 0 --far-program liar "far:$T/evil/ask*" here
check 'what was asked for arrives' cmp data here/asked
if ! sanitized; then
  cp_ends 5 --far-program lies "far:$T/evil/ask*" here
  check 'what was not asked for is named' grep -q 'passwd, which was not asked for' cp.err
  check 'and not taken' [ ! -e here/passwd ]
fi

# ssh that dies in the middle: the same command goes on.
head -c 60000000 /dev/urandom >large
cat >dying-ssh <<EOF
#!/bin/sh
exec 3<&0
ssh "\$@" <&3 &
child=\$!
(until [ -n "\$(find "$T/far/.adoc" -size +3000k)" ]; do sleep 0.02; done
kill \$child) >/dev/null 2>&1 &
wait \$child
EOF
chmod +x dying-ssh
code=0
"$ADOC_CP" -F "$SSH_CONFIG" -S "$T/dying-ssh" --via ssh --bwlimit 10M large "far:$T/far/large" \
  >cp.out 2>cp.err </dev/null || code=$?
check 'a copy that loses ssh fails' [ "$code" = 3 ]
check 'nothing half there has the name' [ ! -e far/large ]
cp_ends 0 --json large "far:$T/far/large"
check 'the same command completes it' cmp large far/large
check 'and sends less than all of it' grep -qE '"resumed_bytes":[1-9]' cp.out
check 'nothing is left over' [ ! -e far/.adoc ]
