# An sshd of the test's own on loopback, with its own keys, that takes this user alone; sourced.
#
#   start_sshd             in ${SSHD_HOME:-$T/ssh}; sets SSH_PORT, SSH_CONFIG (for ssh -F), SSH_LOG
#   stop_sshd
#
# $SSHD_ADDRESS is where it listens instead of 127.0.0.1, $SSHD_PREFIX what runs it elsewhere,
# $SSHD_OPTIONS what else it is started with, $SSH_PATH its PATH, $SSHD_SETS what else it sets in its
# environment (NAME=VALUE...). HOME is an empty directory, for what the user's own start-up files
# print or take is not the test's.

start_sshd() {
  local home=${SSHD_HOME:-$T/ssh} path=${SSH_PATH:-$ADOC_BIN_DIR:$PATH} sshd
  sshd=$(command -v sshd || command -v /usr/sbin/sshd) || { echo 'there is no sshd'; return 1; }
  mkdir -p "$home/login" && chmod 700 "$home"
  ssh-keygen -q -t ed25519 -N '' -f "$home/host_key"
  ssh-keygen -q -t ed25519 -N '' -f "$home/user_key"
  cp "$home/user_key.pub" "$home/authorized_keys"
  [[ $EUID != 0 ]] || mkdir -p /run/sshd
  cat >"$home/sshd_config" <<EOF
HostKey $home/host_key
PidFile none
AuthorizedKeysFile $home/authorized_keys
StrictModes no
PasswordAuthentication no
PermitRootLogin yes
UsePAM no
MaxStartups 100:30:200
Subsystem sftp internal-sftp
SetEnv PATH=$path XDG_CACHE_HOME=$T/far-cache ${SSHD_SETS:-} HOME=$home/login
EOF
  # A free port is found by trying.
  local try
  for try in {1..50}; do
    # Below those that the system gives to others.
    SSH_PORT=$((10000 + (RANDOM * 7 + $$ * 13 + try * 101) % 22000))
    SSH_LOG=$home/sshd.log
    : >"$SSH_LOG"
    # shellcheck disable=SC2086 # words
    ${SSHD_PREFIX:-} "$sshd" -D -e -f "$home/sshd_config" -p "$SSH_PORT" ${SSHD_OPTIONS:-} \
      -o ListenAddress="${SSHD_ADDRESS:-127.0.0.1}" 2>"$SSH_LOG" &
    SSHD_PID=$!
    local i
    for i in {1..100}; do
      grep -q 'Server listening' "$SSH_LOG" && break 2
      kill -0 "$SSHD_PID" 2>/dev/null || break
      sleep 0.02
    done
    # It has ended where the port was somebody else's, which is no failure of the script.
    if kill "$SSHD_PID" 2>/dev/null; then :; fi
    if wait "$SSHD_PID" 2>/dev/null; then :; fi
  done
  grep -q 'Server listening' "$SSH_LOG" || { cat "$SSH_LOG"; return 1; }
  SSH_CONFIG=$home/config
  local host
  {
    for host in far other; do
      cat <<EOF
Host $host
  HostName ${SSHD_ADDRESS:-127.0.0.1}
  Port $SSH_PORT
EOF
    done
    cat <<EOF
Host *
  IdentityFile $home/user_key
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile $home/known_hosts
  LogLevel ERROR
EOF
  } >"$SSH_CONFIG"
}

stop_sshd() {
  [[ -n ${SSHD_PID:-} ]] || return 0
  kill "$SSHD_PID" 2>/dev/null
  wait "$SSHD_PID" 2>/dev/null
  SSHD_PID=
}
