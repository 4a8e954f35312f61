# A far side for adoc-cp; sourced. Adds to transfer.sh and sshd.sh:
#
#   start_far [NAME]           an sshd whose PATH has adoc-cp, under this name, in $T/bin; it is
#                              stopped at the end of the script
#   cp_ends CODE ARGUMENT...   adoc-cp by the sshd's configuration, which ends with this code within
#                              a minute; its output goes to $T/cp.out and $T/cp.err
source "$(dirname "${BASH_SOURCE[0]}")/transfer.sh"
source "$(dirname "${BASH_SOURCE[0]}")/sshd.sh"

start_far() {
  mkdir -p "$T/bin"
  ln -s "$ADOC_CP" "$T/bin/${1:-adoc-cp}"
  SSH_PATH=$T/bin:$PATH
  start_sshd
  at_end 'stop_sshd'
}

cp_ends() {
  local wanted=$1 code=0
  shift
  timeout 60 "$ADOC_CP" -F "$SSH_CONFIG" "$@" >"$T/cp.out" 2>"$T/cp.err" </dev/null || code=$?
  [[ $code == "$wanted" ]] ||
    fail "exit code $code instead of $wanted: adoc-cp $*: $(cat "$T/cp.err")"
}
