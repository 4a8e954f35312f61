#include "pipeline/write_stage.hpp"

#include <utility>

#include "pipeline/decompress_stage.hpp"

namespace adoc {

void WriteStage::run() {
  std::vector<InboundItem> items;
  while (!ended_ && inbound_.pop_some(items, 1)) {
    take(items.front());
    inbound_.release();
    items.clear();
  }
}

void WriteStage::take(InboundItem& item) {
  switch (item.type) {
    case FrameType::skip:
      return sink_.skip(Skip::decode(item.bytes));
    case FrameType::done:
      return sink_.done(Done::decode(item.bytes));
    case FrameType::end:
      batches_ = End::decode(item.bytes).batches;
      ended_ = true;
      return;
    default:
      return write(item);
  }
}

void WriteStage::write(InboundItem& item) {
  const BlockHeader& header = item.header;
  const ByteSpan raw = item.content();
  const std::int64_t begin = clock_ns();
  if (!item.checked) expect_checksum(header, raw);
  sink_.write({header.batch, header.offset, raw, header.checksum});
  meter_.writing_ns.fetch_add(clock_ns() - begin, std::memory_order_relaxed);
  meter_.written_bytes.fetch_add(raw.size(), std::memory_order_relaxed);

  counters_.raw_bytes.fetch_add(raw.size(), std::memory_order_relaxed);
  counters_.level.store(header.level, std::memory_order_relaxed);
  if (blocks_at_level_.size() <= header.level)
    blocks_at_level_.resize(header.level + std::size_t{1});
  ++blocks_at_level_[header.level];
  stock_.give_back(std::move(item.bytes));
}

}  // namespace adoc
