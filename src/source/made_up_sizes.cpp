#include "source/made_up_sizes.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "util/fd.hpp"

namespace adoc {

namespace {

constexpr std::array<long, 13> kMadeUp{
    PROC_SUPER_MAGIC,   SYSFS_MAGIC,          DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
    CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,  SELINUX_MAGIC, SMACK_MAGIC,   BINFMTFS_MAGIC,
    BPF_FS_MAGIC,       RDTGROUP_SUPER_MAGIC, 0x62656570 /* configfs */};

Fd open_to(const Place& place, int flags) noexcept {
  return Fd(::openat(place.directory, place.name, flags | place.no_follow() | O_CLOEXEC));
}

bool gives_a_byte(const Place& place) noexcept {
  const Fd file = open_to(place, O_RDONLY | O_NONBLOCK);
  char byte = 0;
  return file && ::read(file.get(), &byte, 1) == 1;
}

}  // namespace

MadeUpSizes::Sizes MadeUpSizes::sizes_on_device_of(const Place& place, const struct stat& status) {
  if (known_ && status.st_dev == device_) return sizes_;
  struct statfs system {};
  const Fd file = open_to(place, O_PATH);
  if (!file || ::fstatfs(file.get(), &system) != 0) return Sizes::told;
  known_ = true;
  device_ = status.st_dev;
  // What a program offers as a file system may be either, as with lxcfs and sshfs.
  sizes_ = std::ranges::find(kMadeUp, system.f_type) != kMadeUp.end() ? Sizes::made_up
           : system.f_type == FUSE_SUPER_MAGIC                        ? Sizes::sometimes_made_up
                                                                      : Sizes::told;
  return sizes_;
}

bool MadeUpSizes::is_made_up(const Place& place, const struct stat& status) {
  if (status.st_blocks != 0 || major(status.st_dev) != 0) return false;
  const Sizes sizes = sizes_on_device_of(place, status);
  if (sizes == Sizes::sometimes_made_up) return status.st_size == 0 && gives_a_byte(place);
  return sizes == Sizes::made_up;
}

}  // namespace adoc
