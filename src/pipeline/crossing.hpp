#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "pipeline/fifo.hpp"
#include "util/bytes.hpp"
#include "wire/frame.hpp"

namespace adoc {

/// What has crossed the link: turns bytes of a connection that have arrived into raw bytes of the
/// blocks that they hold. One thread says what it sends, in order; one other asks.
class Crossing {
 public:
  /// `made` is what was made so far for the connection and sent of it, `queue` where the rest
  /// waits: of them is guessed how much of a block has arrived before its length is known.
  Crossing(const PipelineCounters& made, const Fifo& queue) noexcept : made_(made), queue_(queue) {}

  /// These bytes are sent next: the hello, then frames, which may be cut at the payload of a
  /// packet.
  void sending(ByteSpan bytes);

  /// A place in the stream of a batch.
  struct Place {
    std::uint64_t batch = 0;
    std::uint64_t offset = 0;
  };
  struct Crossed {
    std::uint64_t wire_bytes = 0;     ///< never less than before
    std::uint64_t raw_bytes = 0;      ///< of these bytes
    std::uint64_t skipped_bytes = 0;  ///< that were wanted and will not come
    Place place{};                    ///< what crosses now
    bool all = false;                 ///< the end frame has crossed
  };

  /// Up to the end of the first arrived frame that was sent; 0: there was none. Any thread.
  [[nodiscard]] std::uint64_t told_at() const noexcept { return told_at_; }

  /// When so many bytes of the connection have arrived; more than were sent say nothing. For the
  /// thread that asks.
  [[nodiscard]] const Crossed& arrived(std::uint64_t wire_bytes);

 private:
  /// Where a block begins or ends, or a skip, a done or the end frame ends.
  struct Mark {
    std::uint64_t wire_bytes = 0;  ///< of the connection, up to there
    std::uint64_t raw_bytes = 0;
    std::uint64_t skipped_bytes = 0;
    Place place{};  ///< what follows
    bool end = false;
  };
  static constexpr std::size_t kMarks = 256;

  void frame(FrameType type, ByteSpan record);
  void note();
  [[nodiscard]] double raw_per_wire_byte() const noexcept;

  const PipelineCounters& made_;
  const Fifo& queue_;

  // The sending thread's.
  std::uint64_t payload_left_ = kHelloBytes;  ///< bytes before the next frame
  Mark sent_;
  std::uint64_t block_bytes_ = 0;  ///< raw, of the block that is open

  // A ring: marks from taken_ to noted_ are the asking thread's.
  std::array<Mark, kMarks> marks_;
  std::atomic<std::uint64_t> sent_bytes_{0};
  std::atomic<std::uint64_t> told_at_{0};
  std::atomic<std::uint64_t> noted_{0};
  std::atomic<std::uint64_t> taken_{0};

  // The asking thread's.
  Mark passed_;
  Crossed crossed_;
};

}  // namespace adoc
