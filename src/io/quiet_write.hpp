#pragma once

#include <sys/uio.h>

#include <span>

namespace adoc {

/// writev() to a pipe or a socket that does not block, without SIGPIPE where nobody reads it any
/// more: a library is a guest in its program, which may do with signals as it likes. As writev() it
/// gives -1 and an errno.
class QuietWrite {
 public:
  explicit QuietWrite(int fd) noexcept;

  [[nodiscard]] ssize_t operator()(std::span<const iovec> parts) const noexcept;

 private:
  int fd_;
  bool is_socket_;
};

}  // namespace adoc
