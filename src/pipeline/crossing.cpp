#include "pipeline/crossing.hpp"

#include <algorithm>

#include "wire/block.hpp"
#include "wire/outcome.hpp"

namespace adoc {

void Crossing::sending(ByteSpan bytes) {
  sent_bytes_.fetch_add(bytes.size(), std::memory_order_relaxed);
  while (true) {
    const std::size_t skipped = std::min<std::uint64_t>(payload_left_, bytes.size());
    payload_left_ -= skipped;
    sent_.wire_bytes += skipped;
    bytes = bytes.subspan(skipped);
    if (bytes.size() < kFrameHeaderBytes) return;
    const FrameHeader header = FrameHeader::decode(bytes.first(kFrameHeaderBytes));
    sent_.wire_bytes += kFrameHeaderBytes;
    bytes = bytes.subspan(kFrameHeaderBytes);
    payload_left_ = header.payload_bytes;
    if (header.type == FrameType::packet) continue;
    // Only packets are cut: the record is here. It ends where the frame does.
    const ByteSpan payload = bytes.first(header.payload_bytes);
    sent_.wire_bytes += payload.size();
    bytes = bytes.subspan(payload.size());
    payload_left_ = 0;
    frame(header.type, payload.first(payload.size() - kCheckBytes));
  }
}

void Crossing::frame(FrameType type, ByteSpan record) {
  const auto open = [this](const BlockHeader& block) {
    block_bytes_ = block.raw_bytes;
    sent_.place = {block.batch, block.offset};
    // What came before is no part of it.
    note();
  };
  const auto close = [this](std::uint64_t raw_bytes) {
    sent_.raw_bytes += raw_bytes;
    sent_.place.offset += raw_bytes;
    note();
  };
  switch (type) {
    case FrameType::block:
      return open(BlockHeader::decode(record));
    case FrameType::linked_block:
      return open(LinkedBlockHeader::decode(record).block);
    case FrameType::matched_block:
      return open(MatchedBlockHeader::decode(record).block);
    case FrameType::filtered_block:
      return open(FilteredBlockHeader::decode(record).block);
    case FrameType::predicted_block:
      return open(PredictedBlockHeader::decode(record).block);
    case FrameType::block_end:
      return close(block_bytes_);
    case FrameType::cut:
      return close(Cut::decode(record).raw_bytes);
    case FrameType::skip: {
      const Skip skip = Skip::decode(record);
      sent_.skipped_bytes += skip.length;
      sent_.place = {skip.batch, skip.offset + skip.length};
      return note();
    }
    case FrameType::done:
      sent_.place = {Done::decode(record).batch + 1, 0};
      return note();
    case FrameType::end:
      sent_.end = true;
      return note();
    case FrameType::arrived:
      if (told_at_ == 0) told_at_ = sent_.wire_bytes;
      return;
    default:
      return;
  }
}

// One that finds no room is dropped: the next one says all that it said.
void Crossing::note() {
  const std::uint64_t noted = noted_.load(std::memory_order_relaxed);
  // The last one of all has a place of its own, which is left free by the others.
  const std::size_t room = sent_.end ? kMarks : kMarks - 1;
  if (noted - taken_.load(std::memory_order_acquire) >= room) return;
  marks_[noted % kMarks] = sent_;
  noted_.store(noted + 1, std::memory_order_release);
}

double Crossing::raw_per_wire_byte() const noexcept {
  const double raw = static_cast<double>(made_.raw_bytes.load(std::memory_order_relaxed));
  const double wire =
      static_cast<double>(made_.wire_bytes.load(std::memory_order_relaxed) + queue_.bytes());
  return wire > 0 ? raw / wire : 0;
}

const Crossing::Crossed& Crossing::arrived(std::uint64_t wire_bytes) {
  if (wire_bytes <= sent_bytes_.load(std::memory_order_relaxed))
    crossed_.wire_bytes = std::max(crossed_.wire_bytes, wire_bytes);
  const std::uint64_t noted = noted_.load(std::memory_order_acquire);
  std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  while (taken != noted && marks_[taken % kMarks].wire_bytes <= crossed_.wire_bytes)
    passed_ = marks_[taken++ % kMarks];
  std::uint64_t raw = passed_.raw_bytes;
  const std::uint64_t behind = crossed_.wire_bytes - passed_.wire_bytes;
  if (taken != noted) {
    const Mark& next = marks_[taken % kMarks];
    const double share =
        static_cast<double>(behind) / static_cast<double>(next.wire_bytes - passed_.wire_bytes);
    raw += static_cast<std::uint64_t>(share * static_cast<double>(next.raw_bytes - raw));
  } else if (!passed_.end) {
    // The block is not at its end, so less of it than was made has arrived.
    const std::uint64_t guess =
        static_cast<std::uint64_t>(static_cast<double>(behind) * raw_per_wire_byte());
    raw += std::min<std::uint64_t>(guess, kMaxRawBlockBytes);
  }
  taken_.store(taken, std::memory_order_release);
  crossed_.raw_bytes = std::max(crossed_.raw_bytes, raw);
  crossed_.skipped_bytes = passed_.skipped_bytes;
  crossed_.place = passed_.place;
  crossed_.place.offset += crossed_.raw_bytes - std::min(crossed_.raw_bytes, passed_.raw_bytes);
  crossed_.all = passed_.end;
  return crossed_;
}

}  // namespace adoc
