#include "util/holes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace adoc {

std::uint64_t next_data(int fd, std::uint64_t offset, std::uint64_t size) noexcept {
  const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? size : offset;
  return std::min(static_cast<std::uint64_t>(data), size);
}

std::uint64_t next_hole(int fd, std::uint64_t offset, std::uint64_t size) noexcept {
  const off_t hole = ::lseek(fd, static_cast<off_t>(offset), SEEK_HOLE);
  return hole < 0 ? size : std::min(static_cast<std::uint64_t>(hole), size);
}

}  // namespace adoc
