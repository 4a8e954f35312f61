#pragma once

#include <atomic>
#include <optional>
#include <stop_token>
#include <vector>

#include "adoc/options.hpp"
#include "pipeline/block_source.hpp"
#include "pipeline/bounded_queue.hpp"
#include "pipeline/fifo.hpp"
#include "source/input_file.hpp"
#include "source/outgoing_batch.hpp"
#include "source/part_hasher.hpp"
#include "source/standard_input.hpp"
#include "util/live_time.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {

using OutgoingQueue = BoundedQueue<OutgoingBatchPtr>;

/// Reads the wanted bytes of one batch after the other. What cannot be read is skipped on the wire,
/// and after each batch comes its done, after the last one the end. Used by the compressing threads
/// in turn. Soon after a stop it throws Error(interrupted).
class BatchSource final : public BlockSource {
 public:
  struct Setup {
    OutgoingQueue& wanted;  ///< batches with their wants, in order
    OutgoingQueue& sent;    ///< where they go when all of them is in the FIFO
    Fifo& fifo;
    Wakeup& stopped;             ///< ends the wait for a silent standard input
    std::stop_token stop;        ///< ends everything else
    bool allow_changed = false;  ///< a file that changes is no failure unless it becomes shorter
    /// Of files' contents; it may change until there is the first batch.
    const std::optional<Lossy>& lossy;
    Keep keep{};                     ///< what need not be looked for as it is kept
    StandardInput* input = nullptr;  ///< null: it is not among the sources
    LiveTime* answers = nullptr;     ///< told of the time that it waits for wants; null: nobody is
    /// That something is said behind the end, by somebody else; null: nothing is.
    const std::atomic<bool>* goes_on = nullptr;
  };

  explicit BatchSource(const Setup& setup) : setup_(setup) {}

  [[nodiscard]] std::optional<RawBlock> next(std::span<std::byte> into) override;

  /// The receiver will not have this entry: what is left of it is not read. Any thread.
  void failed_there(const Failed& failed) noexcept;

 private:
  /// Of all entries of all batches, which are read in this order. From 1 on.
  [[nodiscard]] static std::uint64_t number_of(const Failed& failed) noexcept {
    return failed.batch * kMaxBatchEntries + failed.entry + 1;
  }
  [[nodiscard]] bool has_failed_there(std::size_t entry) const noexcept {
    return failed_there_ == number_of({.batch = batch_->id, .entry = entry});
  }
  [[nodiscard]] std::optional<OutgoingBatchPtr> next_wanted();
  void start_batch();
  void finish_batch();
  /// Reads pieces until `into` is full, the batch ends or an entry fails; and what is predicted, up
  /// to the end of the last window.
  [[nodiscard]] std::size_t fill(std::span<std::byte> into);
  [[nodiscard]] bool is_predicted() const noexcept {
    return setup_.lossy && setup_.lossy->predicted;
  }
  /// So much of `room` is read from there, of a file that is predicted.
  [[nodiscard]] std::size_t whole_windows(std::uint64_t offset, std::size_t room) const noexcept;
  /// Of what was read behind the first `begin` bytes of a block.
  void add_windows(std::size_t begin);
  [[nodiscard]] std::size_t read_piece(const Piece& piece, std::span<std::byte> into,
                                       std::size_t filled);
  [[nodiscard]] std::size_t read_standard_input(std::span<std::byte> into);
  void finish_piece();
  void open(std::size_t entry);
  /// Ends with an entry of which all that is wanted was read.
  void finish_entry(std::size_t entry);
  void close() noexcept;
  void fail_entry(std::size_t entry, const std::string& reason);
  void skip_rest(std::size_t entry);

  Setup setup_;
  OutgoingBatchPtr batch_;
  StreamLayout layout_;                ///< from where the batch is read
  std::uint64_t piece_position_ = 0;   ///< bytes of it that are read
  std::optional<InputFile> file_;      ///< of the piece's entry, once something of it was read
  std::optional<PartHasher> hasher_;   ///< of the file, if only a part of it is wanted
  std::vector<Done::Whole> hashes_;    ///< of the batch
  std::uint64_t stream_position_ = 0;  ///< of the batch's stream
  PredictedNumbers predicted_;         ///< of what fill() has read
  std::size_t in_windows_ = 0;         ///< bytes of that up to the end of the last window
  std::uint64_t to_skip_ = 0;          ///< bytes of a failed entry that come next in the stream
  // By number_of(). Receivers say in order what fails: one that is not the latest was read long
  // ago.
  std::atomic<std::uint64_t> failed_there_{0};
  std::atomic<std::uint64_t> reads_input_{0};  ///< standard input, while it is waited for
};

}  // namespace adoc
