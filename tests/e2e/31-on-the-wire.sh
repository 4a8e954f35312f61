#!/usr/bin/env bash
# Goal: who records what crosses the network has nothing of it, now or with the key, and cannot
# bring the two sides to an exchange without an ephemeral part.
set -euo pipefail
source "$(dirname "$0")/../support/transfer.sh"
support=$(dirname "$0")/../support
support=$(cd "$support" && pwd)

cd "$T"
for i in {1..2000}; do echo "a sentence that nobody on the way may read"; done >a-name-that-nobody-may-read

# recorded OPTION...: sends the file through the tap; wire has what crossed.
recorded() {
  empty_out
  # Else the port of the tap before is found there, or nothing.
  rm -f tap.out
  python3 "$support/wire_tap.py" "$PORT" wire >tap.out &
  local tap=$!
  eventually grep -q . tap.out
  "$ADOC_SEND" -q "$@" --level 0 a-name-that-nobody-may-read "127.0.0.1:$(cat tap.out)"
  wait "$tap"
  cmp a-name-that-nobody-may-read out/a-name-that-nobody-may-read
}
shows_text() { grep -aqF 'a sentence that nobody' wire && grep -aqF 'a-name-that-nobody' wire; }
# What it finds, and where, is shown.
shows_nothing() { ! grep -aboE 'sentence|nobody|name-that|AdOC' wire; }

start_recv --insecure
check 'without encryption' recorded --insecure
check 'the tap sees names and contents' shows_text
stop_recv
start_recv
check 'with encryption' recorded
check 'the tap sees neither' shows_nothing
check 'all of it crossed' [ "$(stat -c %s wire)" -gt "$(stat -c %s a-name-that-nobody-may-read)" ]

# A client that has the key, by another program.
hex=$(python3 "$support/psk.py" "$KEY_FILE")
client() { timeout 10 openssl s_client -connect "127.0.0.1:$PORT" -psk_identity adoc2 "$@" </dev/null >client.out 2>&1; }
client -tls1_3 -psk "$hex" || true
check 'openssl s_client with the key is let in' grep -q '^Reused, TLSv1.3' client.out
check 'the key exchange is ephemeral' grep -q '^Server Temp Key: X25519' client.out
client -tls1_3 -psk "$hex" -allow_no_dhe_kex || true
check 'and stays so for one that would do without' grep -q '^Server Temp Key: X25519' client.out
python3 "$support/psk_hello.py" "$PORT" "$hex" 1 >hello.out
check 'a hand-made hello with an ephemeral exchange is answered' grep -qx 'ServerHello' hello.out
python3 "$support/psk_hello.py" "$PORT" "$hex" 0 >hello.out
check 'the same without is refused' grep -qx 'alert 40' hello.out
python3 "$support/psk_hello.py" "$PORT" "${hex//[0-4]/5}" 1 >hello.out
check 'the same with another key is refused' grep -q '^alert ' hello.out
# What belongs to the other direction, or to versions that used the key as it is, lets nobody in.
swapped=$(python3 "$support/psk.py" "$KEY_FILE" 'receiver->sender')
python3 "$support/psk_hello.py" "$PORT" "$swapped" 1 >hello.out
check 'the same with the roles exchanged is refused' grep -q '^alert ' hello.out
bare=$(python3 "$support/psk.py" "$KEY_FILE" none)
for identity in adoc2 adoc; do
  python3 "$support/psk_hello.py" "$PORT" "$bare" 1 "$identity" >hello.out
  check "the bare key as $identity is refused" grep -q '^alert ' hello.out
done
check 'an earlier version is told from one without the key' \
  eventually grep -q 'it is an earlier version.* adoc-send --save-key' recv.err
for version in -tls1_2 '-tls1_2 -cipher PSK' '-tls1_3 -ciphersuites TLS_AES_256_GCM_SHA384'; do
  # shellcheck disable=SC2086 # options
  expect_exit 1 client $version -psk "$hex"
  check "s_client $version is refused" grep -q 'alert' client.out
done
expect_exit 1 client -tls1_3
check 's_client without the key is refused' grep -q 'alert' client.out
for suite in TLS_AES_128_GCM_SHA256 TLS_CHACHA20_POLY1305_SHA256; do
  client -tls1_3 -psk "$hex" -ciphersuites "$suite" || true
  check "the receiver follows a client that wants $suite" grep -q "Cipher is $suite" client.out
done

# A server without the key: one that shows a certificate instead.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout own.key -out own.pem \
  -subj /CN=localhost -days 2 2>/dev/null
: >server.out
openssl s_server -accept 127.0.0.1:0 -cert own.pem -key own.key -tls1_3 >server.out 2>&1 \
  < <(sleep 30) &
eventually grep -q '^ACCEPT 127' server.out
port=$(sed -n 's/^ACCEPT 127.0.0.1://p' server.out)
expect_exit 4 "$ADOC_SEND" a-name-that-nobody-may-read "127.0.0.1:$port" 2>send.err
check 'a server that shows a certificate is told nothing' says send.err 'does not prove that it has our key'
check 'and hears nothing' bash -c '! grep -aqE "AdOC|nobody" server.out'
sends 0 a-name-that-nobody-may-read
check 'the receiver served on' cmp a-name-that-nobody-may-read out/a-name-that-nobody-may-read

# A server of an earlier version, which has the key and another name for it.
openssl s_server -accept 127.0.0.1:0 -nocert -tls1_3 -psk_identity adoc -psk "$bare" >old.out 2>&1 \
  < <(sleep 30) &
eventually grep -q '^ACCEPT 127' old.out
port=$(sed -n 's/^ACCEPT 127.0.0.1://p' old.out)
expect_exit 4 "$ADOC_SEND" a-name-that-nobody-may-read "127.0.0.1:$port" 2>send.err
check 'a receiver of an earlier version is told from one with another key' says send.err 'an earlier version'
