#!/usr/bin/env bash
# Goal: without an environment, as a service or `env -i` runs them, both programs find the key and
# what was learned of links where the password database says that the user's home is.
set -euo pipefail
source "$(dirname "$0")/../support/small_disk.sh"
source "$(dirname "$0")/../support/transfer.sh"

if [[ -z ${IN_MOUNT_NAMESPACE:-} ]]; then
  echo 'skipped: this user may not make a mount namespace, and the home of the user is not touched'
  exit 0
fi

cd "$T"
mkdir home
echo "nobody-else:x:$EUID:0::$T/home:/bin/sh" >passwd
mount --bind passwd /etc/passwd
at_end 'umount /etc/passwd'

head -c 16000000 /dev/urandom >file
env -i "$ADOC_RECV" --out out --listen 127.0.0.1:0 --once >recv.out 2>recv.err &
RECV_PID=$!
eventually grep -q '^listening on ' recv.out
PORT=$(sed -n 's/^listening on .*://p' recv.out)
check 'the receiver makes its key there' [ -s home/.config/adoc/key ]
expect_exit 0 env -i "$ADOC_SEND" file "127.0.0.1:$PORT"
recv_ends 0
check 'the sender finds it' cmp file out/file
check 'the sender keeps there what it learned' [ -n "$(find home/.cache/adoc/links -type f)" ]

echo "nobody-else:x:$EUID:0::relative:/bin/sh" >passwd
expect_exit 6 env -i "$ADOC_RECV" --out out --listen 127.0.0.1:0 2>recv.err
check 'without any home a receiver says so' says recv.err 'HOME is not set' 'password database' '--key-file'
