# shellcheck shell=bash
# Sourced by the benches. A link between two network namespaces of this machine, with a rate of its
# own, that nothing else on the machine sees. Needs root, iproute2 and util-linux.
#
#   link_possible            0, or says on standard error what is missing
#   link_up                  makes the link; to be called once, with link_down in the EXIT trap;
#                            named $LINK_NAME, if that is set
#   link_rate RATE|none      as tc writes it (10mbit, 1gbit), in both directions; also while it is
#                            used, but not back from below 2 Mbit/s, a modem, which stays one
#   link_single_packets RATE [BYTES]
#                            the same, but one packet after the other, without any that the link
#                            lets pass at once, and BYTES (65536) that may wait
#   link_wan PATH [OPTION]   a long path in the place of that link, until link_rate is called again:
#                            tests/support/wan_link.cpp says what PATH is; the program is
#                            $LINK_WAN_PROGRAM, and TCP's congestion control at both ends
#                            $LINK_CONGESTION (cubic)
#   in_sender COMMAND...     runs it at the one end; the other is $LINK_RECEIVER_ADDRESS from there
#   in_receiver COMMAND...   runs it at the other end
#   link_workplace BUILD     all that a script needs to race the programs of BUILD over such paths:
#                            a link that is removed at its end, BUILD's wan_link, and a directory in
#                            memory to work in, without the user's keys and caches
#   link_down                ends what still runs at either end, and removes the link

# Inside the namespaces nobody else has addresses.
export LINK_SENDER_ADDRESS=10.77.0.1
export LINK_RECEIVER_ADDRESS=10.77.0.2

link_possible() {
  local tool
  [[ $(id -u) == 0 ]] || {
    echo 'network namespaces and tc need root' >&2
    return 1
  }
  for tool in ip tc nsenter ss; do
    command -v "$tool" >/dev/null || {
      echo "$tool is missing (packages iproute2, util-linux)" >&2
      return 1
    }
  done
}

link_up() {
  LINK_NAME=${LINK_NAME:-adoc-$$-$RANDOM}
  ip netns add "$LINK_NAME-s"
  ip netns add "$LINK_NAME-r"
  _link_short
}

_link_short() {
  ip -n "$LINK_NAME-s" link add link0 type veth peer name link0 netns "$LINK_NAME-r"
  _link_end s "$LINK_SENDER_ADDRESS"
  _link_end r "$LINK_RECEIVER_ADDRESS"
}

# Its process is the one that has a device of a namespace open.
_link_wan_process() { pgrep -f "wan_link $LINK_NAME-s $LINK_NAME-r " || true; }

_link_wan_end() {
  local pid
  pid=$(_link_wan_process)
  [[ -n $pid ]] || return 0
  kill "$pid"
  # Its devices go with it.
  while ip -n "$LINK_NAME-s" link show link0 >/dev/null 2>&1; do sleep 0.01; done
}

link_wan() {
  local end said deadline=$((SECONDS + 20))
  _link_wan_end
  ip -n "$LINK_NAME-s" link del link0 2>/dev/null || true
  said=$(mktemp)
  "$LINK_WAN_PROGRAM" "$LINK_NAME-s" "$LINK_NAME-r" "$@" </dev/null >"$said" 2>&1 &
  until grep -q ready "$said"; do
    kill -0 "$!" 2>/dev/null && ((SECONDS < deadline)) || {
      cat "$said" >&2
      rm "$said"
      return 1
    }
    sleep 0.01
  done
  rm "$said"
  _link_end s "$LINK_SENDER_ADDRESS"
  _link_end r "$LINK_RECEIVER_ADDRESS"
  # A namespace may use only what the machine allows to everybody.
  local congestion=${LINK_CONGESTION:-cubic}
  local allowed=/proc/sys/net/ipv4/tcp_allowed_congestion_control
  grep -qw "$congestion" "$allowed" || echo "$(cat "$allowed") $congestion" >"$allowed"
  for end in s r; do
    nsenter --net="/run/netns/$LINK_NAME-$end" \
      sh -c "echo $congestion >/proc/sys/net/ipv4/tcp_congestion_control"
  done
}

