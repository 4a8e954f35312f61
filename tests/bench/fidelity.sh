#!/usr/bin/env bash
# The measurements of Jeannot 2002 with AdOC, and AdOC against nc, scp and scp -C. See --help.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C.UTF-8

usage() {
  cat <<'END'
usage: fidelity.sh [options] [DATA_DIR]

Prints Table 1 and Figure 3 of the paper for this machine, and how long adoc-send takes to send a
sparse matrix and a tar of binaries over links of several rates, beside nc, scp and scp -C. The
links are two network namespaces with tc tbf between them: they need root. DATA_DIR holds the two
files, as *.hb or *.mtx and as *.tar, itself or in a folder below; without one they are made, as
large as the paper's (52,633,266 bytes).

  --matrix FILE, --tar FILE   these files
  --bin DIR                   where AdOC was built (default: build/ of this checkout)
  --only LIST                 of table1,figure3,links,random (default: all)
  --rates LIST                of the links, as tc writes them, or none (default:
                              10mbit,100mbit,1gbit,none); Table 2's others are
                              1.8mbit,507kbit,42.5kbit: 25 minutes a round
  --rounds N                  each tool once in each round (default: 3)
  --markdown                  headings between the tables, as PAPERS.md has them
  --help
END
}

die() {
  echo "fidelity.sh: $*" >&2
  exit 1
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ADOC_BIN_DIR=${ADOC_BIN_DIR:-$here/../../build}
matrix='' tar='' data='' only=table1,figure3,links,random rates=10mbit,100mbit,1gbit,none
rounds=3 markdown=''
while (($# > 0)); do
  case $1 in
    --matrix | --tar | --bin | --only | --rates | --rounds)
      [[ $# -ge 2 ]] || die "$1 needs a value"
      ;;&
    --matrix) matrix=$2 && shift ;;
    --tar) tar=$2 && shift ;;
    --bin) ADOC_BIN_DIR=$2 && shift ;;
    --only) only=$2 && shift ;;
    --rates) rates=$2 && shift ;;
    --rounds) rounds=$2 && shift ;;
    --markdown) markdown=1 ;;
    --help) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
    *) data=$1 ;;
  esac
  shift
done
[[ $rounds =~ ^[1-9][0-9]*$ ]] || die "--rounds $rounds is not a number from 1"
ADOC_BIN_DIR=$(cd "$ADOC_BIN_DIR" 2>/dev/null && pwd) || die 'AdOC is not built; see --bin'
[[ -x $ADOC_BIN_DIR/adoc-send && -x $ADOC_BIN_DIR/tests/paper_tables ]] ||
  die "adoc-send and tests/paper_tables are not in $ADOC_BIN_DIR"

# shellcheck source=link.sh
. "$here/link.sh"
# shellcheck source=tools.sh
. "$here/tools.sh"

WORK=$(mktemp -d)
export XDG_CACHE_HOME=$WORK/cache
DESTINATION=$WORK/destination
end_of_script() {
  local code=$? jobs
  trap '' INT TERM
  jobs=$(jobs -p)
  # shellcheck disable=SC2086 # one word for each process
  [[ -z $jobs ]] || kill $jobs 2>/dev/null || true
  link_down || true
  wait 2>/dev/null || true
  ! mountpoint -q "$DESTINATION" || umount "$DESTINATION"
  rm -rf "$WORK"
  exit "$code"
}
trap end_of_script EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

readonly kPaperBytes=52633266

# largest DIR PATTERN...: the largest file below with such a name.
largest() {
  local dir=$1 names=() pattern
  shift
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find "$dir" -maxdepth 2 -type f \( "${names[@]:1}" \) -printf '%s %p\n' |
    sort -rn | sed -n '1s/^[0-9]* //p'
}

find_data() {
  if [[ -n $data ]]; then
    [[ -n $matrix ]] || matrix=$(largest "$data" '*.hb' '*.mtx' '*.rsa')
    [[ -n $tar ]] || tar=$(largest "$data" '*.tar')
    [[ -n $matrix && -n $tar ]] || die "no matrix or no tar in $data; see --help"
  fi
  if [[ -z $matrix ]]; then
    matrix=$WORK/matrix.hb
    "$ADOC_BIN_DIR/tests/make_matrix" >"$matrix"
    truncate -s "$kPaperBytes" "$matrix"
  fi
  if [[ -z $tar ]]; then
    tar=$WORK/bin.tar
    # tar is stopped once there is enough of it.
    tar --sort=name --owner=0 --group=0 -C / -cf - usr/bin 2>/dev/null |
      head -c "$kPaperBytes" >"$tar" || true
    (($(stat -c %s "$tar") == kPaperBytes)) || die '/usr/bin is too small; see --tar'
  fi
  [[ -r $matrix ]] || die "cannot read $matrix"
  [[ -r $tar ]] || die "cannot read $tar"
}

heading() { printf '\n%s%s\n' "${markdown:+## }" "$1"; }
wanted() { [[ ,$only, == *",$1,"* ]]; }

# The share of the raw bytes that went at each level, levels above 9 in groups; at level 0 a block
# is one packet.
levels_in_words() {
  awk -F'[:,]' '
    function group(level) {
      if (top > 9 && level > 0)
        level = level <= 6 ? "1-6" : level <= 12 ? "7-12" : "13-20"
      return level
    }
    {
      if (NF == 0) next
      top = $(NF - 1)
      for (i = 1; i < NF; i += 2) {
        g = group($i)
        if (!(g in bytes)) order[++groups] = g
        bytes[g] += $(i + 1) * ($i == 0 ? 8192 : 204800)
        sum += $(i + 1) * ($i == 0 ? 8192 : 204800)
      }
      for (i = 1; i <= groups; ++i)
        if (bytes[order[i]] >= 0.005 * sum)
          printf "%s%s: %.0f %%", (n++ ? ", " : ""), order[i], 100 * bytes[order[i]] / sum
    }'
}

