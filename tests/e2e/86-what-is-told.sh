#!/usr/bin/env bash
# Goal: files are counted apart from directories and links, -v lists what changed and -vv the rest,
# the receiver's log says what went where and when, --help fits a page, and a bar survives a
# terminal that becomes narrow.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"

cd "$T"
mkdir -p tree/sub
echo a >tree/a
echo b >tree/sub/b
ln -s a tree/link

start_recv --insecure
sends 0 --insecure -v --json tree
figures_are files=2 directories=2 links=1 committed=5
says send.err 'sent 2 files, 2 directories, 1 link, 4 B'
says send.err 'tree/a: committed'
eventually grep -q received recv.err
says recv.err 'received 2 files, 2 directories, 1 link' ' and 2 more into ' "$T/out" \
  "at $(date +%Y-)" tree/
echo 'ok: what was sent is told by its kind, on both sides'

echo changed >tree/a
sends 0 --insecure -v tree
says send.err 'tree/a: committed'
check '-v lists what changes' bash -c '! grep -q "unchanged" send.err'
sends 0 --insecure -vv tree
says send.err 'tree/sub/b: unchanged'
says send.err 'tree/a: unchanged'
check 'in the order of their names, a directory behind what is in it' \
  [ "$(grep -o 'tree[a-z/]*: unchanged' send.err | cut -d: -f1 | tr '\n' ' ')" == \
  'tree/a tree/link tree/sub/b tree/sub tree ' ]
echo 'ok: -vv lists all'

# fits PROGRAM: its --help has 40 lines of 80 columns, and leads to the others.
fits() { "$1" --help | awk 'length > 80 { print; bad = 1 } END { exit bad || NR > 40 }'; }
for program in "$ADOC_SEND" "$ADOC_RECV"; do
  check "the help of ${program##*/} fits a page" fits "$program"
  check 'it says how to get all' grep -q -- --help-all <("$program" --help)
  check 'all is more' grep -q -- --fifo-packets <("$program" --help-all)
done

# A terminal of 80, then 30, then 12 columns: no line is wider than it is by then, and the last one
# stays.
head -c 2000000 /dev/urandom >a-file-with-a-long-name
cat >resize.py <<'END'
import fcntl, os, pty, re, struct, sys, termios
WIDTHS = [80, 30, 12]
def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, columns, 0, 0))
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    resize(0, WIDTHS[0])
    os.execvp(sys.argv[1], sys.argv[1:])
seen, bars, at = b"", 0, 0
drawn = []
while True:
    try:
        got = os.read(terminal, 65536)
    except OSError:
        break
    seen += got
    *lines, seen = re.split(rb"[\r\n]+", seen)
    for line in lines:
        text = line.removeprefix(b"\x1b[J").decode()
        # What was on its way when the width changed may be as wide as before.
        allowed = WIDTHS[max(0, at - 1)] if bars < 2 and at else WIDTHS[at]
        if not text.startswith("adoc-send: ") and len(text) >= allowed:
            sys.exit(f"{len(text)} columns in {allowed}: {text}")
        if "%" in text:
            drawn.append(text)
            bars += 1
    if bars >= 5 and at + 1 < len(WIDTHS):
        bars, at = 0, at + 1
        resize(terminal, WIDTHS[at])
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
if at != len(WIDTHS) - 1 or not drawn[-1].startswith("100%"):
    sys.exit(f"it ended at {WIDTHS[at]} columns with {drawn[-1:]}")
sys.exit(code)
END
check 'no bar is wider than the terminal' python3 resize.py "$ADOC_SEND" --insecure --level 0 \
  --bwlimit 500K a-file-with-a-long-name "127.0.0.1:$PORT"
stop_recv
