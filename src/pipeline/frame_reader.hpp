#pragma once

#include <functional>
#include <optional>

#include "io/stream.hpp"
#include "util/buffer.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"

namespace adoc {

/// A frame as it came.
struct Frame {
  FrameType type{};
  /// The record, check value verified; valid until the reader is asked for the next. Of a packet
  /// nothing: its payload is fetched with read_payload().
  ByteSpan bytes{};
  std::size_t payload_bytes = 0;  ///< of a packet
};

/// Cuts what comes from a stream into frames. Used by one thread.
class FrameReader {
 public:
  /// `heard` comes before what the stream gives.
  explicit FrameReader(Stream& stream, ByteSpan heard = {});

  /// The first thing to read. Throws Error(connect), see Hello::decode, also when it has not come
  /// within the limit.
  Hello hello(Role expected, std::chrono::milliseconds limit);

  /// The next frame; none when the peer has finished writing at a frame's border. Throws
  /// Error(connect) when it ends inside a frame, Error(corrupt) for a frame that is not one.
  [[nodiscard]] std::optional<Frame> next();

  /// Whether the peer has finished writing, and all of it was read. Waits for that, or for a byte.
  [[nodiscard]] bool at_end() { return !fill(1); }

  /// The payload of the packet that next() gave, all of it, straight from the stream as far as it
  /// is not here already. To be called once for each packet. Throws Error(connect).
  void read_payload(std::span<std::byte> into);

  /// next() has given a split: what comes behind it are records, which the stream knows how to
  /// read. Throws Error(corrupt) where it does not.
  void begin_records();

  /// Calls `received` whenever something has come.
  void on_received(std::function<void()> received) { received_ = std::move(received); }

  /// Everything received so far, but no split.
  [[nodiscard]] std::uint64_t received_bytes() const noexcept { return received_bytes_; }

 private:
  /// Makes at least `count` bytes available; false when the peer ends before.
  bool fill(std::size_t count);
  std::size_t read_some(std::span<std::byte> into);
  [[nodiscard]] ByteSpan available() const noexcept {
    return ByteSpan(buffer_).subspan(begin_, end_ - begin_);
  }

  Stream& stream_;
  Buffer buffer_;
  std::size_t begin_ = 0;  ///< of what is received and not handed out
  std::size_t end_ = 0;
  std::size_t read_ahead_;  ///< the most that is read beyond what is asked for
  std::uint64_t received_bytes_ = 0;
  std::function<void()> received_;
};

}  // namespace adoc
