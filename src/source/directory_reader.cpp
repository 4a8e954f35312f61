#include "source/directory_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace adoc {

namespace {

constexpr std::size_t kFirstPartBytes = 32 << 10;
/// A directory of more is not sorted.
constexpr std::size_t kMostPartBytes = 1 << 20;
/// Some of the longest names.
constexpr std::size_t kLeastReadBytes = 4 << 10;
/// What a suspended reader keeps at most: enough for all names of most directories.
constexpr std::size_t kListingKeptBytes = 64 << 10;

const dirent64& entry_at(const char* at) noexcept { return *reinterpret_cast<const dirent64*>(at); }

}  // namespace

const dirent64& DirectoryReader::item(std::size_t index) const noexcept {
  return entry_at(part_.get() + items_[index]);
}

std::optional<DirectoryReader::Item> DirectoryReader::next() {
  while (at_ == items_.size())
    if (!read_part()) return std::nullopt;
  const dirent64& given = item(at_++);
  given_end_ = given.d_off;
  return Item{given.d_name, given.d_type};
}

bool DirectoryReader::read_part() {
  if (is_last_part_) return false;
  is_first_part_ = part_end_ == 0;
  filled_ = 0;
  while (filled_ + kLeastReadBytes <= kMostPartBytes && read_more()) {
  }
  list_part();
  return true;
}

bool DirectoryReader::read_more() {
  if (capacity_ - filled_ < kLeastReadBytes) {
    const std::size_t capacity = std::max(2 * capacity_, kFirstPartBytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (filled_ != 0) std::memcpy(larger.get(), part_.get(), filled_);
    part_ = std::move(larger);
    capacity_ = capacity;
  }
  ssize_t got = 0;
  while ((got = ::getdents64(directory_.get(), part_.get() + filled_, capacity_ - filled_)) < 0 &&
         errno == EINTR) {
  }
  if (got < 0) error_ = errno;
  is_last_part_ = got <= 0;
  if (got > 0) filled_ += static_cast<std::size_t>(got);
  return got > 0;
}

void DirectoryReader::list_part() {
  items_.clear();
  at_ = 0;
  for (std::size_t at = 0; at < filled_;) {
    const dirent64& entry = entry_at(part_.get() + at);
    const std::string_view name = entry.d_name;
    if (name != "." && name != ".." && name > given_up_to_)
      items_.push_back(static_cast<std::uint32_t>(at));
    part_end_ = entry.d_off;
    at += entry.d_reclen;
  }
  if (!is_sorted()) return;
  std::ranges::sort(items_, {}, [this](std::uint32_t at) -> std::string_view {
    return entry_at(part_.get() + at).d_name;
  });
}

void DirectoryReader::suspend() {
  directory_.reset();
  std::size_t rest_bytes = 0;
  for (std::size_t i = at_; i < items_.size(); ++i) rest_bytes += item(i).d_reclen;
  if (rest_bytes > kListingKeptBytes) return drop_part();
  auto rest = std::make_unique_for_overwrite<char[]>(rest_bytes);
  std::vector<std::uint32_t> items;
  items.reserve(items_.size() - at_);
  filled_ = 0;
  for (std::size_t i = at_; i < items_.size(); ++i) {
    std::memcpy(rest.get() + filled_, &item(i), item(i).d_reclen);
    items.push_back(static_cast<std::uint32_t>(filled_));
    filled_ += item(i).d_reclen;
  }
  part_ = std::move(rest);
  capacity_ = filled_;
  items_ = std::move(items);
  at_ = 0;
}

/// It is read again later: behind what was given, or, where that has no place of its own in the
/// directory because the part was sorted, from the beginning and without those names.
void DirectoryReader::drop_part() {
  if (is_sorted()) given_up_to_ = item(at_ - 1).d_name;
  part_end_ = is_sorted() ? 0 : given_end_;
  is_last_part_ = false;
  part_.reset();
  capacity_ = filled_ = 0;
  items_ = {};
  at_ = 0;
}

void DirectoryReader::resume(Fd directory) noexcept {
  directory_ = std::move(directory);
  if (::lseek(directory_.get(), part_end_, SEEK_SET) < 0) fail(errno);
}

void DirectoryReader::fail(int error_number) noexcept {
  error_ = error_number;
  is_last_part_ = true;
  items_.clear();
  at_ = 0;
}

}  // namespace adoc
