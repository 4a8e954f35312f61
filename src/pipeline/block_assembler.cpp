#include "pipeline/block_assembler.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "codec/codec_error.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {

/// A buffer for stored bytes starts with room for this many, or for as many as came for the block
/// before, and grows with what comes: a length that is only told costs no memory.
constexpr std::size_t kLeastStoredBytes = 64 << 10;

/// How often whoever is held up looks around.
constexpr std::chrono::milliseconds kLook{200};

[[noreturn]] void broken(const std::string& why) {
  throw Error(ErrorKind::corrupt, "the peer broke the protocol: " + why);
}

}  // namespace

void BlockAssembler::take(const Frame& frame) {
  const bool in_block = frame.type == FrameType::packet || frame.type == FrameType::block_end ||
                        frame.type == FrameType::cut;
  if (in_block != block_.has_value())
    broken(std::string(frame_name(frame.type)) +
           (in_block ? " outside a block" : " inside a block"));
  switch (frame.type) {
    case FrameType::block:
      history_.clear();
      history_bytes_ = 0;
      return open_block(BlockHeader::decode(frame.bytes));
    case FrameType::linked_block:
      return open_linked_block(LinkedBlockHeader::decode(frame.bytes));
    case FrameType::matched_block:
      return open_matched_block(MatchedBlockHeader::decode(frame.bytes));
    case FrameType::filtered_block:
      history_.clear();
      history_bytes_ = 0;
      return open_filtered_block(FilteredBlockHeader::decode(frame.bytes));
    case FrameType::predicted_block:
      history_.clear();
      history_bytes_ = 0;
      return open_predicted_block(PredictedBlockHeader::decode(frame.bytes));
    case FrameType::packet:
      return packet(frame.payload_bytes);
    case FrameType::block_end:
      return close_block(BlockEnd::decode(frame.bytes).stored_bytes);
    case FrameType::cut:
      return close_cut(Cut::decode(frame.bytes));
    case FrameType::skip:
    case FrameType::done:
    case FrameType::end:
      return pass_on(frame.type, frame.bytes);
    default:
      broken(std::string("a sender does not send ") + frame_name(frame.type));
  }
}

void BlockAssembler::open_block(const BlockHeader& header) {
  if (header.codec >= kCodecs) broken("there is no codec " + std::to_string(header.codec));
  const auto codec = static_cast<CodecId>(header.codec);
  if (!has_codec(codec))
    broken("this side does not take blocks of " + std::string(codec_name(codec)));
  if (is_dense(codec) && header.raw_bytes > kMaxDenseBlockBytes)
    broken("a block of " + std::string(codec_name(codec)) + " is too long");
  const bool raw = codec == CodecId::raw;
  const std::size_t room =
      raw ? std::min(header.raw_bytes, kMaxPacketFrameBytes)
          : std::max(std::min(last_stored_bytes_, max_stored_bytes(header.raw_bytes)),
                     kLeastStoredBytes);
  block_.emplace(StoredBlock{.header = header, .stored = setup_.stock.take(room)});
  linked_ = false;
  matched_ = false;
  stored_bytes_ = 0;
}

void BlockAssembler::open_linked_block(const LinkedBlockHeader& header) {
  if (header.prefix_bytes > history_bytes_)
    broken("a block refers to more than the linked blocks before it hold");
  open_block(header.block);
  linked_ = true;
  block_->prefix_bytes = header.prefix_bytes;
}

void BlockAssembler::open_matched_block(MatchedBlockHeader header) {
  if (setup_.window == nullptr) broken("this side does not take matched blocks");
  open_block(header.block);
  matched_ = true;
  block_->matches = std::move(header.matches);
}

void BlockAssembler::open_filtered_block(const FilteredBlockHeader& header) {
  const ByteFilter filter{
      .kind = FilterKind{header.filter}, .item_bytes = header.item_bytes, .phase = header.phase};
  if (filter.kind == FilterKind::none || !is_valid(filter)) broken("there is no such filter");
  if (CodecId{header.block.codec} == CodecId::raw) broken("a filtered block is not compressed");
  open_block(header.block);
  block_->filter = filter;
}

void BlockAssembler::open_predicted_block(PredictedBlockHeader header) {
  if (CodecId{header.block.codec} == CodecId::raw) broken("a predicted block is not compressed");
  open_block(header.block);
  block_->predicted_type = header.type;
  block_->literals = header.literals;
  block_->windows = std::move(header.windows);
}

void BlockAssembler::packet(std::size_t payload_bytes) {
  Buffer& stored = block_->stored;
  const std::size_t end = stored_bytes_ + payload_bytes;
  if (end > max_stored_bytes(block_->header.raw_bytes)) broken("a block has grown");
  // A power of two, which the stock has for the next one; but no more than the block may have.
  const std::size_t most = max_stored_bytes(block_->header.raw_bytes);
  if (stored.capacity() < end) stored.reserve(std::min(std::bit_ceil(end), most));
  stored.resize(end);
  setup_.reader.read_payload(std::span(stored).subspan(stored_bytes_, payload_bytes));
  stored_bytes_ = end;
}

