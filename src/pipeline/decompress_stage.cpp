#include "pipeline/decompress_stage.hpp"

#include <utility>

#include "adoc/error.hpp"
#include "codec/codec_error.hpp"
#include "codec/predicted_form.hpp"
#include "pipeline/fifo.hpp"
#include "util/checksum.hpp"

namespace adoc {

void expect_checksum(const BlockHeader& header, ByteSpan raw) {
  if (xxh3_64(raw) != header.checksum)
    throw Error(ErrorKind::corrupt, "the data did not arrive as sent: a block's checksum is wrong");
}

void DecompressStage::run() {
  while (auto block = setup_.stored.pop()) {
    try {
      const MemoryShares::Share share = setup_.memory.take(block->number);
      if (!share) setup_.stored.wait_for_failure();
      const ByteSpan prefix = prefix_of(*block);
      InboundItem item = make(*block, prefix, share);
      const std::size_t weight = kInboundItemBytes + item.size();
      setup_.inbound.push(block->lane, std::move(item), weight);
      setup_.inbound.close(block->lane);
    } catch (...) {
      // Whoever waits for these bytes fails of the same.
      if (block->result) block->result->fail(std::current_exception());
      setup_.window.fail(std::current_exception());
      throw;
    }
  }
}

InboundItem DecompressStage::make(StoredBlock& block, ByteSpan prefix,
                                  const MemoryShares::Share& share) {
  const std::int64_t begin = clock_ns();
  std::int64_t waited = 0;
  Buffer raw = setup_.stock.take(block.header.raw_bytes);
  raw.resize(block.header.raw_bytes);
  if (block.window_begin)
    waited = decompress_matched(block, raw, share);
  else if (block.filter.kind != FilterKind::none)
    decompress_filtered(block, raw, share);
  else if (!block.windows.empty())
    decompress_predicted(block, raw, share);
  else
    decompress(block, raw, prefix, share);
  expect_checksum(block.header, raw);
  setup_.stock.give_back(std::move(block.stored));
  setup_.meter.decompressing_ns.fetch_add(clock_ns() - begin - waited, std::memory_order_relaxed);
  setup_.meter.decompressed_bytes.fetch_add(raw.size(), std::memory_order_relaxed);

  InboundItem item{.type = FrameType::block, .header = block.header, .checked = true};
  if (block.result) {
    item.shared = std::make_shared<const Buffer>(std::move(raw));
    block.result->set_value(item.shared);
  } else {
    item.bytes = std::move(raw);
  }
  return item;
}

void DecompressStage::decompress(const StoredBlock& block, std::span<std::byte> into,
                                 ByteSpan prefix, const MemoryShares::Share& share) {
  const auto codec = static_cast<CodecId>(block.header.codec);
  if (is_dense(codec)) {
    const auto look = [this] { setup_.stored.pause_until(Clock::now()); };
    make_decompressor(codec, look, share)->decompress(block.stored, into);
  } else {
    decompressor(codec).decompress(block.stored, into, prefix);
  }
}

std::int64_t DecompressStage::decompress_matched(const StoredBlock& block, std::span<std::byte> raw,
                                                 const MemoryShares::Share& share) {
  std::size_t literals = raw.size();
  for (const Match& match : block.matches) literals -= match.length;
  std::span<std::byte> into = raw;
  Buffer apart;
  if (literals != raw.size()) {
    apart = setup_.stock.take(literals);
    apart.resize(literals);
    into = apart;
  }
  if (literals != 0)
    decompress(block, into, {}, share);
  else if (!block.stored.empty())
    throw_corrupt(static_cast<CodecId>(block.header.codec), kHoldsMore);
  const std::int64_t begin = clock_ns();
  setup_.window.wait_for(*block.window_begin, raw.size(), block.matches);
  const std::int64_t waited = clock_ns() - begin;
  setup_.window.fill(*block.window_begin, raw, block.matches, into);
  if (literals != raw.size()) setup_.stock.give_back(std::move(apart));
  return waited;
}

void DecompressStage::decompress_filtered(const StoredBlock& block, std::span<std::byte> raw,
                                          const MemoryShares::Share& share) {
  Buffer filtered = setup_.stock.take(raw.size());
  filtered.resize(raw.size());
  decompress(block, filtered, {}, share);
  undo_filter(block.filter, filtered, raw);
  setup_.stock.give_back(std::move(filtered));
}

void DecompressStage::decompress_predicted(const StoredBlock& block, std::span<std::byte> raw,
                                           const MemoryShares::Share& share) {
  const std::size_t bytes = folded_bytes(block.predicted_type, raw.size(), block.literals);
  Buffer folded = setup_.stock.take(bytes);
  folded.resize(bytes);
  decompress(block, folded, {}, share);
  unfold(block.predicted_type, block.windows, folded, raw);
  setup_.stock.give_back(std::move(folded));
}

// A dense codec needs the memory of a prefix for itself.
ByteSpan DecompressStage::prefix_of(const StoredBlock& block) {
  if (is_dense(static_cast<CodecId>(block.header.codec))) {
    joined_ = {};
    return {};
  }
  if (block.before.size() == 1)
    return ByteSpan(*block.before.front().get()).last(block.prefix_bytes);
  joined_.clear();
  for (const LinkedBytes& before : block.before) {
    joined_.append(*before.get());
  }
  return ByteSpan(joined_).last(block.prefix_bytes);
}

Decompressor& DecompressStage::decompressor(CodecId codec) {
  auto& slot = decompressors_.at(static_cast<std::size_t>(codec));
  if (!slot) slot = make_decompressor(codec);
  return *slot;
}

}  // namespace adoc
