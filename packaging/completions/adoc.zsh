#compdef adoc-send adoc-recv adoc-cp
# Completion for zsh. The options are those that the program's own --help-all has, so that both are
# of one version.

# The options of the program $1, as _arguments has them: NAMES[TEXT]:VALUE:ACTION.
_adoc_specs() {
  local line names value text action name
  # Names, value, help.
  local pattern='^ +((-[A-Za-z0-9](, )?)?(--[a-z0-9-]+(, --[a-z0-9-]+)*)?)'
  pattern+='( ([A-Z][^ ]*))?(  +(.*))?$'
  local -a parts
  for line in ${(f)"$({ $1 --help-all || $1 --help } 2>/dev/null)"}; do
    [[ $line =~ $pattern ]] || continue
    names=$match[1] value=${match[7]//:/\\:} text=${match[9]//:/\\:}
    text=${${text//\[/\\[}//\]/\\]}
    case $names:$value in
      *--policy:*) action='(auto adoc selective fixed)' ;;
      *--ladder:*) action='(auto zlib zstd lz4)' ;;
      *--dtype:*) action='(int8 int16 int32 int64 uint8 uint16 uint32 uint64'
        action+=' float16 bfloat16 float32 float64 complex64 complex128)' ;;
      *--lossy:*) action='(lsb\: abs\: rel\: snr\:)' ;;
      *--progress:*) action='(auto always never)' ;;
      *--log-level:*) action='(trace debug info warn error off)' ;;
      *--via:*) action='(auto ssh direct)' ;;
      *--save-key:*) action='_adoc_hosts' ;;
      *--out:*) action='_files -/' ;;
      *:FILE) action='_files' ;;
      -J:*) action='_adoc_hosts' ;;
      *) action=' ' ;;
    esac
    parts=(${(s:, :)names})
    for name in $parts; do
      if [[ -z $value ]]; then
        reply+=("*${name}[$text]")
      elif [[ $name == --* ]]; then
        reply+=("*${name}=[$text]:$value:$action")
      else
        reply+=("*${name}+[$text]:$value:$action")
      fi
    done
  done
}

# Hosts as zsh completes them for ssh, followed by $1.
_adoc_hosts() {
  local expl
  _wanted hosts expl host _ssh_hosts "$@"
}

_adoc_cp_operands() {
  if compset -P 1 '[^./][^/]#:'; then
    _remote_files -- ssh ${(kv)~opt_args[(I)-[FP46]]/-P/-p}
  elif compset -P 1 '*@'; then
    _adoc_hosts -S : -r :
  else
    _alternative 'files:file:_files' 'hosts:host:_ssh_hosts -S : -r :'
  fi
}

_adoc_send_operands() { _alternative 'files:file:_files' 'hosts:host:_ssh_hosts'; }

_adoc() {
  local -a reply
  local -A opt_args
  _adoc_specs $words[1]
  case ${words[1]:t} in
    adoc-cp) reply+=('*:file:_adoc_cp_operands') ;;
    adoc-send) reply+=('*:path or host:_adoc_send_operands') ;;
  esac
  _arguments -s -S $reply
}

_adoc "$@"