void BlockAssembler::close_cut(const Cut& cut) {
  if (block_->filter.kind != FilterKind::none) broken("a filtered block is cut");
  if (!block_->windows.empty()) broken("a predicted block is cut");
  if (cut.raw_bytes >= block_->header.raw_bytes)
    broken("a block is cut where it would have ended, or later");
  block_->header.raw_bytes = cut.raw_bytes;
  block_->header.checksum = cut.checksum;
  close_block(cut.stored_bytes);
}

void BlockAssembler::close_block(std::size_t stored_bytes) {
  if (stored_bytes != stored_bytes_) broken("a block's stored length is not what came");
  const bool raw = static_cast<CodecId>(block_->header.codec) == CodecId::raw;
  if (!raw) last_stored_bytes_ = stored_bytes;
  if (matched_) close_matched();
  if (raw && !linked_ && !matched_)
    pass_on_raw();
  else
    pass_on_stored();
  block_.reset();
}

void BlockAssembler::close_matched() {
  std::size_t left = block_->header.raw_bytes;
  std::vector<Match>& matches = block_->matches;
  std::size_t count = 0;
  for (const Match& match : matches) {
    if (match.literals >= left) break;
    if (match.literals + match.length > left) broken("a block is cut within a match");
    left -= match.literals + match.length;
    ++count;
  }
  matches.resize(count);
  block_->window_begin = setup_.window->place(block_->header.raw_bytes);
  for (const Match& match : matches)
    if (match.distance > *block_->window_begin)
      broken("a block refers to more than the matched blocks before it hold");
}

void BlockAssembler::pass_on(FrameType type, ByteSpan record) {
  const InboundQueue::Lane lane = open_lane();
  InboundItem item{.type = type, .bytes = Buffer(record)};
  stalling([&](Clock::time_point until) {
    return setup_.inbound.push_until(lane, item, kInboundItemBytes + record.size(), until);
  });
  setup_.inbound.close(lane);
}

void BlockAssembler::pass_on_raw() {
  const std::size_t raw_bytes = block_->header.raw_bytes;
  if (stored_bytes_ != raw_bytes)
    throw_corrupt(CodecId::raw, stored_bytes_ > raw_bytes ? kHoldsMore : kHoldsLess);
  const InboundQueue::Lane lane = open_lane();
  InboundItem item{
      .type = FrameType::block, .header = block_->header, .bytes = std::move(block_->stored)};
  stalling([&](Clock::time_point until) {
    return setup_.inbound.push_until(lane, item, kInboundItemBytes + stored_bytes_, until);
  });
  setup_.inbound.close(lane);
}

void BlockAssembler::pass_on_stored() {
  block_->lane = open_lane();
  block_->number = stored_blocks_++;
  if (linked_) {
    std::size_t reached = 0;
    for (auto linked = history_.rbegin(); reached < block_->prefix_bytes; ++linked) {
      block_->before.push_back(linked->bytes);
      reached += linked->size;
    }
    std::ranges::reverse(block_->before);
    block_->result = std::make_unique<LinkedResult>();
    remember(block_->result->get_future(), block_->header.raw_bytes);
  }
  const std::size_t weight =
      kInboundItemBytes + block_->stored.capacity() + block_->header.raw_bytes +
      block_->before.size() * sizeof(LinkedBytes) + block_->matches.size() * sizeof(Match);
  stalling(
      [&](Clock::time_point until) { return setup_.stored.push_until(*block_, weight, until); });
  // One that is larger than the queue is not to wait there while the next one comes.
  stalling([&](Clock::time_point until) { return setup_.stored.has_room_until(until); });
}

void BlockAssembler::remember(LinkedBytes bytes, std::size_t size) {
  history_.push_back({std::move(bytes), size});
  history_bytes_ += size;
  while (history_bytes_ - history_.front().size >= kMaxPrefixBytes ||
         history_.size() > kMaxPrefixBlocks) {
    history_bytes_ -= history_.front().size;
    history_.pop_front();
  }
}

InboundQueue::Lane BlockAssembler::open_lane() {
  stalling([&](Clock::time_point until) { return setup_.inbound.has_room_until(until); });
  return setup_.inbound.open();
}

// A step that had room all the time may have waited for a processor, but not for those behind it.
template <typename Step>
void BlockAssembler::stalling(Step step) {
  const Clock::time_point begin = Clock::now();
  if (step(begin)) return;
  while (!step(Clock::now() + kLook))
    if (setup_.held_up) setup_.held_up();
  setup_.meter.stalled_ns.fetch_add(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count(),
      std::memory_order_relaxed);
}

}  // namespace adoc
