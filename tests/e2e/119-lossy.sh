#!/usr/bin/env bash
# Goal: --lossy loses what it is told and no more, by an independent check of what arrives; the same
# whatever blocks and connections there are, also when a transfer goes on; it says what was lost,
# and is refused where it is not clear what is to be lost. Without it nothing is.
set -euo pipefail
source "$(dirname "$0")/../support/cp.sh"

work_in_memory 120000
mkdir numbers
python3 - <<'END'
import array, math, random, struct
r = random.Random(11)
def floats(code, count, special):
    wave = (math.sin(i / 50) * 100 + r.gauss(0, 1) for i in range(count))
    any_size = (math.ldexp(r.uniform(-1, 1), r.randrange(-100, 100)) for i in range(count // 10))
    return array.array(code, [*wave, *any_size]).tobytes() + special
inf, nan = math.inf, math.nan
open("numbers/f32", "wb").write(floats("f", 40000,
    struct.pack("<8f", 0.0, -0.0, inf, -inf, nan, 1e-42, -1e-42, 3.4e38)
    + struct.pack("<2I", 0x7f800001, 0xffc12345)) + b"end")
open("numbers/f64", "wb").write(floats("d", 30000,
    struct.pack("<8d", 0.0, -0.0, inf, -inf, nan, 5e-324, -1e-310, 1.7e308)
    + struct.pack("<2Q", 0x7ff0000000000001, 0xfff8000012345678)) + b"seven b")
open("numbers/i32", "wb").write(
    array.array("i", (int(r.gauss(0, 10 ** r.randrange(1, 8))) for _ in range(40000))).tobytes()
    + struct.pack("<4i", 0, 2**31 - 1, -2**31, 1))
smooth = [math.sin(i / 300) * 9 + math.sin(i / 77) for i in range(150000)]
open("numbers/smooth32", "wb").write(array.array("f", smooth).tobytes() + b"x")
parts = (part for value in smooth for part in (value, math.copysign(1, value) - value))
open("numbers/smooth64", "wb").write(array.array("d", parts).tobytes())
words = array.array("H", (r.randrange(65536) for _ in range(50000)))
open("numbers/u16", "wb").write(words.tobytes() + b"\xff")
END

# Reads the numbers of both files by itself: check TYPE MODE BOUND WAS IS [JSON]
cat >check.py <<'END'
import array, json, math, sys
kind, mode, bound, was_path, is_path = sys.argv[1:6]
bound = float(bound)
code, size, small = {"float32": ("f", 4, 2.0**-126), "float64": ("d", 8, 2.0**-1022),
                     "int32": ("i", 4, 1), "uint16": ("H", 2, 1)}[kind]
was, now = open(was_path, "rb").read(), open(is_path, "rb").read()
assert len(was) == len(now), "another size"
count = len(was) // size
assert was[count * size:] == now[count * size:], "the bytes behind the last number"
most = squares = errors = 0
window_squares = {}
window_errors = {}
def items(code, data):
    read = array.array(code, data[:count * size])
    if sys.byteorder == "big":
        read.byteswap()
    return read
words = {2: "H", 4: "I", 8: "Q"}[size]
pairs = zip(items(words, was), items(words, now), items(code, was), items(code, now))
for i, (a, b, x, y) in enumerate(pairs):
    if not math.isfinite(x) or abs(x) < small:
        assert a == b, f"number {i}, {x}, is to stay"
        continue
    assert math.isfinite(y), f"number {i} was {x} and is {y}"
    error = abs(y - x)
    most = max(most, error)
    if abs(x) < 1e100:
        squares += float(x) * x
        errors += float(error) * error
    if mode == "abs":
        assert error <= bound, f"number {i} is off by {error}"
    elif mode == "rel":
        assert error <= bound * abs(x), f"number {i}, {x}, is off by {error}"
    elif mode == "lsb":
        cut = int(bound)
        assert b == a >> cut << cut | 1 << cut - 1, f"number {i}: {a:x} became {b:x}"
    else:
        window = i * size // 65536
        window_squares[window] = window_squares.get(window, 0) + float(x) * float(x)
        window_errors[window] = window_errors.get(window, 0) + float(error) * float(error)
for window, total in window_squares.items():
    assert window_errors[window] * 10 ** (bound / 10) <= total * (1 + 1e-9), f"window {window}"
if len(sys.argv) > 6:
    told = json.loads(open(sys.argv[6]).read().splitlines()[-1])["lossy"]
    assert told["mode"] == f"{mode}:{bound:g}" and told["dtype"] == kind, told
    assert told["files"] == 1 and told["numbers"] == count, told
    assert told["max_error"] == most, (told, most)
    assert mode == "lsb" or most > 0
    if squares and told["rms_error"] is not None:
        rms = math.sqrt(errors / count)
        assert abs(told["rms_error"] - rms) <= 1e-6 * rms, (told, rms)
END

# lossy TYPE MODE BOUND FILE [OPTION...]: arrives as that says; it is then out/FILE.
lossy() {
  local type=$1 mode=$2 bound=$3 file=$4
  rm -f "out/$file"
  sends 0 --json -v --dtype "$type" --lossy "$mode:$bound" "${@:5}" "numbers/$file"
  check "$type $mode:$bound ${*:5}: what arrives is within it" \
    python3 check.py "$type" "$mode" "$bound" "numbers/$file" "out/$file" send.out
}

start_recv --json -v
for mode in 'lsb 12' 'abs 0.01' 'abs 1e-30' 'abs 1e35' 'rel 0.001' 'snr 40'; do
  # shellcheck disable=SC2086
  lossy float32 $mode f32
done
says send.err 'numbers/f32' 'lossy, largest error' 'SNR'
says send.err 'lossy snr:40 of float32: 1 file, largest error'
says recv.err 'f32' 'lossy snr:40 of float32, as the sender says'
says recv.err 'lossy snr:40 of float32: 1 file, as the sender says'
check 'so does the receiver'"'"'s object' grep -qF \
  '"lossy":{"mode":"snr:40","dtype":"float32","files":1}}' recv.out
for mode in 'lsb 28' 'abs 0.001' 'rel 1e-9'; do
  # shellcheck disable=SC2086
  lossy float64 $mode f64
done
for mode in 'lsb 8' 'abs 100' 'rel 0.01' 'snr 30'; do
  # shellcheck disable=SC2086
  lossy int32 $mode i32
done
lossy uint16 abs 20 u16

# What is lost does not depend on what carries it.
lossy float64 abs 0.001 f64
cp out/f64 wanted
for options in '--no-filters' '--policy adoc' '--level 0' '--block-size 1031' '--threads 1' \
  '--streams 3' '--ladder lz4 --block-size 65537'; do
  # shellcheck disable=SC2086
  lossy float64 abs 0.001 f64 $options
  check "the same bytes with $options" cmp wanted out/f64
done
lossy float32 snr 40 f32
cp out/f32 wanted
# Each block that a window lies in looks at all of it.
within=1031
! sanitized || within=20011
lossy float32 snr 40 f32 --block-size $within
check 'the same bytes, also of windows' cmp wanted out/f32

# It is denser.
rm out/f64
sends 0 --json --no-remember --min-level 6 --max-level 6 numbers/f64
check 'nothing is lost without it' cmp numbers/f64 out/f64
check 'nor told of' [ "$(grep -c lossy send.out)" = 0 ]
plain=$(figure wire_bytes)
lossy float64 abs 0.01 f64 --no-remember --min-level 6 --max-level 6
check 'what is left is half as long' [ $((2 * $(figure wire_bytes))) -lt "$plain" ]

# Of what is smooth hardly anything is left to tell, at every level that is not raw, in any blocks
# that have whole windows, and none of it without predictions (see below).
for options in '--min-level 6 --max-level 6' '--ladder zlib --level 6' \
  '--no-filters --ladder zstd --level 9' '--ladder lz4 --level 1' \
  '--block-size 200000 --min-level 6 --max-level 6'; do
  # shellcheck disable=SC2086
  lossy float32 abs 0.001 smooth32 --no-remember $options
  check "a number in 4 bits with $options" [ $((8 * $(figure wire_bytes))) -lt 600001 ]
done
lossy float64 snr 60 smooth64 --no-remember --min-level 6 --max-level 6
rm out/smooth64
sends 0 --json --no-remember --min-level 6 --max-level 6 --dtype complex128 --lossy abs:0.001 \
  numbers/smooth64
check 'complex ones are within it' python3 check.py float64 abs 0.001 numbers/smooth64 out/smooth64
check 'each of their parts in 4 bits' [ $((8 * $(figure wire_bytes))) -lt 1200000 ]

# Files of all sizes, and holes.
mkdir sizes
for size in 0 1 3 4 5 1000 4099 65535 65536 65537 131079; do
  head -c "$size" numbers/f32 >"sizes/$size"
done
truncate -s 3000001 sizes/holes
dd if=numbers/f32 of=sizes/holes bs=4096 seek=200 count=20 conv=notrunc status=none
sends 0 --dtype float32 --lossy abs:0.5 sizes
for file in sizes/*; do
  check "$file" python3 check.py float32 abs 0.5 "$file" "out/$file"
done
says send.err 'is no whole number of items of 4 bytes'
check 'numbers do not look like text' [ "$(grep -c 'looks like text' send.err)" = 0 ]
seq 1000 >numbers/text
sends 0 --dtype float32 --lossy abs:1e-3 numbers/text
says send.err "numbers/text" 'looks like text'

# What is there is compared with what would come.
sends 0 --json --dtype float32 --lossy abs:0.5 sizes
check 'by size and time it is there' [ "$(figure skipped)" -gt 10 ]
sends 0 --json --checksum --dtype float32 --lossy abs:0.5 sizes
check 'by contents it is there' [ "$(figure bytes)" = 0 ]
sends 0 --checksum --dtype float32 --lossy abs:0.25 sizes
check 'another loss is sent' python3 check.py float32 abs 0.25 sizes/131079 out/sizes/131079
sends 0 --checksum sizes
check 'and what is whole, whole' same_trees sizes out/sizes
stop_recv

# A transfer that was cut off goes on with the same bytes.
# A sanitizer makes it slow enough to be cut off at a sixth of the length.
copies=150
! sanitized || copies=25
for ((i = 0; i < copies; ++i)); do cat numbers/f32; done >large
size=$(stat -c %s large)
for mode in abs:0.01 snr:40; do
  rm -rf out/*
  start_recv
  sends 0 --dtype float32 --lossy "$mode" large
  mv out/large "whole-$mode"
  cut_off --threads 1 --ladder zlib --level 1 --dtype float32 --lossy "$mode" large
  start_recv
  sends 0 --json --dtype float32 --lossy "$mode" large
  check "$mode: some of it was there" [ "$(figure resumed_bytes)" -gt 0 ]
  check "$mode: the rest is sent" [ "$(figure bytes)" -lt "$size" ]
  check "$mode: it goes on with the same" cmp "whole-$mode" out/large
  stop_recv
done
# Two losses never become one file.
rm -rf out/*
start_recv
cut_off --threads 1 --ladder zlib --level 1 large
start_recv
sends 0 --json --dtype float32 --lossy abs:0.01 large
check 'what another transfer left is not gone on with' [ "$(figure resumed_bytes)" = 0 ]
check 'all of it is sent' cmp whole-abs:0.01 out/large
stop_recv

# Nor do several senders of one file.
shard_ends() {
  sends "$1" --json --dtype float32 --shard "$2/2" "${@:3}" shared
}
for _ in {1..50}; do cat numbers/f32; done >shared
rm -rf out
start_recv --json -v
sends 0 --dtype float32 --lossy abs:0.01 shared
mv out/shared whole
shard_ends 0 1 --lossy abs:0.01
shard_ends 1 2 --lossy abs:0.02
says send.err 'shared' 'others send it lossy abs:0.01 of float32, and this is lossy abs:0.02' \
  'all shards are to lose the same'
shard_ends 1 2
says send.err 'others send it lossy abs:0.01 of float32, and this is not lossy'
shard_ends 1 2 --checksum
says send.err 'others send it lossy abs:0.01 of float32, and this is not lossy'
check 'none of that is there' [ ! -e out/shared ]
shard_ends 0 2 --lossy abs:0.01
check 'senders of the same loss come to one file' cmp whole out/shared
says recv.err 'shared' 'lossy abs:0.01 of float32, as the sender says'
touch shared
shard_ends 0 1
shard_ends 1 2 --lossy abs:0.01
says send.err 'others send it not lossy, and this is lossy abs:0.01 of float32'
touch shared
# What one was told to be there it is to send again before there is a file.
shard_ends 0 1 --lossy abs:0.01
shard_ends 0 2 --lossy abs:0.01
check 'a source that was touched begins anew' cmp whole out/shared
nothing_left_over
stop_recv

# A file that is unpacked says it, too.
"$ADOC_SEND" --dtype float32 --lossy abs:0.01 --to-file x.adoc numbers/f32 2>send.err
rm -rf out
"$ADOC_RECV" --out out --from-file x.adoc --json -v >recv.out 2>recv.err
check 'what was unpacked is within it' \
  python3 check.py float32 abs 0.01 numbers/f32 out/f32
says recv.err 'f32' 'lossy abs:0.01 of float32, as the sender says'
says recv.err 'x.adoc: lossy abs:0.01 of float32: 1 file, as the sender says'
says recv.out '"lossy":{"mode":"abs:0.01","dtype":"float32","files":1}'

# A receiver that does not know of it: its hello comes without a feature, lossy, 65536, or
# predictions, 131072.
cat >unknowing.py <<'PYTHON'
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def passes(source, sink, hello):
    try:
        while data := source.recv(65536):
            if hello is not None:
                hello += data
                if len(hello) < 24:
                    continue
                bit = int(sys.argv[2]) >> 16
                assert hello[18] & bit
                data, hello = hello[:18] + bytes([hello[18] & ~bit]) + hello[19:], None
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass
while True:
    client = listener.accept()[0]
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=passes, args=(server, client, b""), daemon=True).start()
    threading.Thread(target=passes, args=(client, server, None), daemon=True).start()
PYTHON
rm -rf out
start_recv --insecure --json -v
python3 unknowing.py "$PORT" 65536 >unknowing.out &
eventually test -s unknowing.out
PORT=$(<unknowing.out)
lossy float32 abs 0.01 f32 --insecure
shard_ends 2 1 --insecure --lossy abs:0.01
says send.err 'the receiver is of a version that does not tell shards apart'
stop_recv
check 'a receiver that does not know of it says nothing' [ "$(cat recv.* | grep -c lossy)" = 0 ]
start_recv --insecure
lossy float32 abs 0.001 smooth32 --insecure --no-remember --min-level 6 --max-level 6
predicted=$(figure wire_bytes)
mv out/smooth32 predicted
python3 unknowing.py "$PORT" 131072 >unpredicting.out &
eventually test -s unpredicting.out
PORT=$(<unpredicting.out)
lossy float32 abs 0.001 smooth32 --insecure --no-remember --min-level 6 --max-level 6
check 'one that knows no predictions gets it longer' \
  [ "$(figure wire_bytes)" -gt $((2 * predicted)) ]
check 'and not as predicted' bash -c '! cmp -s predicted out/smooth32'
stop_recv

refused() {
  local words=$1
  shift
  start_recv
  sends 2 "$@" numbers/f32
  says send.err "$words"
  stop_recv
}
refused '--lossy abs:1: what the files hold is to be said, as in --dtype' --lossy abs:1
refused '--lossy abs:-1: the largest error is a number above 0' --dtype float32 --lossy abs:-1
refused '--lossy abs:nan: the largest error is a number above 0' --dtype float32 --lossy abs:nan
refused '--lossy lsb:99: of float32 1 to 23 bits can be cut' --dtype float32 --lossy lsb:99
refused '--lossy lsb:16: of uint16 1 to 15 bits can be cut' --dtype uint16 --lossy lsb:16
refused '--lossy snr:x: a number belongs behind snr:' --dtype float32 --lossy snr:x
refused '--lossy snr:0: it goes up from 0 dB' --dtype float32 --lossy snr:0
refused '--lossy rel:1: the largest error is more than 0 and less than 1' \
  --dtype float32 --lossy rel:1
refused 'none of lsb:BITS, abs:E, rel:E, snr:DB' --dtype float32 --lossy zfp:1
refused 'not of standard input' --dtype float32 --lossy abs:1 --name f -

# adoc-cp, either side of which may be the one that sends.
mkdir -p far back
start_far
cp_ends 0 --json --dtype float32 --lossy abs:0.01 numbers/f32 "far:$T/far/f32"
check 'adoc-cp there' python3 check.py float32 abs 0.01 numbers/f32 far/f32 cp.out
cp_ends 0 -v --dtype float32 --lossy abs:0.01 "far:$T/numbers/f32" back/f32
check 'adoc-cp from there' python3 check.py float32 abs 0.01 numbers/f32 back/f32
says cp.err 'lossy abs:0.01 of float32: 1 file, largest error'
