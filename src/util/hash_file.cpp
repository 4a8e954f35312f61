#include "util/hash_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "util/buffer.hpp"
#include "util/errno_error.hpp"
#include "util/holes.hpp"

namespace adoc {

namespace {
constexpr std::size_t kReadBytes = 256 << 10;
}  // namespace

ContentHash hash_file(int fd, const std::stop_token& stop) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw errno_error(ErrorKind::local_file, "look at it", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  ContentHasher hasher;
  Buffer buffer(kReadBytes);
  for (std::uint64_t offset = 0; offset < size;) {
    const std::uint64_t data = next_data(fd, offset, size);
    hasher.update_zeros(data - offset);
    offset = data;
    const std::uint64_t end = next_hole(fd, data, size);
    while (offset < end) {
      if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(end - offset, buffer.size()));
      const ssize_t got = ::pread(fd, buffer.data(), wanted, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw errno_error(ErrorKind::local_file, "read it", errno);
      if (got == 0) return hasher.digest();  // it became shorter
      hasher.update(ByteSpan(buffer).first(static_cast<std::size_t>(got)));
      offset += static_cast<std::uint64_t>(got);
    }
    if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
  }
  return hasher.digest();
}

}  // namespace adoc
