#include "pipeline/decompress_stage.hpp"

#include <string>

#include "adoc/error.hpp"
#include "util/checksum.hpp"

namespace adoc {

namespace {

[[noreturn]] void broken(const std::string& why) {
  throw Error(ErrorKind::corrupt, "the peer broke the protocol: " + why);
}

}  // namespace

DecompressStage::DecompressStage(InboundQueue& inbound, BufferStock& stock, BlockSink& sink,
                                 PipelineCounters& counters)
    : inbound_(inbound), stock_(stock), sink_(sink), counters_(counters) {}

void DecompressStage::run() {
  while (auto frame = inbound_.pop()) {
    const FrameType type = frame->type;
    const bool in_block = type == FrameType::packet || type == FrameType::block_end;
    if (in_block != open_.has_value())
      broken(std::string(frame_name(type)) + (in_block ? " outside a block" : " inside a block"));
    switch (type) {
      case FrameType::block:
        open_block(BlockHeader::decode(frame->bytes));
        break;
      case FrameType::packet:
        packet(frame->bytes);
        break;
      case FrameType::block_end:
        close_block(BlockEnd::decode(frame->bytes));
        break;
      case FrameType::skip:
        sink_.skip(Skip::decode(frame->bytes));
        break;
      case FrameType::done:
        sink_.done(Done::decode(frame->bytes));
        break;
      case FrameType::end:
        batches_ = End::decode(frame->bytes).batches;
        return;
      default:
        broken(std::string("a sender does not send ") + frame_name(type));
    }
    stock_.give_back(std::move(frame->bytes));
  }
}

void DecompressStage::open_block(const BlockHeader& header) {
  codec_ = &decompressor(header.codec);
  if (raw_.size() < header.raw_bytes) raw_.resize(header.raw_bytes);
  codec_->begin(std::span(raw_).first(header.raw_bytes));
  stored_bytes_ = 0;
  open_ = header;
}

void DecompressStage::packet(ByteSpan stored) {
  stored_bytes_ += stored.size();
  if (stored_bytes_ > max_stored_bytes(open_->raw_bytes)) broken("a block has grown");
  codec_->feed(stored);
}

void DecompressStage::close_block(const BlockEnd& end) {
  codec_->finish();
  if (end.stored_bytes != stored_bytes_) broken("a block's stored length is not what came");
  const ByteSpan raw = ByteSpan(raw_).first(open_->raw_bytes);
  if (xxh3_64(raw) != open_->checksum)
    throw Error(ErrorKind::corrupt, "the data did not arrive as sent: a block's checksum is wrong");
  sink_.write(open_->batch, open_->offset, raw);

  counters_.raw_bytes.fetch_add(raw.size(), std::memory_order_relaxed);
  counters_.level.store(open_->level, std::memory_order_relaxed);
  if (blocks_at_level_.size() <= open_->level)
    blocks_at_level_.resize(open_->level + std::size_t{1});
  ++blocks_at_level_[open_->level];
  open_.reset();
}

Decompressor& DecompressStage::decompressor(std::uint8_t codec) {
  if (codec >= decompressors_.size()) broken("there is no codec " + std::to_string(codec));
  auto& slot = decompressors_[codec];
  if (!slot) slot = make_decompressor(static_cast<CodecId>(codec));
  return *slot;
}

}  // namespace adoc
