#include "pipeline/compress_stage.hpp"

#include <algorithm>
#include <thread>

#include "codec/entropy.hpp"
#include "util/checksum.hpp"
#include "wire/block.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

constexpr std::size_t kMaxBlockFrameBytes = 64;
constexpr std::size_t kMaxBlockEndFrameBytes = 32;

/// A FIFO shorter than this stays below the law's threshold with the next packet.
constexpr std::size_t kShortFifoPackets = 8;

void append(Bytes& to, const Bytes& frame) { to.insert(to.end(), frame.begin(), frame.end()); }

void append_packet(Bytes& to, ByteSpan payload) {
  ByteWriter out(to);
  FrameHeader{FrameType::packet, static_cast<std::uint32_t>(payload.size())}.encode(out);
  out.bytes(payload);
}

Bytes block_frame(const RawBlock& block, int level, CodecId codec) {
  return encode_frame(BlockHeader{.batch = block.batch,
                                  .offset = block.offset,
                                  .raw_bytes = block.bytes.size(),
                                  .codec = static_cast<std::uint8_t>(codec),
                                  .level = static_cast<std::uint8_t>(level),
                                  .checksum = xxh3_64(block.bytes)});
}

/// Below this the tables of an entropy coder may cost more than it saves.
constexpr std::size_t kSureToShrinkBytes = 8'192;

/// Whether all that is known of a block before it is compressed is no promise that it will shrink.
bool may_grow(const Rung& rung, ByteSpan block) noexcept {
  const bool codes_entropy =
      rung.codec == CodecId::zlib || (rung.codec == CodecId::zstd && rung.setting > 0);
  return !codes_entropy || block.size() < kSureToShrinkBytes || looks_random(block);
}

}  // namespace

CompressStage::CompressStage(const Setup& setup)
    : setup_(setup),
      packet_(setup.packet_bytes),
      blocks_at_level_(static_cast<std::size_t>(setup.ladder.top()) + 1) {}

std::size_t CompressStage::buffer_bytes(std::size_t packet_bytes) noexcept {
  return kMaxBlockFrameBytes + kFrameHeaderBytes + packet_bytes + kMaxBlockEndFrameBytes;
}

void CompressStage::run() {
  const Clock::time_point begin = Clock::now();
  std::uint64_t count = 0;
  for (int level = setup_.policy.first_level();; ++count) {
    if (level == 0) give_way();
    const std::size_t fifo_before = setup_.fifo.size();
    const std::uint64_t drained_before = setup_.counters.wire_bytes.load(std::memory_order_relaxed);
    const Clock::time_point block_begin = Clock::now();
    const auto block = setup_.source.next(level == 0 ? setup_.packet_bytes : setup_.block_bytes);
    if (!block) return;

    const Clock::time_point compress_begin = Clock::now();
    const Written written = emit(*block, level);
    if (level == 1) patience_.compressed(seconds_since(compress_begin), block->bytes.size());
    ++blocks_at_level_[static_cast<std::size_t>(level)];
    setup_.counters.raw_bytes.fetch_add(block->bytes.size(), std::memory_order_relaxed);
    setup_.counters.level.store(level, std::memory_order_relaxed);

    const Observation seen = observe(level, fifo_before, written);
    const Choice choice = setup_.policy.next(seen);
    if (setup_.observer != nullptr) {
      const std::uint64_t drained =
          setup_.counters.wire_bytes.load(std::memory_order_relaxed) - drained_before;
      setup_.observer->on_decision(
          {.time_seconds = seconds_since(begin),
           .block = count,
           .raw_bytes = block->bytes.size(),
           .wire_bytes = written.wire_bytes,
           .level = level,
           .codec = codec_name(written.codec),
           .fifo_packets = seen.fifo_after,
           .drain_bytes_per_second = static_cast<double>(drained) / seconds_since(block_begin),
           .reason = choice.reason});
    }
    level = choice.level;
  }
}

