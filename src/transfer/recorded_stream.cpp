#include "transfer/recorded_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"
#include "util/safe_name.hpp"
#include "wire/hello.hpp"

namespace adoc {

RecordedStream::RecordedStream(const std::string& path)
    : name_(path == "-" ? "standard input" : adoc::quoted(path)),
      file_(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                        : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
  if (!file_) throw errno_error(ErrorKind::local_file, "open " + name_, errno);
  begin_.resize(kHelloBytes);
  std::size_t count = 0;
  while (count < kHelloBytes) {
    const std::size_t got = read_file(std::span(begin_).subspan(count));
    count += got;
    if (got == 0 || !starts_like_hello(ByteSpan(begin_).first(count))) break;
  }
  begin_.resize(count);
  if (count < kHelloBytes || !starts_like_hello(begin_))
    throw Error(ErrorKind::corrupt, name_ + " is not a file that a transfer was written to" +
                                        (count == 0 ? ": it is empty" : ""));
  try {
    static_cast<void>(Hello::decode(begin_, Role::sender));
  } catch (const Error& error) {
    throw Error(ErrorKind::corrupt, "cannot unpack " + name_ + ": " + error.what());
  }
}

std::size_t RecordedStream::read_some(std::span<std::byte> into) {
  if (stopped_.is_set()) return 0;
  if (read_of_begin_ < begin_.size()) {
    const std::size_t count = std::min(into.size(), begin_.size() - read_of_begin_);
    std::copy_n(begin_.begin() + static_cast<std::ptrdiff_t>(read_of_begin_), count, into.begin());
    read_of_begin_ += count;
    return count;
  }
  // A pipe may have nothing for a long time.
  if (stopped_.wait_for(file_.get(), POLLIN) == Wakeup::Result::woken) return 0;
  return read_file(into);
}

std::size_t RecordedStream::read_file(std::span<std::byte> into) const {
  while (true) {
    const ssize_t count = ::read(file_.get(), into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EAGAIN) {
      if (stopped_.wait_for(file_.get(), POLLIN) == Wakeup::Result::woken) return 0;
    } else if (errno != EINTR) {
      throw errno_error(ErrorKind::local_file, "read " + name_, errno);
    }
  }
}

std::size_t RecordedStream::write_some(std::span<const ByteSpan> pieces) {
  std::size_t count = 0;
  for (const ByteSpan piece : pieces) count += piece.size();
  return count;
}

}  // namespace adoc
