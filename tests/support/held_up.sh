# Senders that have listed what they were given and have read nothing of it; sourced after
# transfer.sh.
#
# Standard input holds the stream up, and twelve files of 64 MiB (holes) are more batches than may
# be under way: as soon as the sender has their directory open, everything before them is listed.

# make_what_holds: in $T.
make_what_holds() {
  mkdir "$T/hold"
  local i
  for i in {1..12}; do truncate -s 64M "$T/hold/$i"; done
  mkfifo "$T/pace"
}

# hold_up SOURCE...: starts a sender that waits, $SENDER, to the receiver of start_recv.
hold_up() {
  "$ADOC_SEND" --name paced - "$@" "$T/hold" "127.0.0.1:$PORT" \
    <"$T/pace" >"$T/send.out" 2>"$T/send.err" &
  SENDER=$!
  exec 7>"$T/pace"
  eventually has_open "$SENDER" "$T/hold"
}

# let_go CODE: it goes on, and ends with this code.
let_go() {
  echo end >&7
  exec 7>&-
  ends "$1"
}
