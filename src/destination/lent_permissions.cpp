#include "destination/lent_permissions.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "util/open_beneath.hpp"
#include "util/own_permissions.hpp"

namespace adoc {

namespace {

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

}  // namespace

LentPermissions& LentPermissions::operator=(LentPermissions&& other) noexcept {
  give_back();
  root_ = std::move(other.root_);
  lent_ = std::exchange(other.lent_, {});
  return *this;
}

bool LentPermissions::lend(int directory, std::string_view path) {
  const auto before = permit_owner(directory, S_IRWXU);
  struct stat status {};
  if (!before || ::fstat(directory, &status) != 0) return false;
  lent_.push_back({std::string(path), status.st_dev, status.st_ino, *before});
  return true;
}

void LentPermissions::add(LentPermissions&& other) {
  std::ranges::move(other.lent_, std::back_inserter(lent_));
  other.lent_.clear();
}

std::optional<mode_t> LentPermissions::mode_of(int directory) const {
  struct stat status {};
  if (lent_.empty() || ::fstat(directory, &status) != 0) return std::nullopt;
  const auto found = std::ranges::find_if(lent_, is(status));
  return found == lent_.end() ? std::nullopt : std::optional(found->before);
}

void LentPermissions::settle(int directory) noexcept {
  struct stat status {};
  if (!lent_.empty() && ::fstat(directory, &status) == 0) std::erase_if(lent_, is(status));
}

// What lies deeper was lent later, and its way leads through what lies higher.
void LentPermissions::give_back() noexcept {
  for (; !lent_.empty(); lent_.pop_back()) {
    const Lent& one = lent_.back();
    const Fd directory = open_path(root_->get(), one.path);
    struct stat status {};
    if (!directory || ::fstat(directory.get(), &status) != 0 || status.st_dev != one.device ||
        status.st_ino != one.inode)
      continue;
    // Only if nobody has set another mode meanwhile.
    if ((status.st_mode & 07777) == (one.before | S_IRWXU))
      static_cast<void>(set_mode(directory.get(), one.before));
  }
}

}  // namespace adoc
