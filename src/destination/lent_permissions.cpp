#include "destination/lent_permissions.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "util/open_beneath.hpp"
#include "util/own_permissions.hpp"

namespace adoc {

namespace {

using Number = std::pair<dev_t, ino_t>;

/// The directory of the path, whether or not its mode lets us in; no link is followed.
Fd open_path(int root, const std::string& path) noexcept try {
  return open_beneath(root, path, O_PATH | O_DIRECTORY);
} catch (const std::bad_alloc&) {
  return {};
}

auto is(const struct stat& status) noexcept {
  return [&status](const auto& lent) {
    return lent.device == status.st_dev && lent.inode == status.st_ino;
  };
}

mode_t mode_in(const struct stat& status) noexcept { return status.st_mode & 07777; }

/// All directories that are lent in this process, by whatever transfer: the first one changes the
/// mode of a directory, and the last one sets it back. That is done under the lock, or it would be
/// taken from somebody who has just seen that it needs no change. Any thread.
class Lenders {
 public:
  /// Whether there are any: to ask takes no lock.
  [[nodiscard]] bool any() const noexcept { return count_ != 0; }
  [[nodiscard]] bool has(const struct stat& status) noexcept {
    const std::lock_guard lock(mutex_);
    return all_.contains(key_of(status));
  }

  [[nodiscard]] std::optional<mode_t> mode_before(const struct stat& status) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(key_of(status));
    return found == all_.end() ? std::nullopt : std::optional(found->second.before);
  }

  [[nodiscard]] bool lend(int directory, const struct stat& status) {
    const std::lock_guard lock(mutex_);
    auto found = all_.find(key_of(status));
    if (found == all_.end()) {
      found = all_.emplace(key_of(status), Lent{}).first;
      const auto before = permit_owner(directory, S_IRWXU);
      if (!before) {
        all_.erase(found);
        return false;
      }
      found->second.before = *before;
      count_ = all_.size();
    } else {
      // Somebody else may have set its mode since.
      static_cast<void>(permit_owner(directory, S_IRWXU));
    }
    ++found->second.lenders;
    return true;
  }

  /// `directory` is -1 where it cannot be found any more.
  void give_back(int directory, Number number) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(number);
    if (found == all_.end() || --found->second.lenders != 0) return;
    const mode_t before = found->second.before;
    all_.erase(found);
    count_ = all_.size();
    struct stat status {};
    // Only if nobody has set another mode meanwhile.
    if (directory >= 0 && ::fstat(directory, &status) == 0 && mode_in(status) == (before | S_IRWXU))
      static_cast<void>(set_mode(directory, before));
  }

  /// `lenders` of them are whose it is.
  [[nodiscard]] bool settle(int directory, mode_t mode, std::size_t lenders) noexcept {
    struct stat status {};
    const std::lock_guard lock(mutex_);
    if (::fstat(directory, &status) != 0) return false;
    const auto found = all_.find(key_of(status));
    if (found != all_.end() && found->second.lenders > lenders) {
      found->second.lenders -= lenders;
      found->second.before = mode;
      mode |= S_IRWXU;
    } else if (found != all_.end()) {
      all_.erase(found);
      count_ = all_.size();
    }
    return mode_in(status) == mode || set_mode(directory, mode);
  }

  [[nodiscard]] static Number key_of(const struct stat& status) noexcept {
    return {status.st_dev, status.st_ino};
  }

 private:
  struct Lent {
    mode_t before = 0;
    std::size_t lenders = 0;
  };

  std::mutex mutex_;
  std::map<Number, Lent> all_;
  std::atomic<std::size_t> count_{0};
};

Lenders& lenders() noexcept {
  static Lenders all;
  return all;
}

}  // namespace

LentPermissions& LentPermissions::operator=(LentPermissions&& other) noexcept {
  give_back();
  root_ = std::move(other.root_);
  lent_ = std::exchange(other.lent_, {});
  return *this;
}

bool LentPermissions::lend(int directory, std::string_view path) {
  struct stat status {};
  if (::fstat(directory, &status) != 0) return false;
  // Once is enough: here it can only be that somebody has set its mode since.
  if (std::ranges::any_of(lent_, is(status))) return permit_owner(directory, S_IRWXU).has_value();
  lent_.push_back({std::string(path), status.st_dev, status.st_ino});
  bool lent = false;
  try {
    lent = lenders().lend(directory, status);
  } catch (...) {
    lent_.pop_back();
    throw;
  }
  if (!lent) lent_.pop_back();
  return lent;
}

bool LentPermissions::is_lent(int directory) noexcept {
  struct stat status {};
  return lenders().any() && ::fstat(directory, &status) == 0 && lenders().has(status);
}

void LentPermissions::add(LentPermissions&& other) {
  std::ranges::move(other.lent_, std::back_inserter(lent_));
  other.lent_.clear();
}

std::optional<mode_t> LentPermissions::mode_of(int directory) const {
  struct stat status {};
  if (lent_.empty() || ::fstat(directory, &status) != 0 || std::ranges::none_of(lent_, is(status)))
    return std::nullopt;
  return lenders().mode_before(status);
}

bool LentPermissions::settle(int directory, mode_t mode) noexcept {
  struct stat status {};
  if (::fstat(directory, &status) != 0) return false;
  return lenders().settle(directory, mode, std::erase_if(lent_, is(status)));
}

// What lies deeper was lent later, and its way leads through what lies higher.
void LentPermissions::give_back() noexcept {
  for (; !lent_.empty(); lent_.pop_back()) {
    const Lent& one = lent_.back();
    const Fd directory = open_path(root_->get(), one.path);
    struct stat status {};
    const bool is_it = directory && ::fstat(directory.get(), &status) == 0 && is(status)(one);
    lenders().give_back(is_it ? directory.get() : -1, {one.device, one.inode});
  }
}

}  // namespace adoc
