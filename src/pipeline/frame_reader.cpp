#include "pipeline/frame_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "adoc/error.hpp"

namespace adoc {

namespace {
constexpr std::size_t kBufferBytes = 256 << 10;
}

FrameReader::FrameReader(Stream& stream) : stream_(stream), buffer_(kBufferBytes) {}

bool FrameReader::fill(std::size_t count) {
  if (end_ - begin_ >= count) return true;
  if (buffer_.size() - begin_ < count) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < count) buffer_.resize(count);
  }
  while (end_ - begin_ < count) {
    const std::size_t got = stream_.read_some(std::span(buffer_).subspan(end_));
    if (got == 0) return false;
    end_ += got;
    received_bytes_ += got;
  }
  return true;
}

Hello FrameReader::hello(Role expected) {
  for (std::size_t count = 1; count <= kHelloBytes; ++count)
    if (!fill(count) || !starts_like_hello(available().first(std::min(count, available().size()))))
      break;
  const ByteSpan bytes = available().first(std::min(available().size(), kHelloBytes));
  const Hello hello = Hello::decode(bytes, expected);
  begin_ += kHelloBytes;
  return hello;
}

std::optional<Frame> FrameReader::next() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (!fill(kFrameHeaderBytes)) {
    if (begin_ == end_) return std::nullopt;
    throw Error(ErrorKind::connect, "the connection ended in the middle of a frame");
  }
  const FrameHeader header = FrameHeader::decode(available().first(kFrameHeaderBytes));
  const std::size_t whole = kFrameHeaderBytes + header.payload_bytes;
  if (!fill(whole))
    throw Error(ErrorKind::connect, std::string("the connection ended in the middle of a ") +
                                        frame_name(header.type) + " frame");
  const ByteSpan payload = available().subspan(kFrameHeaderBytes, header.payload_bytes);
  begin_ += whole;
  return Frame{header.type,
               header.type == FrameType::packet ? payload : open_record(header.type, payload)};
}

}  // namespace adoc
