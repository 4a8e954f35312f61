#include "destination/first_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "adoc/error.hpp"

namespace adoc {

namespace {

/// Names that are taken for one lie in one directory, so no more come between them than it has:
/// these are some 65,000 of usual length, or 4,000 of the longest.
constexpr std::size_t kMostBytes = 16 << 20;

/// Bytes: a node of the map and a place in the queue take about 160 beside the name.
std::size_t weight_of(const std::string& name) noexcept { return 160 + name.size(); }

/// The number of what has the name, if that is its only name: hard links are one file on purpose.
std::optional<std::pair<dev_t, ino_t>> number_of(const std::string& leaf,
                                                 const DirectoryPtr& parent) {
  struct stat status {};
  if (::fstatat(parent->get(), leaf.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      (!S_ISDIR(status.st_mode) && status.st_nlink > 1))
    return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

void FirstNames::expect_own(const SafeName& name, const DirectoryPtr& parent) const {
  if (names_.empty()) return;
  const auto number = number_of(std::string(name.leaf()), parent);
  const auto first = number ? names_.find(*number) : names_.end();
  if (first != names_.end() && first->second != name.str())
    throw Error(ErrorKind::local_file,
                adoc::quoted(first->second) +
                    " came first, and the file system here takes the two names for one");
}

void FirstNames::note(const SafeName& name, const DirectoryPtr& parent) {
  const std::string leaf(name.leaf());
  if (parent == latest_ && !latest_folds_) return;
  const auto number = number_of(leaf, parent);
  if (!number || !folds(leaf, parent, *number)) return;
  auto& remembered = names_[*number];
  if (remembered.empty())
    order_.push_back(*number);
  else
    bytes_ -= weight_of(remembered);
  remembered = name.str();
  bytes_ += weight_of(remembered);
  while (bytes_ > kMostBytes) {
    const auto first = names_.find(order_.front());
    bytes_ -= weight_of(first->second);
    names_.erase(first);
    order_.pop_front();
  }
}

bool FirstNames::folds(const std::string& leaf, const DirectoryPtr& parent, Number number) {
  if (parent == latest_) return latest_folds_;
  std::string other = leaf;
  const auto letter = std::ranges::find_if(other, is_letter);
  // Of a name without letters nothing follows.
  if (letter == other.end()) return !names_.empty();
  *letter = static_cast<char>(*letter ^ 0x20);
  latest_ = parent;
  latest_folds_ = number_of(other, parent) == number;
  return latest_folds_;
}

}  // namespace adoc
