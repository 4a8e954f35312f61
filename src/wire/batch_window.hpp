#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "wire/entry.hpp"
#include "wire/offer.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// What a batch takes of a window, or how much all of a window's batches may take.
struct BatchSize {
  std::size_t entries = 0;          ///< as window_entries() counts them
  std::uint64_t offer_bytes = 0;    ///< as window_bytes() counts them
  std::uint64_t content_bytes = 0;  ///< of its files; only a sender limits them
};

/// One with a share counts as two, because the receiver keeps twice as much for it.
[[nodiscard]] inline std::size_t window_entries(const std::vector<Entry>& entries) noexcept {
  const auto shares =
      std::ranges::count_if(entries, [](const Entry& entry) { return entry.share.has_value(); });
  return entries.size() + static_cast<std::size_t>(shares);
}

/// Of the manifest, raw or stored, whichever is longer: a peer may say of a long one that it will
/// be short.
[[nodiscard]] inline std::size_t window_bytes(const Offer& offer) noexcept {
  return std::max(offer.raw_bytes, offer.stored.size());
}

/// The batches that are offered and not yet committed, on one side. kMaxBatchesInFlight of them may
/// be whatever they are; once it is wide kMaxBatchesInWideWindow, if all of them together stay
/// within a size. They leave in the order in which they came. Used by one thread at a time.
///
/// A receiver counts a batch later than its sender and lets go of it earlier, so what fits there
/// fits here.
class BatchWindow {
 public:
  void widen(const BatchSize& most) noexcept { most_ = most; }

  [[nodiscard]] bool fits(const BatchSize& next) const noexcept {
    return batches() < kMaxBatchesInFlight ||
           (most_ && batches() < kMaxBatchesInWideWindow &&
            sum_.entries + next.entries <= most_->entries &&
            sum_.offer_bytes + next.offer_bytes <= most_->offer_bytes &&
            sum_.content_bytes + next.content_bytes <= most_->content_bytes);
  }

  void add(const BatchSize& next) {
    sizes_.push_back(next);
    sum_.entries += next.entries;
    sum_.offer_bytes += next.offer_bytes;
    sum_.content_bytes += next.content_bytes;
  }

  /// The oldest; there must be one.
  void remove() noexcept {
    const BatchSize& oldest = sizes_.front();
    sum_.entries -= oldest.entries;
    sum_.offer_bytes -= oldest.offer_bytes;
    sum_.content_bytes -= oldest.content_bytes;
    sizes_.pop_front();
  }

  [[nodiscard]] std::size_t batches() const noexcept { return sizes_.size(); }

 private:
  std::deque<BatchSize> sizes_;
  BatchSize sum_;
  std::optional<BatchSize> most_;  ///< absent: not wide
};

}  // namespace adoc
