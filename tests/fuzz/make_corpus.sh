#!/usr/bin/env bash
# Writes the golden files into DIRECTORY as inputs of a fuzzer:
#
#   tests/fuzz/make_corpus.sh wire corpus && wire_fuzzer -max_total_time=180 corpus
#
# The first byte of wire_fuzzer's selects a decoder. codec_fuzzer's begin with codec and raw length,
# then comes what a block stores. What the others take is a list of choices, for which any bytes
# will do.
set -euo pipefail

fuzzers='bzip3|channel|codec|journal|messages|papers|prediction|receive|send|wire'
usage="usage: make_corpus.sh $fuzzers DIRECTORY"
fuzzer=${1:?$usage}
corpus=${2:?$usage}
golden=$(dirname "$0")/../golden/v1
mkdir -p "$corpus"

case $fuzzer in
  messages)
    { printf '\0\7\1\0'; cat "$golden-messages/messages.bin"; } >"$corpus/messages"
    exit
    ;;
  papers)
    # SEG-Y of each sample format, one trace of two samples: number of samples and format are in
    # the headers, most significant byte first.
    for format in 1 2 3 5 8; do
      for selector in 0 1; do
        {
          printf "\\$selector"
          head -c 3220 /dev/zero
          printf "\\0\\2\\0\\0\\0\\$format"
          head -c $((3600 - 3226 + 240)) /dev/zero
          case $format in
            3) printf '\1\2\3\4' ;;
            8) printf '\1\2' ;;
            *) printf 'B\0\1\2B\0\3\4' ;;
          esac
        } >"$corpus/$selector-segy-$format"
      done
    done
    for selector in 2 3 4 5 6; do printf "\\$selector" >"$corpus/$selector"; done
    exit
    ;;
  channel)
    cp "$golden"-channel/*.bin "$corpus"
    exit
    ;;
  bzip3 | journal | prediction | receive | send)
    cp "$golden"/good/*.bin "$corpus"
    exit
    ;;
  codec)
    # A block, one packet, the block's end; frames begin with type:u8 length:u32.
    for codec in 1:zlib 2:lz4 3:zstd; do
      file=$golden/good/block-run-${codec#*:}.bin
      stored=$((5 + $(od -An -tu1 -j1 -N1 "$file") + 5))
      { printf "\\x0${codec%:*}\\xff\\x00"; tail -c "+$((stored + 1))" "$file" | head -c -10; } \
        >"$corpus/${codec#*:}"
    done
    exit
    ;;
  wire) ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
esac

# The selector's byte, then the file without its first SKIP and its last DROP bytes.
with() {
  local selector=$1 file=$2 skip=$3 drop=$4
  { printf "\\x$selector"; tail -c "+$((skip + 1))" "$file" | head -c "-$drop"; } \
    > "$corpus/$selector-$(basename "$(dirname "$file")")-$(basename "$file")"
}

for file in "$golden"/good/*.bin "$golden"/bad/*.bin; do
  case $(basename "$file") in
    hello-*) with 0a "$file" 0 0 ;;
    to-receiver*) with 0b "$file" 0 0 ;;
    to-sender*) with 0c "$file" 0 0 ;;
    *)
      with 17 "$file" 0 0
      # The record alone: without the frame's header and its check value.
      case $(basename "$file") in
        offer-*) with 01 "$file" 5 4 ;;
        want-*) with 02 "$file" 5 4 ;;
        status*) with 10 "$file" 5 4 ;;
        keep-alive*) with 11 "$file" 5 4 ;;
        skip*) with 05 "$file" 5 4 ;;
        done-*) with 06 "$file" 5 4 ;;
        commit-*) with 07 "$file" 5 4 ;;
        end-*) with 08 "$file" 5 4 ;;
        error*) with 09 "$file" 5 4 ;;
      esac
      # The manifest alone: behind the one-byte batch, flags, codec and length of a short offer.
      case $file in
        */good/offer-file* | */good/offer-directory* | */good/offer-symlink* | \
          */good/offer-lossy.bin)
          with 00 "$file" 9 4
          with 0d "$file" 9 4 ;;
      esac ;;
  esac
done
