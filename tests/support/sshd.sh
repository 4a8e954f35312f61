# An sshd of the test's own on loopback, with its own keys, that takes this user alone; sourced.
#
#   start_sshd             in $T/ssh; sets ssh_port, ssh_config (for ssh -F), ssh_log
#   stop_sshd

start_sshd() {
  local home=$T/ssh sshd
  sshd=$(command -v sshd || command -v /usr/sbin/sshd) || { echo 'there is no sshd'; return 1; }
  mkdir -p "$home" && chmod 700 "$home"
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
SetEnv PATH=${ssh_path:-$ADOC_BIN_DIR:$PATH} XDG_CACHE_HOME=$T/far-cache
EOF
  # A free port is found by trying.
  local try
  for try in {1..50}; do
    ssh_port=$((20000 + (RANDOM * 7 + $$ * 13 + try * 101) % 40000))
    ssh_log=$home/sshd.log
    : >"$ssh_log"
    "$sshd" -D -e -f "$home/sshd_config" -p "$ssh_port" -o ListenAddress=127.0.0.1 2>"$ssh_log" &
    sshd_pid=$!
    local i
    for i in {1..100}; do
      grep -q 'Server listening' "$ssh_log" && break 2
      kill -0 "$sshd_pid" 2>/dev/null || break
      sleep 0.02
    done
    kill "$sshd_pid" 2>/dev/null
    wait "$sshd_pid" 2>/dev/null
  done
  grep -q 'Server listening' "$ssh_log" || { cat "$ssh_log"; return 1; }
  ssh_config=$home/config
  local host
  {
    for host in far other; do
      cat <<EOF
Host $host
  HostName 127.0.0.1
  Port $ssh_port
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
  } >"$ssh_config"
}

stop_sshd() {
  [[ -z ${sshd_pid:-} ]] || { kill "$sshd_pid" 2>/dev/null; wait "$sshd_pid" 2>/dev/null; sshd_pid=; }
}
