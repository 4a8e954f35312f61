#!/usr/bin/env bash
# Goal: all connections of a transfer are one of --max-transfers: it has all of them where only one
# is served, and others wait for their turn meanwhile. Of several transfers each has its own, also
# when some are lost and others take their place. With TLS and without.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

SUPPORT=$(cd "$(dirname "$0")/../support" && pwd)
work_in_memory 300000
seq 200000 >last
head -c 1000000 /dev/urandom >piece

# A source that goes on until there was enough, and has its name in it.
feed() { until [[ -e enough ]]; do echo "$1"; cat piece; done; }

# begin NAME OPTION...: a transfer of it over four connections, with a process $NAME.
begin() {
  local name=$1
  # What the transfer before of that name said is not taken for what this one says.
  : >"$name.err"
  feed "$name" | tee "$name.sent" | "$ADOC_SEND" -v --json --streams 4 --bwlimit 4M --retry 0 \
    "${@:2}" --name "$name" - "127.0.0.1:$PORT" >"$name.out" 2>"$name.err" &
  printf -v "$name" '%s' $!
  eventually grep -q '4 connections are there' "$name.err"
}

# finish NAME: it arrives, whatever its connections have been through.
finish() {
  ends 0 "${!1}"
  check "$1${how:+, not encrypted}: identical" cmp "$1.sent" "out/$1"
  cp "$1.out" send.out
  figures_are streams=4 retries=0 committed=1
}

# loses_one NAME: one of its connections, for which it makes another.
loses_one() {
  local had
  had=$(has_all "$1")
  eventually is_cut "${!1}"
  eventually has_more "$1" "$had"
}
has_all() { grep -c '4 connections are there' "$1.err"; }
has_more() { (($(has_all "$1") > $2)); }
is_cut() {
  (($(python3 "$SUPPORT/cut_connections.py" "$1" close "$RANDOM" 2>/dev/null || echo 0) > 0))
}

# waits OPTION...: a sender that comes meanwhile, with a process $WAITING.
waits() {
  : >last.err
  "$ADOC_SEND" --streams 4 "$@" last "127.0.0.1:$PORT" >last.out 2>last.err &
  WAITING=$!
}

for how in '' --insecure; do
  # shellcheck disable=SC2086 # none or one word
  start_recv --max-transfers 1 $how
  # shellcheck disable=SC2086
  begin one $how
  # shellcheck disable=SC2086
  waits $how
  eventually grep -q 'waiting for its turn: the next one, 1 transfer under way' last.err
  loses_one one
  check 'nobody else is served' [ ! -e out/last ]
  touch enough
  finish one
  ends 0 "$WAITING"
  check 'then it is its turn' cmp last out/last
  stop_recv
  rm -r out enough

  # shellcheck disable=SC2086
  start_recv --max-transfers 2 $how
  # shellcheck disable=SC2086
  begin one $how
  # shellcheck disable=SC2086
  begin two $how
  # shellcheck disable=SC2086
  waits $how
  eventually grep -q 'waiting for its turn: the next one, 2 transfers under way' last.err
  for lost in one two one two; do loses_one "$lost"; done
  check 'nor where two are served' [ ! -e out/last ]
  touch enough
  finish one
  finish two
  ends 0 "$WAITING"
  stop_recv
  rm -r out enough
done
