# Sourced.
#
# options_of PROGRAM: each option that its --help-all has, or --help where that is all, one a line:
# the short and long names at the start of lines.
options_of() {
  local options
  options=$({ "$1" --help-all 2>/dev/null || "$1" --help; } |
    sed -nE 's/^ +((-[A-Za-z0-9], )?--[a-z0-9-]+(, --[a-z0-9-]+)*|-[A-Za-z0-9])( .*)?$/\1/p' |
    tr -d ' ' | tr ',' '\n')
  (($(wc -l <<<"$options") > 10)) || fail "$1 --help-all shows too few options: $options"
  echo "$options"
}