in_words() {
  case $1 in
    nc | scp) echo "$1" ;;
    scp-C) echo 'scp -C' ;;
    *) echo "adoc-send ${1#adoc,}" | tr ',' ' ' ;;
  esac
}

# race RATE FILE TOOL...: all tools in each round, each time another one first; then the table.
race() {
  local rate=$1 file=$2 name round i tool tools result nc_median median least most levels
  shift 2
  tools=("$@")
  name=$(basename "$file")
  rm -f "$WORK"/times.*
  link_rate "$rate"
  for ((round = 0; round < rounds; ++round)); do
    for ((i = 0; i < ${#tools[@]}; ++i)); do
      tool=${tools[(i + round) % ${#tools[@]}]}
      result=$(timed_send "$tool" "$file")
      echo "$result" >>"$WORK/times.$tool"
      echo "$rate $name $tool $result" >&2
    done
  done
  printf '\n%s, %s bytes, %s\n\n' "$(rate_in_words "$rate")" "$(stat -c %s "$file")" "$name"
  echo '| tool | median s | least | most | nc / tool | share of the bytes at each level |'
  echo '|---|---:|---:|---:|---:|---|'
  read -r nc_median _ < <(cut -d' ' -f1 "$WORK/times.nc" | statistics)
  for tool in "${tools[@]}"; do
    read -r median least most _ < <(cut -d' ' -f1 "$WORK/times.$tool" | statistics)
    levels=$(sort -g "$WORK/times.$tool" | sed -n "$(((rounds + 1) / 2))p" | cut -s -d' ' -f2 |
      levels_in_words)
    awk -v t="$(in_words "$tool")" -v m="$median" -v a="$least" -v b="$most" -v n="$nc_median" \
      -v l="$levels" 'BEGIN {
        printf "| %s | %.3f | %.3f | %.3f | %.2f | %s |\n", t, m, a, b, n / m, l
      }'
  done
}

rate_in_words() {
  if [[ $1 == none ]]; then echo 'No limit'; else
    echo "$1/s" | sed 's/kbit/ &/; s/[mg]bit/ \u&/'
  fi
}

# A file for a link as slow as this: the whole one, or its beginning. The slow links of Table 2 get
# what takes them 20 s, 30 s and two minutes as it is.
cut_for() {
  local rate=$1 file=$2 part bytes name
  case $rate in
    10mbit) bytes=$(($(stat -c %s "$file") / 5)) name=first-fifth-of ;;
    1.8mbit) bytes=4500000 name=beginning-of ;;
    507kbit) bytes=1900000 name=beginning-of ;;
    42.5kbit) bytes=640000 name=beginning-of ;;
    *)
      echo "$file"
      return
      ;;
  esac
  part="$WORK/$name-$(basename "$file")"
  head -c "$bytes" "$file" >"$part"
  echo "$part"
}

prepare_links() {
  mkdir -p "$DESTINATION"
  local most
  most=$(stat -Lc %s "$matrix" "$tar" | sort -n | tail -n 1)
  mount -t tmpfs -o "size=$((4 * most + 512000000))" tmpfs "$DESTINATION"
  link_up
  start_receivers
}

measure_links() {
  local rate file
  heading 'Transfer times'
  for rate in ${rates//,/ }; do
    for file in "$matrix" "$tar"; do
      race "$rate" "$(cut_for "$rate" "$file")" nc scp scp-C \
        adoc,--ladder,zlib,--policy,adoc adoc,--policy,adoc adoc,--level,0
    done
  done
}

measure_random() {
  local rate
  heading 'Incompressible data'
  head -c "$kPaperBytes" /dev/urandom >"$WORK/random"
  for rate in 100mbit 1gbit; do
    race "$rate" "$WORK/random" nc adoc,--ladder,zlib,--policy,adoc adoc,--policy,adoc \
      adoc,--level,0
  done
}

machine() {
  printf '%s, %s on %s, %s CPUs, Linux %s, TCP %s; load before: %s\n' "$(date -u +%Y-%m-%d)" \
    "$(. /etc/os-release && echo "$PRETTY_NAME")" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" \
    "$(nproc)" "$(uname -r)" \
    "$(cat /proc/sys/net/ipv4/tcp_congestion_control)" \
    "$(cut -d' ' -f1-3 /proc/loadavg)"
}

find_data
machine
cat "$matrix" "$tar" >/dev/null
if wanted table1; then
  heading 'Table 1: zlib levels, processor seconds'
  "$ADOC_BIN_DIR/tests/paper_tables" table1 "$matrix" "$tar" "$rounds"
fi
verdict=0
if wanted figure3; then
  heading 'Figure 3: compressed size against block size, zlib level 1'
  "$ADOC_BIN_DIR/tests/paper_tables" figure3 "$matrix" "$tar" || verdict=1
fi
if wanted links || wanted random; then
  if link_possible; then
    for program in nc scp ssh-keygen; do
      command -v "$program" >/dev/null ||
        die "$program is missing (netcat-openbsd, openssh-client, openssh-server)"
    done
    prepare_links
    ! wanted links || measure_links
    ! wanted random || measure_random
  else
    echo 'fidelity.sh: no transfer times were measured: see above' >&2
    verdict=1
  fi
fi
printf '\nLoad after: %s\n' "$(cut -d' ' -f1-3 /proc/loadavg)"
((verdict == 0))
