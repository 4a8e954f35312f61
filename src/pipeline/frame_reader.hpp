#pragma once

#include <optional>

#include "io/stream.hpp"
#include "util/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"

namespace adoc {

/// A frame as it came: for a packet its stored bytes, for all others the record, check value
/// verified. Valid until the reader is asked for the next.
struct Frame {
  FrameType type{};
  ByteSpan bytes;
};

/// Cuts what comes from a stream into frames. Used by one thread.
class FrameReader {
 public:
  explicit FrameReader(Stream& stream);

  /// The first thing to read. Throws Error(connect), see Hello::decode.
  Hello hello(Role expected);

  /// The next frame; none when the peer has finished writing at a frame's border. Throws
  /// Error(connect) when it ends inside a frame, Error(corrupt) for a frame that is not one.
  [[nodiscard]] std::optional<Frame> next();

  /// Everything received so far.
  [[nodiscard]] std::uint64_t received_bytes() const noexcept { return received_bytes_; }

 private:
  /// Makes at least `count` bytes available; false when the peer ends before.
  bool fill(std::size_t count);
  [[nodiscard]] ByteSpan available() const noexcept {
    return ByteSpan(buffer_).subspan(begin_, end_ - begin_);
  }

  Stream& stream_;
  Bytes buffer_;
  std::size_t begin_ = 0;  ///< of what is received and not handed out
  std::size_t end_ = 0;
  std::uint64_t received_bytes_ = 0;
};

}  // namespace adoc
