#include "util/extended_attributes.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace adoc {

namespace {

/// What is enough for most; the system says how much the others need.
constexpr std::size_t kUsualBytes = 1'024;
constexpr int kAttempts = 4;

/// Calls `read(data, size)` with as much room as it takes, which may change between two calls.
template <typename Read>
std::optional<Bytes> read_all(Read read) {
  Bytes bytes(kUsualBytes);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const ssize_t got = read(bytes.data(), bytes.size());
    if (got >= 0) {
      bytes.resize(static_cast<std::size_t>(got));
      return bytes;
    }
    if (errno != ERANGE) return std::nullopt;
    const ssize_t needed = read(nullptr, 0);
    if (needed < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(needed) + kUsualBytes);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> attribute_names(int fd) {
  const auto list = read_all([&](std::byte* data, std::size_t size) {
    return ::flistxattr(fd, reinterpret_cast<char*>(data), size);
  });
  std::vector<std::string> names;
  if (!list) return errno == ENOTSUP ? std::optional(names) : std::nullopt;
  const char* const begin = reinterpret_cast<const char*>(list->data());
  for (const char* at = begin; at < begin + list->size(); at += names.back().size() + 1)
    names.emplace_back(at, ::strnlen(at, static_cast<std::size_t>(begin + list->size() - at)));
  std::ranges::sort(names);
  return names;
}

std::optional<Bytes> attribute_value(int fd, const std::string& name) {
  return read_all(
      [&](std::byte* data, std::size_t size) { return ::fgetxattr(fd, name.c_str(), data, size); });
}

bool set_attribute(int fd, const std::string& name, ByteSpan value) noexcept {
  return ::fsetxattr(fd, name.c_str(), value.data(), value.size(), 0) == 0;
}

bool remove_attribute(int fd, const std::string& name) noexcept {
  return ::fremovexattr(fd, name.c_str()) == 0 || errno == ENODATA;
}

bool copy_attributes(int from, int to) {
  struct stat source {};
  struct stat target {};
  if (::fstat(from, &source) != 0 || ::fstat(to, &target) != 0) return false;
  const bool same_owner = source.st_uid == target.st_uid && source.st_gid == target.st_gid;
  if (!same_owner && ::fchown(to, source.st_uid, source.st_gid) != 0) return false;
  const auto names = attribute_names(from);
  const auto present = attribute_names(to);
  if (!names || !present) return false;
  for (const std::string& name : *names) {
    // What the system gives a new file by itself need not be ours to give.
    if (std::ranges::binary_search(*present, name)) continue;
    const auto value = attribute_value(from, name);
    if (!value || !set_attribute(to, name, *value)) return false;
  }
  return true;
}

}  // namespace adoc
