#!/usr/bin/env bash
# Goal: the package is installed in a fresh root of this release of Debian with what it depends on,
# moves files there, is off until it is asked for, serves under systemd with all that the unit takes
# from it, and leaves nothing behind but what was received.
set -euo pipefail
source "$(dirname "$0")/../support/package.sh"
needs cpack mmdebstrap unshare nsenter
((EUID == 0)) || skip 'only root can make a root'

work_in_memory 500000
# How well they are compressed 88-package sees.
make_packages "$T/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
package=$(echo "$T"/packages/adoc_*.deb)
# The place where this machine has its packages from.
source /etc/os-release
mapfile -t mirrors < <(apt-get indextargets --format '$(REPO_URI)' \
  "Codename: $VERSION_CODENAME" 'Component: main' 'Identifier: Packages')
mirror=${mirrors[0]:-}
[[ -n $mirror ]] || unreachable 'apt knows no mirror of this release'

root=$T/root
timeout 200 mmdebstrap --variant=apt --include=adduser,systemd,iproute2 --skip=cleanup/apt \
  --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' "$VERSION_CODENAME" "$root" \
  "$mirror" >bootstrap.log 2>&1 ||
  unreachable "no fresh root from $mirror: $(tail -n 5 bootstrap.log)"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp "$package" "$root/adoc.deb"

# in_root COMMAND...: there, with /proc of its own and nothing of this environment.
in_root() {
  timeout 100 unshare --mount --pid --fork --mount-proc="$root/proc" env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@" </dev/null
}
users() { cut -d : -f 1 "$root/etc/passwd"; }
installed_files() {
  find "$root" -xdev \( -path "$root/proc" -o -path "$root/root" -o -path "$root/var/log" \
    -o -path "$root/var/lib/dpkg" -o -path "$root/adoc.deb" \) -prune -o -name '*adoc*' -print
}

in_root apt-get install -y --no-install-recommends /adoc.deb >install.log 2>&1 ||
  fail "apt-get install: $(tail -n 30 install.log)"
check 'it has a user of its own' grep -qx adoc-recv <<<"$(users)"
for unit in adoc-recv.socket adoc-recv.service; do
  check "$unit is off" [ "$(in_root systemctl is-enabled "$unit")" == disabled ]
done

# By hand, as somebody who has no key yet.
seq 1 50000 >"$root/root/file"
cat >"$root/root/by-hand" <<'SH'
set -e
cd /root
export HOME=/root
adoc-recv --out in --listen 127.0.0.1:0 --once >out 2>err &
until grep -q '^listening on ' out; do sleep 0.05; kill -0 $!; done
adoc-send -q file 127.0.0.1:$(sed -n 's/.*://p;q' out)
wait $!
cmp file in/file
adoc-cp --version
SH
in_root sh /root/by-hand || fail "by hand: $(cat "$root/root/err")"
echo 'ok: the programs move a file'

# With systemd as the first process, in namespaces of its own, without a network and without a way
# to the machine's settings and devices.
cat >boot <<'SH'
set -e
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
  read -r name major minor <<<"$device"
  mknod -m 666 "dev/$name" c "$major" "$minor"
done
mkdir dev/pts dev/shm
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
pivot_root . mnt
umount -l /mnt
exec env -i container=other PATH=/usr/sbin:/usr/bin setpriv \
  --bounding-set -sys_time,-sys_module,-sys_rawio,-sys_boot,-syslog \
  /lib/systemd/systemd --system --unit=basic.target
SH
unshare --pid --fork --mount --uts --ipc --net --cgroup --kill-child bash boot "$root" \
  </dev/null >boot.log 2>&1 &
