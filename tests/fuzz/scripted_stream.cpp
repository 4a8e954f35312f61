#include "fuzz/scripted_stream.hpp"

#include <algorithm>
#include <chrono>

#include "wire/protocol.hpp"

namespace adoc::fuzz {

namespace {
constexpr std::chrono::milliseconds kPatience{50};
}  // namespace

std::optional<Bytes> ScriptedStream::heard(FrameType type, std::size_t nth) {
  std::optional<Bytes> found;
  const auto look = [&] {
    std::size_t seen = 0;
    for (const Heard& frame : heard_)
      if (frame.type == type && seen++ == nth) found = frame.record;
    return found.has_value() || stopped_;
  };
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, look);
  return found;
}

std::size_t ScriptedStream::count(FrameType type) {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(heard_, [&](const Heard& frame) { return frame.type == type; }));
}

std::size_t ScriptedStream::read_some(std::span<std::byte> into) {
  while (said_ == saying_.size()) {
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return 0;
    }
    auto more = script_(*this);
    if (!more) return 0;
    saying_ = *std::move(more);
    said_ = 0;
  }
  const std::size_t count = std::min(into.size(), saying_.size() - said_);
  std::copy_n(saying_.begin() + static_cast<std::ptrdiff_t>(said_), count, into.begin());
  said_ += count;
  return count;
}

std::size_t ScriptedStream::write_some(std::span<const ByteSpan> pieces) {
  const std::lock_guard lock(mutex_);
  std::size_t written = 0;
  for (const ByteSpan piece : pieces) {
    unparsed_.insert(unparsed_.end(), piece.begin(), piece.end());
    written += piece.size();
  }
  std::size_t used = 0;
  if (!hello_heard_ && unparsed_.size() >= kHelloBytes) {
    hello_heard_ = true;
    used = kHelloBytes;
  }
  while (hello_heard_ && unparsed_.size() - used >= kFrameHeaderBytes) {
    const ByteSpan rest = ByteSpan(unparsed_).subspan(used);
    const FrameHeader header = FrameHeader::decode(rest.first(kFrameHeaderBytes));
    if (rest.size() < kFrameHeaderBytes + header.payload_bytes) break;
    const ByteSpan payload = rest.subspan(kFrameHeaderBytes, header.payload_bytes);
    // Packets are not of interest, only that they came.
    Bytes record;
    if (header.type != FrameType::packet) {
      const ByteSpan opened = open_record(header.type, payload);
      record.assign(opened.begin(), opened.end());
    }
    heard_.push_back({header.type, std::move(record)});
    used += kFrameHeaderBytes + header.payload_bytes;
  }
  unparsed_.erase(unparsed_.begin(), unparsed_.begin() + static_cast<std::ptrdiff_t>(used));
  changed_.notify_all();
  return written;
}

void ScriptedStream::stop_reading() noexcept {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace adoc::fuzz
