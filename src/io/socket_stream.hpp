#pragma once

#include <optional>

#include "io/stream.hpp"

namespace adoc {

/// A stream on a socket, which a thread that has many of them can use without waiting. Not while
/// another thread is in a call that waits.
class SocketStream : public Stream {
 public:
  /// As read_some(), but none where that would have to wait.
  [[nodiscard]] virtual std::optional<std::size_t> read_now(std::span<std::byte> into) = 0;
  /// As write_some(), but none where that would have to wait.
  [[nodiscard]] virtual std::optional<std::size_t> write_now(std::span<const ByteSpan> pieces) = 0;
  /// Whether the system has all that write_now() took; gives it what it takes now.
  [[nodiscard]] virtual bool flush_now() = 0;
  /// As finish_writing(); what the system does not take now is not sent any more.
  virtual void finish_now() noexcept = 0;
  /// For poll().
  [[nodiscard]] virtual int fd() const noexcept = 0;
};

}  // namespace adoc
