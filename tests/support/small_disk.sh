# Sourced first by tests that need small file systems: goes on in a mount namespace of its own, where
# IN_MOUNT_NAMESPACE is set, if this user may make one. That needs root, or a kernel that gives users
# namespaces; without, a test does what it can.

if [[ -z ${IN_MOUNT_NAMESPACE:-} ]]; then
  map_root=()
  ((EUID == 0)) || map_root=(--map-root-user)
  if unshare --mount "${map_root[@]}" mount -t tmpfs none /mnt 2>/dev/null; then
    IN_MOUNT_NAMESPACE=1 exec unshare --mount "${map_root[@]}" bash "$0"
  fi
fi

# mount_out OPTIONS: a file system in memory at $T/out, with options of tmpfs. A mounted directory cannot be
# removed, so that the end of the script unmounts it first.
mount_out() {
  at_end 'umount -l "$T/out" 2>/dev/null'
  mkdir -p "$T/out"
  mount -t tmpfs -o "$1" none "$T/out"
}