// Where threads outnumber cores, this one would otherwise fill the FIFO for its whole time slice
// before the communication thread got its turn, and the law would take the scheduler for a slow
// link.
void CompressStage::give_way() {
  const double allowed = patience_.earn(setup_.packet_bytes);
  if (setup_.fifo.size() < kShortFifoPackets) return;
  const Clock::time_point begin = Clock::now();
  double waited = 0;
  do {
    std::this_thread::yield();
    waited = seconds_since(begin);
  } while (setup_.fifo.size() >= kShortFifoPackets && waited < allowed);
  patience_.spend(std::min(waited, allowed));
}

// The law is for a FIFO that has no bound and gets its packets as they are made. What waits outside
// a full FIFO would have made that one grow; and when this one ran dry while a block was held back,
// that one would have been no longer at the end.
Observation CompressStage::observe(int level, std::size_t fifo_before,
                                   const Written& written) const {
  std::size_t fifo_after = setup_.fifo.size();
  if (written.waited) fifo_after = std::max(fifo_after, fifo_before + 1);
  if (written.ran_dry) fifo_after = 0;
  return {.level = level, .fifo_before = fifo_before, .fifo_after = fifo_after};
}

CompressStage::Written CompressStage::emit(const RawBlock& block, int level) {
  if (setup_.ladder[level].codec == CodecId::raw) return emit_raw(block, level);
  if (const auto written = emit_compressed(block, level)) return *written;
  const bool ran_dry = setup_.fifo.size() == 0;
  Written written = emit_raw(block, level);
  written.ran_dry = ran_dry;
  return written;
}

CompressStage::Written CompressStage::emit_raw(const RawBlock& block, int level) {
  Written written;
  Bytes frames = setup_.stock.take();
  append(frames, block_frame(block, level, CodecId::raw));
  for (ByteSpan rest = block.bytes;;) {
    const std::size_t length = std::min(rest.size(), setup_.packet_bytes);
    append_packet(frames, rest.first(length));
    rest = rest.subspan(length);
    if (rest.empty()) break;
    push(std::move(frames), 1, written);
    frames = setup_.stock.take();
  }
  append(frames, encode_frame(BlockEnd{block.bytes.size()}));
  push(std::move(frames), 1, written);
  return written;
}

// None when the block does not shrink. What must shrink streams; a block that may not is held back
// until its last packet tells.
std::optional<CompressStage::Written> CompressStage::emit_compressed(const RawBlock& block,
                                                                     int level) {
  const Rung& rung = setup_.ladder[level];
  Compressor& codec = compressor(rung.codec);
  codec.begin(block.bytes, rung.setting);

  const bool hold = may_grow(rung, block.bytes);
  std::vector<Bytes> held;
  Written written{.codec = rung.codec};
  std::size_t stored = 0;
  for (bool first = true;; first = false) {
    const std::size_t length = codec.next_packet(packet_);
    const bool last = length < packet_.size();
    stored += length;
    if (last && (first || hold) && stored >= block.bytes.size()) {
      for (Bytes& frames : held) setup_.stock.give_back(std::move(frames));
      return std::nullopt;
    }
    Bytes frames = setup_.stock.take();
    if (first) append(frames, block_frame(block, level, rung.codec));
    if (length != 0) append_packet(frames, std::span(packet_).first(length));
    if (last) append(frames, encode_frame(BlockEnd{stored}));
    if (hold)
      held.push_back(std::move(frames));
    else
      push(std::move(frames), length != 0 ? 1 : 0, written);
    if (!last) continue;
    written.ran_dry = hold && setup_.fifo.size() == 0;
    for (Bytes& packet : held) push(std::move(packet), 1, written);
    return written;
  }
}

Compressor& CompressStage::compressor(CodecId id) {
  auto& slot = compressors_.at(static_cast<std::size_t>(id));
  if (!slot) slot = make_compressor(id);
  return *slot;
}

void CompressStage::push(Bytes frames, std::size_t weight, Written& written) {
  written.wire_bytes += frames.size();
  if (setup_.fifo.push(std::move(frames), weight)) written.waited = true;
}

}  // namespace adoc
