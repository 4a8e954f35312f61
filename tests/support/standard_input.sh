# Sourced by the scripts of tests/e2e that lose connections over which standard input comes: its
# directory $T is in memory, with the files noise, as and data; and the verbs below.
source "$(dirname "${BASH_SOURCE[0]}")/transfer.sh"

SUPPORT=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work_in_memory 150000
head -c 3000000 /dev/urandom >noise
head -c 3000000 /dev/zero | tr "\0" a >as
cat noise as noise noise noise noise noise noise >data

# start_proxy [CUTS BYTES SEED]: between a sender and the receiver of start_recv; sets $PORT.
start_proxy() {
  exec 8>&-
  rm -f proxy.in proxy.out
  mkfifo proxy.in
  python3 "$SUPPORT/moody_proxy.py" "$PORT" "$@" <proxy.in >proxy.out 2>proxy.err &
  exec 8>proxy.in
  eventually test -s proxy.out
  PORT=$(head -n 1 proxy.out)
}
tell() { echo "$1" >&8; }

# begin OPTION...: sends what is written to descriptor 7; sets $SENDER.
begin() {
  rm -f input
  mkfifo input
  "$ADOC_SEND" -v --json "$@" --name data - "127.0.0.1:$PORT" <input >send.out 2>send.err 8>&- &
  SENDER=$!
  exec 7>input
}
# It is lost for good, which its sender says.
is_lost() {
  tell cut
  ends 3
  exec 7>&-
  says send.err 'what standard input gave is gone, so nothing can go on'
}
grew_to() { [[ -n $(find out -type f -size "+$1" 2>/dev/null) ]]; }
arrived() { grew_to 2900k; }
arrives() { check "$1: it arrives" cmp data out/data; }
is_new() { [[ $(grep -c "$2" "$1" || true) -gt $3 ]]; }