_link_end() {
  ip -n "$LINK_NAME-$1" address add "$2/24" dev link0
  ip -n "$LINK_NAME-$1" link set lo up
  ip -n "$LINK_NAME-$1" link set link0 up
  # Else a connection would begin with what one of another tool, at another rate, had learnt.
  nsenter --net="/run/netns/$LINK_NAME-$1" sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_no_metrics_save'
}

link_rate() {
  local end
  if [[ -n $(_link_wan_process) ]]; then
    _link_wan_end
    _link_short
  fi
  for end in s r; do
    if [[ $1 == none ]]; then
      tc -n "$LINK_NAME-$end" qdisc del dev link0 root 2>/dev/null || true
    elif (($(_link_bits "$1") < 2000000)); then
      # A modem. Packets of 64 KiB would be seconds here.
      _link_single_packets "$end" "$1" 3200 32768
    else
      # 50 ms of packets may wait.
      tc -n "$LINK_NAME-$end" qdisc replace dev link0 root handle 1: \
        tbf rate "$1" burst "$(_link_burst "$1")" latency 50ms
    fi
  done
}

link_single_packets() {
  local end
  for end in s r; do _link_single_packets "$end" "$1" 1600 "${2:-65536}"; done
}

# _link_single_packets END RATE BURST BYTES
_link_single_packets() {
  ip -n "$LINK_NAME-$1" link set link0 gso_max_segs 1
  tc -n "$LINK_NAME-$1" qdisc replace dev link0 root handle 1: \
    tbf rate "$2" burst "$3" limit "$4"
}

_link_bits() {
  awk -v rate="$1" 'BEGIN {
    unit = tolower(rate); gsub(/[0-9.]/, "", unit)
    bits = rate + 0
    if (unit ~ /^k/) bits *= 1e3
    if (unit ~ /^m/) bits *= 1e6
    if (unit ~ /^g/) bits *= 1e9
    printf "%d\n", bits
  }'
}

# In bytes: 2 ms of the rate, but more than the largest packet that waits already (64 KiB, before it
# is cut up): tbf would never let that one through, and nothing behind it.
_link_burst() {
  local burst=$(($(_link_bits "$1") / 4000))
  echo $((burst < 70000 ? 70000 : burst))
}

# Lighter than "ip netns exec", which mounts a new /sys each time.
in_sender() { nsenter --net="/run/netns/$LINK_NAME-s" "$@"; }
in_receiver() { nsenter --net="/run/netns/$LINK_NAME-r" "$@"; }

# link_wait_listening PORT: until something listens there at the receiving end.
link_wait_listening() {
  local deadline=$((SECONDS + 20))
  until [[ -n $(in_receiver ss -Hltn "sport = :$1") ]]; do
    ((SECONDS < deadline)) || {
      echo "nothing listens on port $1" >&2
      return 1
    }
    sleep 0.01
  done
}

link_down() {
  [[ -n ${LINK_NAME:-} ]] || return 0
  local end pid
  _link_wan_end
  for end in s r; do
    [[ -e /run/netns/$LINK_NAME-$end ]] || continue
    while read -r pid; do
      kill -KILL "$pid" 2>/dev/null || true
    done < <(ip netns pids "$LINK_NAME-$end")
    ip netns del "$LINK_NAME-$end"
  done
  LINK_NAME=
}

link_workplace() {
  link_possible
  export LINK_WAN_PROGRAM=$1/tests/wan_link
  T=$(mktemp -d -p /dev/shm)
  trap 'link_down; rm -rf "$T"' EXIT
  export XDG_CONFIG_HOME=$T/config XDG_CACHE_HOME=$T/cache
  link_up
  cd "$T" || return
}
