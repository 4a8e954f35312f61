#pragma once

#include <atomic>
#include <cstdint>

#include "wire/stream_layout.hpp"

namespace adoc {

/// What is known of how much a transfer has to move, for progress. Each side has one; add() is
/// called by the thread that learns of the wants, and all may be read at any time.
struct TransferTotals {
  std::atomic<std::uint64_t> wanted_bytes{0};
  std::atomic<bool> known{false};  ///< no more will be wanted, and all of it has a length
  std::atomic<std::uint64_t> entries_done{0};
  std::atomic<std::uint64_t> resumed_bytes{0};   ///< that were there from an earlier transfer
  std::atomic<std::uint64_t> queue_position{0};  ///< as in QueuePlace
  std::atomic<std::uint64_t> transfers_ahead{0};

  void add(const StreamSize& size, bool last) noexcept {
    wanted_bytes += size.bytes;
    all_have_lengths_ = all_have_lengths_ && size.known;
    if (last) known = all_have_lengths_.load();
  }

  /// After a lost connection: of what is not done everything will be asked for again.
  void restart(std::uint64_t done_bytes) noexcept {
    wanted_bytes = done_bytes;
    known = false;
    queue_position = 0;
    all_have_lengths_ = true;
  }

  void reset() noexcept {
    wanted_bytes = 0;
    known = false;
    entries_done = 0;
    resumed_bytes = 0;
    all_have_lengths_ = true;
  }

 private:
  std::atomic<bool> all_have_lengths_{true};
};

}  // namespace adoc
