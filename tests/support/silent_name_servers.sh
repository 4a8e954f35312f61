# Sourced before e2e.sh by tests that need name servers which do not answer: goes on in namespaces
# where that is so and SILENT_NAME_SERVERS is set, if this user may make them. There is no network
# in them but loopback.

if [[ -z ${SILENT_NAME_SERVERS:-} ]]; then
  map_root=()
  ((EUID == 0)) || map_root=(--map-root-user)
  if unshare --net --mount "${map_root[@]}" ip link set lo up 2>/dev/null; then
    SILENT_NAME_SERVERS=1 exec unshare --net --mount "${map_root[@]}" bash "$0" "$@"
  fi
fi

# make_name_servers_silent: each question is a line in $T/questions. After e2e.sh.
make_name_servers_silent() {
  ip link set lo up
  cp -a /etc "$T/etc" 2>/dev/null || true
  mount --bind "$T/etc" /etc
  echo 'hosts: files dns' >/etc/nsswitch.conf
  echo 'multi on' >/etc/host.conf
  printf 'nameserver 127.0.0.1\noptions timeout:30 attempts:5\n' >/etc/resolv.conf
  # Its socket is there before anybody can ask.
  python3 -c 'if True:
    import socket
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    print("ready", flush=True)
    while True:
        server.recv(512)
        print("asked", flush=True)
' >"$T/questions" &
  until [[ -s $T/questions ]]; do sleep 0.01; done
  at_end 'umount -l /etc'
}
