#include "source/directory_reader.hpp"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace adoc {

namespace {

constexpr std::size_t kEntryBufferBytes = 32 << 10;
/// What a suspended reader keeps at most: enough for all names of most directories.
constexpr std::size_t kKeptEntryBytes = 4 << 10;

}  // namespace

std::optional<DirectoryReader::Item> DirectoryReader::next() {
  while (true) {
    if (at_ == filled_ && !fill()) return std::nullopt;
    const auto* item = reinterpret_cast<const dirent64*>(buffer_.get() + at_);
    last_ = at_;
    at_ += item->d_reclen;
    given_ = item->d_off;
    const std::string_view name = item->d_name;
    if (name != "." && name != "..") return Item{item->d_name, item->d_type};
  }
}

bool DirectoryReader::fill() {
  if (error_ != 0) return false;
  if (capacity_ != kEntryBufferBytes) {
    buffer_ = std::make_unique_for_overwrite<char[]>(kEntryBufferBytes);
    capacity_ = kEntryBufferBytes;
  }
  ssize_t got = 0;
  while ((got = ::getdents64(directory_.get(), buffer_.get(), capacity_)) < 0 && errno == EINTR) {
  }
  if (got < 0) error_ = errno;
  filled_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  at_ = last_ = 0;
  return filled_ != 0;
}

void DirectoryReader::suspend() {
  directory_.reset();
  continue_at_ = given_;
  const std::size_t rest = filled_ - at_;
  std::unique_ptr<char[]> kept;
  if (rest != 0 && rest <= kKeptEntryBytes) {
    kept = std::make_unique_for_overwrite<char[]>(rest);
    std::memcpy(kept.get(), buffer_.get() + at_, rest);
    for (std::size_t at = 0; at < rest;) {
      const auto* item = reinterpret_cast<const dirent64*>(kept.get() + at);
      continue_at_ = item->d_off;
      at += item->d_reclen;
    }
  }
  filled_ = capacity_ = kept ? rest : 0;
  at_ = last_ = 0;
  buffer_ = std::move(kept);
}

void DirectoryReader::resume(Fd directory) noexcept {
  directory_ = std::move(directory);
  if (::lseek(directory_.get(), continue_at_, SEEK_SET) < 0) error_ = errno;
}

void DirectoryReader::fail(int error_number) noexcept {
  error_ = error_number;
  filled_ = at_ = last_ = 0;
}

}  // namespace adoc
