#pragma once

#include <atomic>
#include <cstdint>

#include "pipeline/crossing.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {

/// What is known of how much a transfer has to move, for progress. Each side has one; add() is
/// called by the thread that learns of the wants, and all may be read at any time.
struct TransferTotals {
  std::atomic<std::uint64_t> wanted_bytes{0};
  std::atomic<bool> known{false};  ///< no more will be wanted, and all of it has a length
  std::atomic<std::uint64_t> entries_done{0};
  std::atomic<std::uint64_t> files_done{0};   ///< of these
  std::atomic<std::uint64_t> files_found{0};  ///< by a sender; of a receiver: that were offered
  std::atomic<bool> all_found{false};
  std::atomic<std::uint64_t> resumed_bytes{0};   ///< that were there from an earlier transfer
  std::atomic<std::uint64_t> queue_position{0};  ///< as in QueuePlace
  std::atomic<std::uint64_t> transfers_ahead{0};

  void add(const StreamSize& size, bool last) noexcept {
    wanted_bytes += size.bytes;
    all_have_lengths_ = all_have_lengths_ && size.known;
    if (last) known = all_have_lengths_.load();
  }

  /// Of a sender's connection, as far as it has crossed.
  std::atomic<std::uint64_t> crossed_raw_bytes{0};
  std::atomic<std::uint64_t> crossed_wire_bytes{0};
  std::atomic<std::uint64_t> skipped_bytes{0};  ///< wanted, and they will not come
  std::atomic<bool> all_crossed{false};

  void crossed(const Crossing::Crossed& crossed) noexcept {
    crossed_raw_bytes = crossed.raw_bytes;
    crossed_wire_bytes = crossed.wire_bytes;
    skipped_bytes = crossed.skipped_bytes;
    all_crossed = crossed.all;
  }

  void found(std::uint64_t files, bool all) noexcept {
    files_found.fetch_add(files, std::memory_order_relaxed);
    if (all) all_found = true;
  }

  void entry_done(bool is_file) noexcept {
    entries_done.fetch_add(1, std::memory_order_relaxed);
    if (is_file) files_done.fetch_add(1, std::memory_order_relaxed);
  }

  /// After a lost connection: of what is not done everything will be asked for again.
  void restart(std::uint64_t done_bytes) noexcept {
    wanted_bytes = done_bytes;
    crossed({});
    known = false;
    queue_position = 0;
    all_have_lengths_ = true;
  }

  void reset() noexcept {
    wanted_bytes = 0;
    known = false;
    entries_done = 0;
    files_done = 0;
    files_found = 0;
    all_found = false;
    resumed_bytes = 0;
    all_have_lengths_ = true;
  }

 private:
  std::atomic<bool> all_have_lengths_{true};
};

}  // namespace adoc
