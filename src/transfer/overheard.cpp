#include "transfer/overheard.hpp"

#include <algorithm>

#include "adoc/error.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/frame.hpp"
#include "wire/keep_alive.hpp"

namespace adoc {

void Overheard::add(ByteSpan bytes) {
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
  if (!hello_) {
    const ByteSpan start = ByteSpan(kept_).first(std::min(kept_.size(), kHelloBytes));
    if (start.size() < kHelloBytes && starts_like_hello(start)) return;
    hello_ = Hello::decode(start, Role::sender);
    frame_ = kHelloBytes;
  }
  pass_frames();
}

void Overheard::drop_keep_alives() {
  static const Bytes keep_alive = encode_frame(KeepAlive{});
  const auto begin = kept_.begin() + static_cast<std::ptrdiff_t>(frame_);
  auto end = begin;
  while (static_cast<std::size_t>(kept_.end() - end) >= keep_alive.size() &&
         std::equal(keep_alive.begin(), keep_alive.end(), end))
    end += static_cast<std::ptrdiff_t>(keep_alive.size());
  dropped_bytes_ += static_cast<std::uint64_t>(end - begin);
  kept_.erase(begin, end);
  const ByteSpan rest = ByteSpan(kept_).subspan(frame_);
  is_in_keep_alive_ = rest.size() < keep_alive.size() &&
                      std::ranges::equal(rest, ByteSpan(keep_alive).first(rest.size()));
}

std::optional<Join> Overheard::join() const {
  if (!hello_ || kept_.size() < kHelloBytes + kJoinBytes) return std::nullopt;
  const ByteSpan frame = ByteSpan(kept_).subspan(kHelloBytes, kJoinBytes);
  if (frame.front() != static_cast<std::byte>(FrameType::join)) return std::nullopt;
  const FrameHeader header = FrameHeader::decode(frame.first(kFrameHeaderBytes));
  if (header.payload_bytes != kJoinBytes - kFrameHeaderBytes)
    broken_protocol("a join is not as long as one");
  return Join::decode(open_record(header.type, frame.subspan(kFrameHeaderBytes)));
}

void Overheard::pass_frames() {
  while (frame_ < kept_.size()) {
    drop_keep_alives();
    if (is_in_keep_alive_) return;
    const ByteSpan rest = ByteSpan(kept_).subspan(frame_);
    has_begun_ = true;
    if (rest.size() < kFrameHeaderBytes) return;
    try {
      const FrameHeader header = FrameHeader::decode(rest.first(kFrameHeaderBytes));
      frame_ += kFrameHeaderBytes + header.payload_bytes;
      // Behind the end nothing is right, and the session is to see it; behind a join are no frames.
      if (header.type == FrameType::end || header.type == FrameType::join) frame_ = kMostBytes;
    } catch (const Error&) {
      // What comes after something that is no frame is no frame either.
      frame_ = kMostBytes;
    }
  }
}

}  // namespace adoc
