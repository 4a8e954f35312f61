#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adoc/error.hpp"
#include "codec/byte_filter.hpp"
#include "pipeline/bounded_queue.hpp"
#include "pipeline/lane_queue.hpp"
#include "util/buffer.hpp"
#include "wire/block.hpp"

namespace adoc {

/// What has arrived, in the order in which it is to be dealt with: the raw bytes of a block, or the
/// record of a frame between blocks.
struct InboundItem {
  FrameType type{};  ///< block, skip, done or end
  BlockHeader header{};
  bool checked = false;  ///< the block's checksum was compared
  Buffer bytes{};
  std::shared_ptr<const Buffer> shared{};  ///< instead of bytes: later blocks refer to it

  [[nodiscard]] ByteSpan content() const noexcept { return shared ? *shared : bytes; }
  [[nodiscard]] std::size_t size() const noexcept { return content().size(); }
};
using InboundQueue = LaneQueue<InboundItem>;

/// What an item weighs there beside its bytes: about what it takes in memory without any. A sender
/// may send a million blocks of one byte.
inline constexpr std::size_t kInboundItemBytes = 1'024;

/// The raw bytes of a block that others refer to, once they are decompressed.
using LinkedBytes = std::shared_future<std::shared_ptr<const Buffer>>;

/// The other end of them. When it goes without them, because a transfer has failed, those who wait
/// fail, too. A promise alone would allocate in its destructor to tell them that.
class LinkedResult {
 public:
  LinkedResult() = default;
  LinkedResult(const LinkedResult&) = delete;
  LinkedResult& operator=(const LinkedResult&) = delete;
  ~LinkedResult() { fail(never_made_); }

  [[nodiscard]] LinkedBytes get_future() { return promise_.get_future().share(); }
  void set_value(std::shared_ptr<const Buffer> bytes) {
    promise_.set_value(std::move(bytes));
    is_set_ = true;
  }
  void fail(const std::exception_ptr& failure) noexcept {
    if (!std::exchange(is_set_, true)) promise_.set_exception(failure);
  }

 private:
  [[nodiscard]] static const std::exception_ptr& never_made() {
    static const auto kFailure = std::make_exception_ptr(
        Error(ErrorKind::internal, "a block that others refer to was never made"));
    return kFailure;
  }

  std::promise<std::shared_ptr<const Buffer>> promise_;
  /// Made in time: where memory has run out is no place to.
  const std::exception_ptr& never_made_ = never_made();
  bool is_set_ = false;
};

/// A whole block on its way to one of the decompressing threads.
struct StoredBlock {
  BlockHeader header{};
  Buffer stored{};
  InboundQueue::Lane lane = 0;
  std::uint64_t number = 0;  ///< of all such blocks, in the order in which they are taken

  // Of linked blocks alone:
  std::size_t prefix_bytes = 0;
  std::vector<LinkedBytes> before{};  ///< what the prefix is the end of
  std::unique_ptr<LinkedResult> result{};

  // Of matched blocks alone:
  std::optional<std::uint64_t> window_begin{};  ///< where it begins in the window
  std::vector<Match> matches{};

  ByteFilter filter{};  ///< that its bytes went through before they were compressed

  // Of predicted blocks alone:
  ItemType predicted_type = ItemType::float32;
  std::size_t literals = 0;
  std::vector<NumberWindow> windows{};  ///< of other blocks none
};
using StoredQueue = BoundedQueue<StoredBlock>;

/// What the receiving stages count, for the status that the sender hears; relaxed.
struct ReceiveMeter {
  std::atomic<std::int64_t> stalled_ns{0};  ///< the reading thread waited for the others
  std::atomic<std::int64_t> decompressing_ns{0};
  std::atomic<std::uint64_t> decompressed_bytes{0};
  std::atomic<std::int64_t> writing_ns{0};
  std::atomic<std::uint64_t> written_bytes{0};
};

}  // namespace adoc
