# Completion for bash, of adoc-send, adoc-recv and adoc-cp; needs the package bash-completion. The
# options are those that the program's own --help-all has, or --help where that is all, so that both
# are of one version.

# The long and short options at the start of the lines of --help-all.
_adoc_options() {
  { "$1" --help-all || "$1" --help; } 2>/dev/null |
    sed -nE 's/^ +((-[A-Za-z0-9], )?--[a-z0-9-]+(, --[a-z0-9-]+)*|-[A-Za-z0-9])( .*)?$/\1/p' |
    tr -d ' ' | tr ',' '\n'
}

# Values of the option $prev; fails when it has none that can be told.
_adoc_values() {
  local choices=
  case $prev in
    --policy) choices='auto adoc selective fixed' ;;
    --ladder) choices='auto zlib zstd lz4' ;;
    --dtype)
      choices='int8 int16 int32 int64 uint8 uint16 uint32 uint64'
      choices+=' float16 bfloat16 float32 float64 complex64 complex128'
      ;;
    --lossy)
      choices='lsb: abs: rel: snr:'
      compopt -o nospace
      ;;
    --streams) choices='auto 1 2 4 8 16' ;;
    --congestion) choices="auto $(cat /proc/sys/net/ipv4/tcp_available_congestion_control)" ;;
    --progress) choices='auto always never' ;;
    --log-level) choices='trace debug info warn error off' ;;
    --via) choices='auto ssh direct' ;;
    --out) _filedir -d ;;
    -i | -F | -S) _filedir ;;
    -J) _known_hosts_real -a -- "$cur" ;;
    -P | -l | -o | -c | -D | -X | --far-program) [[ ${1##*/} == adoc-cp ]] || return 1 ;;
    --exclude-from | --include-from | --files-from | --key-file | --trace | \
      --report | --report-from | --to-file | --from-file) _filedir ;;
    --save-key) _known_hosts_real -a -- "$cur" ;;
    --name | --shard | --exclude | --include | --min-level | --max-level | --level | \
      --block-size | --packet-size | --fifo-packets | --threads | --memory | --bwlimit | --for | \
      --wait | --retry | --timeout | --partial-age | --max-* | --min-free | --listen) ;;
    *) return 1 ;;
  esac
  [[ -z $choices ]] || mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
}

# SRC and DST of adoc-cp, as those of scp: the files of this machine, hosts, and behind HOST: the
# files over there, if ssh gets in without a question.
_adoc_cp_operands() {
  compopt -o nospace
  case $cur in
    !(*:*)/* | [.~]*) ;;
    *:*)
      _xfunc ssh _scp_remote_files
      return
      ;;
    *) _known_hosts_real -c -a -- "$cur" ;;
  esac
  _xfunc ssh _scp_local_files
}

_adoc() {
  local cur prev words cword split
  if [[ ${1##*/} == adoc-cp ]]; then
    _init_completion -s -n : || return
  else
    _init_completion -s || return
  fi
  _adoc_values "$1" && return
  # A value that belongs to an option which takes none.
  [[ ${split:-false} == false ]] || return
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_adoc_options "$1")" -- "$cur")
    return
  fi
  # All operands of adoc-recv are values of options.
  [[ ${1##*/} != adoc-recv ]] || return
  if [[ ${1##*/} == adoc-cp ]]; then
    _adoc_cp_operands
    return
  fi
  _filedir
  _known_hosts_real -a -- "$cur"
} && complete -F _adoc adoc-send adoc-recv adoc-cp
