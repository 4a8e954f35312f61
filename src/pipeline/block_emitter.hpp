#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"
#include "codec/filter_trial.hpp"
#include "codec/ladder.hpp"
#include "codec/sample_stats.hpp"
#include "control/policy.hpp"
#include "pipeline/block_source.hpp"
#include "pipeline/fifo.hpp"
#include "wire/block.hpp"

namespace adoc {

/// Makes the frames of a block and puts them into its lane of the FIFO, a packet as soon as the
/// compressor has made it. Each compression thread has one.
class BlockEmitter {
 public:
  /// `on_packet` is called for each packet that is compressed, and may throw. It tells whether the
  /// system has something left to send: nothing is cut then.
  BlockEmitter(const Ladder& ladder, std::size_t packet_bytes, Fifo& fifo, BufferStock& stock,
               std::function<bool()> on_packet = {});

  struct Task {
    RawBlock block;
    SampleStats stats{};
    int level = 0;
    Fifo::Lane lane = 0;
    bool linked = false;  ///< others may use its bytes as their prefix
    Prefix prefix{};      ///< of a linked block, perhaps empty
    /// Of a block that others may copy from: what it copies, and the bytes that it does not.
    const std::vector<Match>* matches = nullptr;
    ByteSpan literals{};
    /// That has made `filtered` of the block's bytes, neither linked nor matched; a block that then
    /// does not shrink goes as it was. It is never cut.
    ByteFilter filter{};
    ByteSpan filtered{};
    /// The same of what fold() has made of predicted numbers, in the place of a filter.
    const PredictedNumbers* predicted = nullptr;
    std::size_t predicted_literals = 0;
    bool may_cut = false;     ///< the other side knows cuts
    Buffer* whole = nullptr;  ///< the buffer that the block fills, if it may be moved from
    /// Asked now and then while nothing has left of the block and the link waits for it: whether it
    /// is given up. Empty: it never is.
    std::function<bool()> gives_up{};
  };

  struct Written {
    CodecId codec = CodecId::raw;
    ByteFilter filter{};
    bool predicted = false;
    std::size_t raw_bytes = 0;  ///< fewer than the block's when it was cut, 0 if it was given up
    std::size_t wire_bytes = 0;
    std::optional<std::size_t> matched_bytes{};  ///< BlockResult's
    double compress_seconds = 0;                 ///< without waiting for room in the FIFO
    double processor_seconds = 0;  ///< of these, with a processor; 0 for a short raw block
    bool waited = false;
    bool ran_dry = false;  ///< the FIFO got empty while the block was held back
  };

  Written emit(const Task& task);

  /// What filters are tried with for a level (codec/filter_trial.hpp): with what is made at once,
  /// if it is dense, and what codes entropy, if it is raw.
  [[nodiscard]] Rung trial_rung(int level) const;

  /// The filter, or none, by which the block gets shortest with that, as a trial says.
  [[nodiscard]] FilterCosts try_filters(const FilterTrial& trial, ByteSpan block, const Rung& rung);

  /// Frees what the densest levels take.
  void forget_compressors() noexcept;

 private:
  void emit_raw(const Task& task, Written& written);
  [[nodiscard]] bool emit_compressed(const Task& task, Written& written);
  /// Opens the block in front of what `frames` holds of it.
  void append_header(Buffer& frames, const Task& task, CodecId codec) const;
  [[nodiscard]] Compressor& compressor(CodecId id);
  /// While a dense codec is at work.
  void check_on_block();
  [[nodiscard]] std::size_t packet_bytes(const Rung& rung) const noexcept;
  [[nodiscard]] Buffer empty_buffer(std::size_t payload_bytes);
  void push(const Task& task, Buffer frames, std::size_t weight, Written& written);

  const Ladder& ladder_;
  const std::size_t packet_bytes_;
  Fifo& fifo_;
  BufferStock& stock_;
  const std::function<bool()> on_packet_;
  std::array<std::unique_ptr<Compressor>, kCodecs> compressors_;
  const Task* task_ = nullptr;  ///< that is emitted
};

}  // namespace adoc
