#include "pipeline/frame_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "adoc/error.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {
constexpr std::size_t kBufferBytes = 256 << 10;

/// Packets from this size on are read to where they belong; between them little is read ahead, or
/// the next one would come to lie here first.
constexpr std::size_t kLongPacketBytes = 64 << 10;
constexpr std::size_t kShortReadAhead = 1 << 10;

/// The rest of a packet that is shorter than this comes with what follows it.
constexpr std::size_t kShortRestBytes = 8 << 10;
}  // namespace

FrameReader::FrameReader(Stream& stream, ByteSpan heard)
    : stream_(stream),
      buffer_(std::max(kBufferBytes, heard.size())),
      end_(heard.size()),
      read_ahead_(kBufferBytes),
      received_bytes_(heard.size()) {
  std::ranges::copy(heard, buffer_.begin());
}

bool FrameReader::fill(std::size_t count) {
  if (end_ - begin_ >= count) return true;
  if (buffer_.size() - begin_ < count) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < count) buffer_.resize(count);
  }
  while (end_ - begin_ < count) {
    const std::size_t missing = count - (end_ - begin_);
    const std::span<std::byte> room = std::span(buffer_).subspan(end_);
    const std::size_t got =
        read_some(room.first(std::min(room.size(), std::max(missing, read_ahead_))));
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

std::size_t FrameReader::read_some(std::span<std::byte> into) {
  const std::size_t got = stream_.read_some(into);
  received_bytes_ += got;
  if (got != 0 && received_) received_();
  return got;
}

void FrameReader::read_payload(std::span<std::byte> into) {
  read_ahead_ = into.size() >= kLongPacketBytes ? kShortReadAhead : kBufferBytes;
  while (!into.empty()) {
    if (begin_ == end_ && into.size() < kShortRestBytes && !fill(into.size())) break;
    const std::size_t here = std::min(end_ - begin_, into.size());
    std::memcpy(into.data(), buffer_.data() + begin_, here);
    begin_ += here;
    into = into.subspan(here);
    if (begin_ == end_) begin_ = end_ = 0;
    if (into.size() < kShortRestBytes) continue;
    const std::size_t got = read_some(into);
    if (got == 0) break;
    into = into.subspan(got);
  }
  if (!into.empty())
    throw Error(ErrorKind::connect, "the connection ended in the middle of a packet frame");
}

Hello FrameReader::hello(Role expected, std::chrono::milliseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  for (std::size_t count = 1; count <= kHelloBytes; ++count) {
    // The limit is for all of it: one byte now and then would get around one for each wait.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    stream_.set_read_timeout(std::max(left, std::chrono::milliseconds(1)));
    if (!fill(count) || !starts_like_hello(available().first(std::min(count, available().size()))))
      break;
  }
  stream_.set_read_timeout({});
  const ByteSpan bytes = available().first(std::min(available().size(), kHelloBytes));
  const Hello hello = Hello::decode(bytes, expected);
  begin_ += kHelloBytes;
  return hello;
}

void FrameReader::begin_records() {
  const ByteSpan behind = available();
  if (!stream_.begin_records(behind)) return;
  received_bytes_ -= kFrameHeaderBytes + kCheckBytes + behind.size();
  begin_ = end_ = 0;
}

std::optional<Frame> FrameReader::next() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (!fill(kFrameHeaderBytes)) {
    if (begin_ == end_) return std::nullopt;
    throw Error(ErrorKind::connect, "the connection ended in the middle of a frame");
  }
  const FrameHeader header = FrameHeader::decode(available().first(kFrameHeaderBytes));
  if (header.type == FrameType::packet) {
    begin_ += kFrameHeaderBytes;
    return Frame{.type = header.type, .payload_bytes = header.payload_bytes};
  }
  const std::size_t whole = kFrameHeaderBytes + header.payload_bytes;
  if (!fill(whole))
    throw Error(ErrorKind::connect, std::string("the connection ended in the middle of a ") +
                                        frame_name(header.type) + " frame");
  const ByteSpan payload = available().subspan(kFrameHeaderBytes, header.payload_bytes);
  begin_ += whole;
  return Frame{.type = header.type, .bytes = open_record(header.type, payload)};
}

}  // namespace adoc
