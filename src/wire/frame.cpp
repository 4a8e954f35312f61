#include "wire/frame.hpp"

#include <algorithm>
#include <string>

#include "adoc/error.hpp"
#include "util/checksum.hpp"

namespace adoc {

namespace {

constexpr const char* kUnknown = "unknown";

std::uint32_t check_value(FrameType type, ByteSpan record) noexcept {
  return static_cast<std::uint32_t>(xxh3_64(record, static_cast<std::uint64_t>(type)));
}

std::size_t payload_limit(FrameType type) noexcept {
  return type == FrameType::packet ? kMaxPacketFrameBytes : kMaxControlFrameBytes;
}

}  // namespace

void FrameHeader::encode(ByteWriter& out) const {
  out.u8(static_cast<std::uint8_t>(type));
  out.u32(payload_bytes);
}

FrameHeader FrameHeader::decode(ByteSpan bytes) {
  ByteReader in(bytes, "frame header");
  const std::uint8_t type = in.u8();
  if (frame_name(static_cast<FrameType>(type)) == kUnknown)
    in.fail("there is no frame type " + std::to_string(type));
  const FrameHeader header{static_cast<FrameType>(type), in.u32()};
  const std::size_t limit = payload_limit(header.type);
  if (header.payload_bytes > limit)
    in.fail(std::string(frame_name(header.type)) + " of " + std::to_string(header.payload_bytes) +
            " bytes, the limit is " + std::to_string(limit));
  return header;
}

const char* frame_name(FrameType type) noexcept {
  switch (type) {
    case FrameType::offer:
      return "offer";
    case FrameType::want:
      return "want";
    case FrameType::block:
      return "block";
    case FrameType::packet:
      return "packet";
    case FrameType::block_end:
      return "block end";
    case FrameType::skip:
      return "skip";
    case FrameType::done:
      return "done";
    case FrameType::commit:
      return "commit";
    case FrameType::end:
      return "end";
    case FrameType::error:
      return "error";
    case FrameType::linked_block:
      return "linked block";
    case FrameType::matched_block:
      return "matched block";
    case FrameType::cut:
      return "cut";
    case FrameType::status:
      return "status";
    case FrameType::keep_alive:
      return "keep-alive";
    case FrameType::place:
      return "place";
    case FrameType::far_request:
      return "far request";
    case FrameType::far_answer:
      return "far answer";
    case FrameType::far_go:
      return "far go";
    case FrameType::arrived:
      return "arrived";
    case FrameType::streams:
      return "streams";
    case FrameType::join:
      return "join";
    case FrameType::split:
      return "split";
    case FrameType::filtered_block:
      return "filtered block";
    case FrameType::predicted_block:
      return "predicted block";
    case FrameType::failed:
      return "failed";
  }
  return kUnknown;
}

ByteSpan open_record(FrameType type, ByteSpan payload) {
  ByteReader whole(payload, frame_name(type));
  if (payload.size() < kCheckBytes) whole.fail("it is shorter than its check value");
  const ByteSpan record = whole.bytes(payload.size() - kCheckBytes);
  if (whole.u32() != check_value(type, record)) whole.fail("its check value does not match");
  return record;
}

namespace detail {

void seal_frame(FrameType type, Bytes& frame) {
  const ByteSpan record = ByteSpan(frame).subspan(kFrameHeaderBytes);
  if (record.size() + kCheckBytes > payload_limit(type))
    throw Error(ErrorKind::internal, std::string("a frame is too long to be sent: ") +
                                         frame_name(type) + " of " + std::to_string(record.size()) +
                                         " bytes");
  const std::uint32_t check = check_value(type, record);
  Bytes header;
  ByteWriter out(header);
  FrameHeader{type, static_cast<std::uint32_t>(record.size() + kCheckBytes)}.encode(out);
  std::copy(header.begin(), header.end(), frame.begin());
  ByteWriter(frame).u32(check);
}

}  // namespace detail

}  // namespace adoc
