#!/usr/bin/env bash
# Goal: whatever a sender says, nothing is written outside of --out, the receiver's memory stays
# under what it states, it does not crash, and an honest sender is served afterwards.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

work_in_memory 200000
mkdir outside honest
echo alive >outside/canary
head -c 3000000 /dev/urandom >honest/file
echo small >honest/small
outside() { find outside -printf '%p %m %s %C@\n' | sort; }
outside >outside.before

# What the attacks take of the machine is bounded by the limits, too.
start_recv -q --insecure --max-bytes 100M
serves() {
  sends 0 "${insecure[@]}" honest
  cmp honest/file out/honest/file && cmp honest/small out/honest/small
}
insecure=()
! "$ADOC_SEND" --help | grep -q -- --insecure || insecure=(--insecure)
check 'an honest sender is served' serves

for attack in names kinds links sizes inflation offers noise connections; do
  rm -rf out/* out/.[!.]*
  timeout 60 "$ADOC_BIN_DIR/tests/hostile_sender" "$PORT" "$attack" "$T/outside" ||
    fail "the attack itself fails: $attack"
  check "$attack: the receiver lives" kill -0 "$RECV_PID"
  check "$attack: nothing outside has changed" diff outside.before <(outside)
  check "$attack: only files, directories and links are there" \
    [ -z "$(find out ! -type f ! -type d ! -type l)" ]
  echo "    $attack: up to $(peak_memory "$RECV_PID") KiB"
  if ! sanitized; then
    # --memory of each of two or three that overlap; one alone stays far below it.
    check "$attack: memory" [ "$(peak_memory "$RECV_PID")" -lt 229376 ]
  fi
  check "$attack: an honest sender is served" serves
done
stop_recv