unshare_pid=$!
systemd_pid() { pgrep -P "$unshare_pid"; }
# in_system COMMAND...
in_system() {
  timeout 60 nsenter --target "$(systemd_pid)" --all env -i PATH=/usr/sbin:/usr/bin \
    LC_ALL=C.UTF-8 "$@" </dev/null
}
is_up() { in_system systemctl is-active --quiet basic.target 2>/dev/null; }
eventually is_up
cat >"$root/root/service" <<'SH'
set -e
ip link set lo up
systemctl enable --now --quiet adoc-recv.socket
[ "$(systemctl is-active adoc-recv.service)" = inactive ]
ADOC_KEY=$(setpriv --reuid adoc-recv --regid adoc-recv --clear-groups adoc-recv --show-key)
export ADOC_KEY
adoc-send -q /root/file 127.0.0.1
adoc-send -q --name again /root/file '[::1]'
systemctl is-active --quiet adoc-recv.service
systemctl stop adoc-recv.service
[ "$(systemctl is-failed adoc-recv.service)" = inactive ]
# Without the socket it opens its own.
systemctl disable --now --quiet adoc-recv.socket
mkdir /run/systemd/system/adoc-recv.service.d
printf '[Service]\nEnvironment="ADOC_RECV_OPTIONS=-v --listen 127.0.0.1:4401"\n' \
  >/run/systemd/system/adoc-recv.service.d/options.conf
systemctl daemon-reload
systemctl start adoc-recv.service
for i in $(seq 100); do
  ! journalctl -u adoc-recv.service | grep -q 'listening on 127.0.0.1:4401' || break
  sleep 0.1
done
adoc-send -q --name third /root/file 127.0.0.1:4401
SH
in_system bash /root/service >service.log 2>&1 ||
  fail "as a service: $(cat service.log; in_system journalctl --no-pager -n 30)"
inbox=$root/var/lib/adoc-recv/inbox
for name in file again third; do
  check "the service has received: $name" cmp "$root/root/file" "$inbox/$name"
done
check 'for its group, and nobody else' [ "$(stat -c %A "$inbox")" == drwxr-x--- ]
in_system journalctl --no-pager -u adoc-recv.service >journal
# As far as the kernel has it, which the program outside says as well.
"$ADOC_RECV" --out out --listen 127.0.0.1:0 -v >recv.out 2>recv.err &
RECV_PID=$!
eventually grep -q '^listening on ' recv.out
stop_recv
held=$(grep -oE 'Landlock [0-9]+|\(seccomp\)' recv.err)
while read -r means; do
  check "the unit leaves it its own confinement: $means" grep -qF -- "$means" journal
done <<<"$held"

# The service runs while the package goes.
in_system dpkg --remove adoc >remove.log 2>&1 || fail "dpkg --remove: $(cat remove.log)"
units=$(in_system systemctl list-units --all --plain --no-legend 'adoc*')
check "no unit is left after it: $units" [ -z "$units" ]
check 'no process either' [ -z "$(in_system pgrep adoc)" ]
kill -KILL "$(systemd_pid)"
wait "$unshare_pid" 2>/dev/null || true

check 'what was received stays' cmp "$root/root/file" "$inbox/file"
in_root dpkg --purge adoc >purge.log 2>&1 || fail "dpkg --purge: $(cat purge.log)"
check 'also after a purge' cmp "$root/root/file" "$inbox/third"
check 'the key does not' [ ! -e "$root/var/lib/adoc-recv/.config" ]
check 'whose it is has its name' grep -qx adoc-recv <<<"$(users)"
left=$(installed_files | grep -vx "$root/var/lib/adoc-recv" || true)
check "nothing else is left: $left" [ -z "$left" ]

# Nothing was received: nothing stays.
rm -r "$inbox"
in_root dpkg --install /adoc.deb >install.log 2>&1 || fail "dpkg --install: $(cat install.log)"
in_root dpkg --purge adoc >purge.log 2>&1 || fail "dpkg --purge: $(cat purge.log)"
left=$(installed_files)
check "a purge without anything received leaves nothing: $left" [ -z "$left" ]
check 'nor the user' bash -c '! grep -qx adoc-recv <<<"$1"' _ "$(users)"
