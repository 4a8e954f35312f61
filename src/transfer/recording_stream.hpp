#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <string>

#include "io/stream.hpp"
#include "pipeline/bounded_queue.hpp"
#include "transfer/recording_file.hpp"
#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// A sender's connection to a file, which gets all that is written. What comes back is what a
/// receiver would say that wants everything and has no wishes (wire/recording.hpp); its end comes
/// once the file is published. What the file throws ends both directions.
class RecordingStream final : public Stream {
 public:
  /// The file outlives it.
  explicit RecordingStream(RecordingFile& file);

  [[nodiscard]] std::size_t read_some(std::span<std::byte> into) override;
  [[nodiscard]] std::size_t write_some(std::span<const ByteSpan> pieces) override;
  void finish_writing() noexcept override {}
  void stop_reading() noexcept override { abort(); }
  void linger(std::chrono::milliseconds) noexcept override {}
  void abort() noexcept override {
    replies_.fail(aborted_);
    file_.stop();
  }
  void set_read_timeout(std::chrono::milliseconds) override {}
  void set_silence_limit(std::chrono::milliseconds) override {}
  void set_unsent_limit(std::size_t) noexcept override {}
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override {
    return Delivery{.arrived_bytes = written_bytes_.load(std::memory_order_relaxed)};
  }
  [[nodiscard]] const std::string& peer() const noexcept override { return file_.path(); }

 private:
  /// Looks through what is written for what is to be answered.
  void look_at(ByteSpan bytes);
  void answer(FrameType type, ByteSpan payload);

  RecordingFile& file_;
  std::atomic<std::uint64_t> written_bytes_{0};
  // The thread that writes:
  std::uint64_t passing_bytes_ = kHelloBytes;  ///< that are of no interest
  Bytes frame_;                                ///< what has come of one that is
  std::deque<std::size_t> entries_;            ///< of each batch that is not done
  // Between the two:
  BoundedQueue<Bytes> replies_;
  // The thread that reads:
  Bytes reply_;
  std::size_t read_of_reply_ = 0;
  std::exception_ptr aborted_;  ///< made before it is needed
};

}  // namespace adoc
