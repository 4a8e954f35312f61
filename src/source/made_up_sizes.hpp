#pragma once

#include <fcntl.h>
#include <sys/stat.h>

namespace adoc {

/// What fstatat() and openat() take: a name in a directory, or a path from AT_FDCWD.
struct Place {
  int directory = -1;
  const char* name = nullptr;
  bool follows_link = false;  ///< what is meant is behind the name, if that is a link's

  /// For openat().
  [[nodiscard]] int no_follow() const noexcept { return follows_link ? 0 : O_NOFOLLOW; }
  /// As fstatat().
  [[nodiscard]] int look(struct stat& status) const noexcept {
    return ::fstatat(directory, name, &status, follows_link ? 0 : AT_SYMLINK_NOFOLLOW);
  }
};

/// Knows the files whose contents the system makes up as they are read, like those of /proc: their
/// size says nothing. Used by one thread.
class MadeUpSizes {
 public:
  /// `status` is of the regular file at `place`. Costs nothing for one that takes room on a disk.
  [[nodiscard]] bool is_made_up(const Place& place, const struct stat& status);

 private:
  enum class Sizes { told, made_up, sometimes_made_up };
  [[nodiscard]] Sizes sizes_on_device_of(const Place& place, const struct stat& status);

  // Of the device that was looked at last: there is seldom more than one.
  bool known_ = false;
  dev_t device_ = 0;
  Sizes sizes_ = Sizes::told;
};

}  // namespace adoc
