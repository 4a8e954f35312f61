#!/usr/bin/env bash
# Goal: --report and --report-from make one page that says what the trace says, in a browser at the
# sizes of a phone, a tablet and a desk, without an error, a wish for the network, or a name that
# becomes markup; what cannot be written or read is said, and before the transfer where it can be.
set -euo pipefail
source "$(dirname "$0")/../support/e2e.sh"
source "$(dirname "$0")/../support/browser.sh"
check_page=$(cd "$(dirname "$0")/../support" && pwd)/report_check.py
cd "$T"

name='<b>&"x'\''.txt'
python3 -c 'import random, sys
r = random.Random(1)
words = [bytes(r.choices(range(97, 123), k=r.randint(2, 9))) for _ in range(3000)]
for _ in range(2):
    sys.stdout.buffer.write(b" ".join(r.choices(words, k=125000)) + r.randbytes(450000))' >"$name"
start_recv
# A queue that holds little, so that what is decided last is decided near the end.
"$ADOC_SEND" -q --policy selective --bwlimit 1M --packet-size 8K --fifo-packets 16 --trace trace \
  --report page.html --explain "$name" "127.0.0.1:$PORT" 2>err
check 'it arrived' cmp "$name" "out/$name"
check 'the limit is named' grep -qE '^adoc-send: --bwlimit, which allowed .* limited this transfer for [0-9]+ % of its .*\. A higher --bwlimit, or none, would make it faster\.$' err
check 'the page names it, as text' grep -qF '<h1>&lt;b&gt;&amp;&quot;x&#39;.txt to 127.0.0.1' page.html
check 'and not as markup' bash -c '! grep -qF "<b>&" page.html'
check 'the page needs no network' bash -c '! grep -qE "(src|href|url)[=(][^ ]*(//|http)|@import" page.html'
"$ADOC_SEND" -q --streams 3 --bwlimit 1M --name three --trace trace3 "$name" "127.0.0.1:$PORT"
"$ADOC_SEND" --report-from trace3 --report three.html
check 'three connections are drawn' python3 "$check_page" trace3 three.html streams
check 'as such' grep -q 'Connections over time, at most 3' three.html
check 'one is not' bash -c '! grep -q "Connections over time" page.html'
check 'nothing else lies there' [ "$(find . -maxdepth 1 -name '.adoc*' | wc -l)" = 0 ]

"$ADOC_SEND" --report-from trace --report from.html
"$ADOC_SEND" --report-from trace >stdout.html
check 'to a file or to standard output' cmp from.html stdout.html

# damaged SENTENCE FRAGMENT: exit 6 and FRAGMENT, and the page that was there stays.
damaged() {
  expect_exit 6 "$ADOC_SEND" --report-from bad --report from.html 2>err
  grep -qF -e "$2" err || fail "$1: '$2' is not in: $(cat err)"
  check "$1, and the page stays" cmp from.html stdout.html
}
sed '5s/,/;/' trace >bad
damaged 'a row that lacks a column' 'the trace bad is damaged: line 5: '
head -c -9 trace >bad
damaged 'a row that is cut off' "line $(wc -l <trace): it is cut off"
expect_exit 6 "$ADOC_SEND" --report-from none 2>err
check 'no trace' grep -q 'cannot read the trace none: no such file' err
check 'a trace is read from standard input, too, and the page written to standard output' cmp \
  <("$ADOC_SEND" --report-from - --report - <trace | sed 's/standard input/trace/g') \
  <("$ADOC_SEND" --report-from trace)
expect_exit 2 "$ADOC_SEND" --report - "$name" 127.0.0.1:1 2>err
check 'a report on standard output is refused' grep -q -e "--report needs a file's name" err
expect_exit 2 "$ADOC_SEND" --report same.html --trace ./same.html "$name" 127.0.0.1:1 2>err
check 'so is one in the place of the trace' grep -q 'cannot write the same file' err
expect_exit 3 "$ADOC_SEND" -q --explain "$name" 127.0.0.1:1 2>err
check 'of what failed nothing is advised' grep -q 'failed before any contents had crossed' err
check 'not even that nothing would' sh -c "! grep -q 'make it' err"
expect_exit 2 "$ADOC_SEND" --report-from trace file host 2>err
check 'no transfer meanwhile' grep -q 'takes no PATH and no HOST' err
expect_exit 6 "$ADOC_SEND" --report none/page.html "$name" 127.0.0.1:1 2>err
check 'what cannot be written is said before' grep -q 'cannot write the report none/page.html: no such file' err
expect_exit 6 "$ADOC_SEND" -q --report /dev/full "$name" "127.0.0.1:$PORT" 2>err
check 'a full disk is said' grep -q 'cannot write the report /dev/full: no space left' err
expect_exit 3 "$ADOC_SEND" -q --report lost.html "$name" 127.0.0.1:1 2>err
check 'a transfer that fails has a page too' grep -q '</html>' lost.html

mkdir there
"$ADOC_CP" -q --report cp.html --explain "$name" there 2>err
check 'a copy on this machine is explained' grep -qE '^adoc-cp: .* would make it' err
check 'and has its page' grep -qF '<h1>&lt;b&gt;&amp;&quot;x&#39;.txt to there' cp.html
expect_exit 2 "$ADOC_CP" --explain host.invalid:file . 2>err
check 'one from elsewhere cannot be' grep -q 'known where it is sent from' err

[[ -n $BROWSER ]] || skip 'there is no Chromium here'
# What a user does, and what comes of it, becomes part of the page.
cat >act.js <<'END'
// As long as its window has not got the focus, a page hears no focus event of its elements.
if (!document.hasFocus()) {
  const focus = HTMLElement.prototype.focus;
  HTMLElement.prototype.focus = function () {
    focus.call(this);
    this.dispatchEvent(new FocusEvent("focus"));
  };
}
const out = document.documentElement.dataset;
const told = () => document.getElementById("told").textContent;
out.wide = document.documentElement.scrollWidth > innerWidth;
const changes = [...document.querySelectorAll(".change")];
if (changes.length) {
  changes[0].focus();
  out.focused = told() === changes[0].title;
  changes[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  out.next = changes.length < 2 || (document.activeElement === changes[1] && told() === changes[1].title);
}
const slider = document.querySelector("[role=slider]");
slider.focus();
slider.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
out.slid = told().includes("waited for: ") && slider.getAttribute("aria-valuenow") === slider.getAttribute("aria-valuemax");
out.done = true;
END
python3 - <<'END'
page = open("from.html").read()
open("acted.html", "w").write(page.replace("</body>", f"<script>{open('act.js').read()}</script></body>"))
END
for size in '390 844' '820 1180' '1440 900'; do
  # shellcheck disable=SC2086 # two words
  browse "$T/acted.html" $size --dump-dom >dom
  for fact in wide=false focused=true next=true slid=true done=true; do
    grep -qF "data-${fact%=*}=\"${fact#*=}\"" <(head -c 600 dom) ||
      fail "$size: not $fact: $(head -c 600 dom)"
  done
  python3 "$check_page" trace dom || fail "$size: the page is not the trace"
done
browse "$T/page.html" 1440 900 --dump-dom >dom
check 'the page of the transfer itself is whole' grep -q 'data-figure="limits"' dom
check 'no error of the page' bash -c '! grep -E "CONSOLE|ERR_|Uncaught" browser.err'
