# shellcheck shell=bash
# Sourced by the benches, after link.sh: the ways to send one file over the link, and the clock.
# Needs $WORK (a directory of the bench), $DESTINATION (a tmpfs) and $ADOC_BIN_DIR.
#
#   start_receivers              adoc-recv and a private sshd, at the receiving end
#   make_ssh_files               keys and configuration of that sshd, in $WORK/ssh
#   run_sshd                     it, in the foreground; link_wait_listening $SSH_PORT tells when it is there
#   scp_options                  what makes scp reach it and nothing else, a word in each line
#   send_with TOOL FILE          TOOL: nc, scp, scp-C, or adoc with options of adoc-send after commas
#   timed_send TOOL FILE         the same, timed and compared; prints seconds and levels
#   statistics                  median, least, most and count of the numbers on standard input

NC_PORT=4398
SSH_PORT=4399
ADOC_PORT=4400

start_receivers() {
  mkdir -p "$DESTINATION/in"
  in_receiver "$ADOC_BIN_DIR/adoc-recv" -q --insecure --out "$DESTINATION/in" \
    --listen "$LINK_RECEIVER_ADDRESS:$ADOC_PORT" >"$WORK/recv.log" 2>&1 &
  make_ssh_files
  run_sshd &
  link_wait_listening "$ADOC_PORT"
  link_wait_listening "$SSH_PORT"
}

# With keys of its own: nothing of the user's or the machine's ssh is read or written.
make_ssh_files() {
  mkdir -m 700 "$WORK/ssh"
  ssh-keygen -q -t ed25519 -N '' -C '' -f "$WORK/ssh/host"
  ssh-keygen -q -t ed25519 -N '' -C '' -f "$WORK/ssh/user"
  cp "$WORK/ssh/user.pub" "$WORK/ssh/authorized"
  printf '[%s]:%s %s\n' "$LINK_RECEIVER_ADDRESS" "$SSH_PORT" "$(cat "$WORK/ssh/host.pub")" \
    >"$WORK/ssh/known"
  cat >"$WORK/ssh/sshd_config" <<END
ListenAddress $LINK_RECEIVER_ADDRESS:$SSH_PORT
HostKey $WORK/ssh/host
AuthorizedKeysFile $WORK/ssh/authorized
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
UseDNS no
PidFile none
Compression yes
Subsystem sftp internal-sftp
END
}

run_sshd() {
  # sshd wants an empty directory in /run: it gets a /run that only it sees.
  # shellcheck disable=SC2016 # for the inner shell
  in_receiver unshare --mount sh -c \
    'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$0" -D -f "$1" -E "$2"' \
    "$(command -v sshd || echo /usr/sbin/sshd)" "$WORK/ssh/sshd_config" "$WORK/ssh/sshd.log"
}

send_with() {
  local tool=$1 file=$2
  case $tool in
    nc) _send_nc "$file" ;;
    scp) _send_scp "$file" ;;
    scp-C) _send_scp "$file" -C ;;
    adoc*) _send_adoc "$tool" "$file" ;;
    *) echo "no such tool: $tool" >&2 && return 2 ;;
  esac
}

# Done when the last byte is in the file at the other end, as with the others. The listener was
# there before the clock started, as the others' were: see timed_send.
_send_nc() {
  in_sender nc -N "$LINK_RECEIVER_ADDRESS" "$NC_PORT" <"$1"
  wait "$NC_PID"
}

_listen_nc() {
  in_receiver nc -l "$LINK_RECEIVER_ADDRESS" "$NC_PORT" >"$DESTINATION/in/$1" &
  NC_PID=$!
  link_wait_listening "$NC_PORT"
}

scp_options() {
  printf '%s\n' -q -F /dev/null -i "$WORK/ssh/user" -P "$SSH_PORT" -o BatchMode=yes \
    -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=yes \
    -o UserKnownHostsFile="$WORK/ssh/known" -o GlobalKnownHostsFile=/dev/null
}

_send_scp() {
  local file=$1 options
  shift
  mapfile -t options < <(scp_options)
  in_sender scp "${options[@]}" "$@" "$file" "$(id -un)@$LINK_RECEIVER_ADDRESS:$DESTINATION/in/"
}

_send_adoc() {
  local options
  IFS=, read -r -a options <<<"$1"
  in_sender "$ADOC_BIN_DIR/adoc-send" -q --insecure --json "${options[@]:1}" "$2" \
    "$LINK_RECEIVER_ADDRESS:$ADOC_PORT" >"$WORK/send.json"
}

timed_send() {
  local tool=$1 file=$2 name begin end
  name=$(basename "$file")
  rm -rf "${DESTINATION:?}/in/$name"
  : >"$WORK/send.json"
  [[ $tool != nc ]] || _listen_nc "$name"
  begin=$EPOCHREALTIME
  send_with "$tool" "$file"
  end=$EPOCHREALTIME
  cmp "$file" "$DESTINATION/in/$name" || {
    echo "$tool did not deliver $name as it was" >&2
    return 1
  }
  awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.4f ", e - b }'
  sed -n 's/.*"levels":{\([^}]*\)}.*/\1/p' "$WORK/send.json" | tr -d '"'
}

statistics() {
  sort -g | awk '{ v[NR] = $1 }
    END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; print m, v[1], v[NR], NR }'
}
