#include "destination/recorded_sink.hpp"

#include <algorithm>
#include <utility>

#include "wire/broken_protocol.hpp"
#include "wire/recording.hpp"

namespace adoc {

void RecordedSink::stand_at(std::uint64_t batch, std::uint64_t offset) {
  const IncomingBatch& current = sink_.current(batch);
  if (batch_ == nullptr) {
    batch_ = &current;
    everything_ = want_everything(current.entries());
    recorded_ = StreamLayout(current.entries(), everything_);
    wanted_ = StreamLayout(current.entries(), current.wants());
    recorded_position_ = wanted_position_ = offset_ = wanted_offset_ = 0;
  }
  if (offset != offset_) broken_protocol("a block is not where the stream goes on");
}

template <typename Recorded, typename Wanted>
void RecordedSink::advance(std::uint64_t length, Recorded recorded, Wanted wanted) {
  for (std::uint64_t used = 0; used < length;) {
    if (recorded_.at_end()) broken_protocol("more data came than the files hold");
    const Piece piece = recorded_.piece();
    const std::uint64_t begin = piece.file_offset + recorded_position_;
    const std::uint64_t run = std::min(length - used, piece.length - recorded_position_);
    recorded(piece, begin, used, run);
    // Both streams have entries and their runs in the same order.
    while (!wanted_.at_end() && wanted_.piece().entry == piece.entry) {
      const Piece its = wanted_.piece();
      const std::uint64_t from = its.file_offset + wanted_position_;
      if (from >= begin + run) break;
      const std::uint64_t count = std::min(begin + run - from, its.length - wanted_position_);
      wanted(used + (from - begin), count);
      wanted_position_ += count;
      if (wanted_position_ != its.length) break;
      wanted_.next();
      wanted_position_ = 0;
    }
    used += run;
    recorded_position_ += run;
    if (recorded_position_ == piece.length) {
      recorded_.next();
      recorded_position_ = 0;
    }
  }
  offset_ += length;
}

void RecordedSink::write(const ArrivedBlock& block) {
  stand_at(block.batch, block.offset);
  std::size_t begin = 0;
  std::size_t end = 0;
  advance(
      block.raw.size(),
      [&](const Piece& piece, std::uint64_t offset, std::uint64_t used, std::uint64_t length) {
        hash(piece, offset,
             block.raw.subspan(static_cast<std::size_t>(used), static_cast<std::size_t>(length)));
      },
      [&](std::uint64_t from, std::uint64_t count) {
        if (from != end) {
          pass_on(block, begin, end);
          begin = static_cast<std::size_t>(from);
        }
        end = static_cast<std::size_t>(from + count);
      });
  pass_on(block, begin, end);
}

void RecordedSink::pass_on(const ArrivedBlock& block, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const ByteSpan raw = block.raw.subspan(begin, end - begin);
  const bool is_whole = raw.size() == block.raw.size();
  sink_.write({.batch = block.batch,
               .offset = wanted_offset_,
               .raw = raw,
               .checksum = is_whole ? block.checksum : xxh3_64(raw)});
  wanted_offset_ += raw.size();
}

void RecordedSink::skip(const Skip& skip) {
  stand_at(skip.batch, skip.offset);
  std::uint64_t wanted = 0;
  // Its entry has failed: no hash of it is waited for.
  advance(
      skip.length, [](const Piece&, std::uint64_t, std::uint64_t, std::uint64_t) {},
      [&](std::uint64_t, std::uint64_t count) { wanted += count; });
  if (wanted == 0) return;
  sink_.skip({.batch = skip.batch, .offset = wanted_offset_, .length = wanted});
  wanted_offset_ += wanted;
}

void RecordedSink::done(const Done& done) {
  stand_at(done.batch, done.stream_bytes);
  const bool may_end = recorded_.at_end() || recorded_.piece().length == kUnknownSize;
  if (!may_end) broken_protocol("a batch is done before all of it came");
  if (!done.hashes.empty()) broken_protocol("a done has a hash that nobody has asked for");
  end_hash();
  const Done passed{.batch = done.batch,
                    .stream_bytes = wanted_offset_,
                    .failures = done.failures,
                    .hashes = std::exchange(hashes_, {})};
  // The batch goes on to who commits it.
  batch_ = nullptr;
  recorded_ = wanted_ = {};
  looked_at_.reset();
  sink_.done(passed);
}

void RecordedSink::hash(const Piece& piece, std::uint64_t offset, ByteSpan bytes) {
  if (looked_at_ != piece.entry) {
    end_hash();
    looked_at_ = piece.entry;
    const Entry& entry = batch_->entries()[piece.entry];
    if (wanted_in_part(entry, batch_->wants()[piece.entry]))
      hashed_.emplace(piece.entry, entry.size);
  }
  if (!hashed_) return;
  hashed_->hasher.update_zeros(offset - hashed_->position);
  hashed_->hasher.update(bytes);
  hashed_->position = offset + bytes.size();
}

void RecordedSink::end_hash() {
  if (!hashed_) return;
  hashed_->hasher.update_zeros(hashed_->size - hashed_->position);
  hashes_.push_back({.entry = hashed_->entry, .hash = hashed_->hasher.digest()});
  hashed_.reset();
}

}  // namespace adoc
