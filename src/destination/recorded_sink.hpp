#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "destination/batch_sink.hpp"
#include "util/content_hasher.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {

/// Stands before a BatchSink when what arrives was recorded for a receiver that wants everything
/// (wire/recording.hpp): passes on what this one wants of it, at the place that it has in the
/// stream then, and leaves out the rest. Of a file that is wanted in part it makes the hash of the
/// whole, which goes by, in the sender's place.
class RecordedSink final : public BlockSink {
 public:
  /// The sink outlives it.
  explicit RecordedSink(BatchSink& sink) noexcept : sink_(sink) {}

  // Throw Error(corrupt) for what no sender would have sent to such a receiver, and what the sink
  // throws.
  void write(const ArrivedBlock& block) override;
  void skip(const Skip& skip) override;
  void done(const Done& done) override;

 private:
  /// A file that is wanted in part, as far as it has gone by.
  struct Hashed {
    // Clang 14 makes no optional of a nested class whose members have initial values.
    Hashed(std::size_t its_entry, std::uint64_t its_size)
        : entry(its_entry), size(its_size), position(0) {}

    std::size_t entry;
    std::uint64_t size;
    std::uint64_t position;
    ContentHasher hasher;
  };

  void stand_at(std::uint64_t batch, std::uint64_t offset);
  /// Takes the next bytes of the recorded stream: gives each piece of them to `recorded`, and each
  /// run of them that is wanted to `wanted`, both as place and length in what is taken.
  template <typename Recorded, typename Wanted>
  void advance(std::uint64_t length, Recorded recorded, Wanted wanted);
  void pass_on(const ArrivedBlock& block, std::size_t begin, std::size_t end);
  void hash(const Piece& piece, std::uint64_t offset, ByteSpan bytes);
  void end_hash();

  BatchSink& sink_;
  const IncomingBatch* batch_ = nullptr;  ///< the sink's current one, once it has begun
  std::vector<WantItem> everything_;
  StreamLayout recorded_;
  std::uint64_t recorded_position_ = 0;  ///< in its piece
  StreamLayout wanted_;
  std::uint64_t wanted_position_ = 0;
  std::uint64_t offset_ = 0;              ///< in the recorded stream
  std::uint64_t wanted_offset_ = 0;       ///< in the one that is passed on
  std::optional<std::size_t> looked_at_;  ///< the entry that it is known of whether it is hashed
  std::optional<Hashed> hashed_;
  std::vector<Done::Whole> hashes_;
};

}  // namespace adoc
