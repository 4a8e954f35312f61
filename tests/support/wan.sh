# shellcheck shell=bash
# A test over long paths: sourced after transfer.sh.
source "$(dirname "${BASH_SOURCE[0]}")/../bench/link.sh"

# work_over_wan KIB: works in so much memory, with a link that link_wan makes a long path of; skips
# the test where there can be none.
work_over_wan() {
  local why
  why=$(link_possible 2>&1) || skip "$why"
  [[ -c /dev/net/tun ]] || skip 'there is no /dev/net/tun'
  export LINK_WAN_PROGRAM=${ADOC_WAN_LINK:?the program that is a long path}
  work_in_memory "$1"
  at_end link_down
  link_up || skip 'no network namespaces here'
}
