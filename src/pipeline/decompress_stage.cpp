#include "pipeline/decompress_stage.hpp"

#include <utility>

#include "adoc/error.hpp"
#include "pipeline/fifo.hpp"
#include "util/checksum.hpp"

namespace adoc {

void expect_checksum(const BlockHeader& header, ByteSpan raw) {
  if (xxh3_64(raw) != header.checksum)
    throw Error(ErrorKind::corrupt, "the data did not arrive as sent: a block's checksum is wrong");
}

void DecompressStage::run() {
  while (auto block = stored_.pop()) {
    try {
      InboundItem item = decompress(*block);
      const std::size_t weight = kInboundItemBytes + item.size();
      inbound_.push(block->lane, std::move(item), weight);
      inbound_.close(block->lane);
    } catch (...) {
      // Whoever waits for these bytes fails of the same.
      if (block->result) block->result->fail(std::current_exception());
      throw;
    }
  }
}

InboundItem DecompressStage::decompress(StoredBlock& block) {
  const ByteSpan prefix = prefix_of(block);
  const std::int64_t begin = clock_ns();
  Bytes raw = stock_.take(block.header.raw_bytes);
  raw.resize(block.header.raw_bytes);
  decompressor(static_cast<CodecId>(block.header.codec)).decompress(block.stored, raw, prefix);
  expect_checksum(block.header, raw);
  stock_.give_back(std::move(block.stored));
  meter_.decompressing_ns.fetch_add(clock_ns() - begin, std::memory_order_relaxed);
  meter_.decompressed_bytes.fetch_add(raw.size(), std::memory_order_relaxed);

  InboundItem item{.type = FrameType::block, .header = block.header, .checked = true};
  if (block.result) {
    item.shared = std::make_shared<const Bytes>(std::move(raw));
    block.result->set_value(item.shared);
  } else {
    item.bytes = std::move(raw);
  }
  return item;
}

ByteSpan DecompressStage::prefix_of(const StoredBlock& block) {
  if (block.before.size() == 1)
    return ByteSpan(*block.before.front().get()).last(block.prefix_bytes);
  joined_.clear();
  for (const LinkedBytes& before : block.before) {
    const ByteSpan bytes = *before.get();
    joined_.insert(joined_.end(), bytes.begin(), bytes.end());
  }
  return ByteSpan(joined_).last(block.prefix_bytes);
}

Decompressor& DecompressStage::decompressor(CodecId codec) {
  auto& slot = decompressors_.at(static_cast<std::size_t>(codec));
  if (!slot) slot = make_decompressor(codec);
  return *slot;
}

}  // namespace adoc
