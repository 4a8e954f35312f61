#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "adoc/observer.hpp"
#include "codec/codec.hpp"
#include "codec/ladder.hpp"
#include "control/policy.hpp"
#include "control/raw_patience.hpp"
#include "pipeline/fifo.hpp"
#include "util/clock.hpp"

namespace adoc {

/// A run of a batch's stream, still raw.
struct RawBlock {
  std::uint64_t batch = 0;
  std::uint64_t offset = 0;  ///< in the batch's stream
  ByteSpan bytes;            ///< never empty; valid until the source is asked for the next
};

/// Where the compress stage reads.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  /// The next run, as long as there is but at most `max_bytes`; none at the end.
  [[nodiscard]] virtual std::optional<RawBlock> next(std::size_t max_bytes) = 0;
};

/// The compression thread of Jeannot 2002, Fig. 1: reads a block, compresses it at the level that
/// the policy gave, and queues its packets as the compressor makes them. Used by one thread.
class CompressStage {
 public:
  struct Setup {
    const Ladder& ladder;
    Policy& policy;
    std::size_t block_bytes;
    std::size_t packet_bytes;
    BlockSource& source;
    Fifo& fifo;
    BufferStock& stock;
    PipelineCounters& counters;
    Observer* observer;  ///< may be null
  };

  explicit CompressStage(const Setup& setup);

  /// Until the source ends. Throws what source and FIFO throw.
  void run();

  /// Blocks at each level, level 0 first.
  [[nodiscard]] const std::vector<std::uint64_t>& blocks_at_level() const noexcept {
    return blocks_at_level_;
  }

  /// What a buffer of the stock has to hold: a packet with the frames around it.
  [[nodiscard]] static std::size_t buffer_bytes(std::size_t packet_bytes) noexcept;

 private:
  struct Written {
    CodecId codec = CodecId::raw;
    std::size_t wire_bytes = 0;
    bool waited = false;   ///< the FIFO was full
    bool ran_dry = false;  ///< the FIFO got empty while the block was held back
  };

  [[nodiscard]] Observation observe(int level, std::size_t fifo_before,
                                    const Written& written) const;

  /// Before a packet is read at level 0: lets the communication thread go first.
  void give_way();
  Written emit(const RawBlock& block, int level);
  [[nodiscard]] std::optional<Written> emit_compressed(const RawBlock& block, int level);
  Written emit_raw(const RawBlock& block, int level);
  [[nodiscard]] Compressor& compressor(CodecId id);
  void push(Bytes frames, std::size_t weight, Written& written);

  Setup setup_;
  RawPatience patience_;
  Bytes packet_;  ///< the compressor writes here; one copy is nothing beside compressing
  std::array<std::unique_ptr<Compressor>, 4> compressors_;
  std::vector<std::uint64_t> blocks_at_level_;
};

}  // namespace adoc
