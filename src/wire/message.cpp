#include "wire/message.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "util/checksum.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

/// Writes a header of fixed length.
template <typename Record>
class HeaderWriter {
 public:
  HeaderWriter() noexcept {
    little_endian(static_cast<std::uint8_t>(Record::kType), 1);
    little_endian(Record::kBytes - kFrameHeaderBytes, 4);
  }

  /// One store where the processor has the same order, as each message has a header.
  HeaderWriter& little_endian(std::uint64_t value, std::size_t count) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(bytes_.data() + size_, &value, count);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        bytes_[size_ + i] = static_cast<std::byte>(value >> (8 * i));
    }
    size_ += count;
    return *this;
  }

  [[nodiscard]] std::array<std::byte, Record::kBytes> sealed() noexcept {
    const ByteSpan record = ByteSpan(bytes_).subspan(kFrameHeaderBytes, size_ - kFrameHeaderBytes);
    little_endian(xxh3_64(record, static_cast<std::uint64_t>(Record::kType)), kCheckBytes);
    return bytes_;
  }

 private:
  std::array<std::byte, Record::kBytes> bytes_{};
  std::size_t size_ = 0;
};

/// 0: there is no such frame.
std::size_t header_bytes_of(std::byte type) noexcept {
  switch (static_cast<MessageFrame>(type)) {
    case MessageFrame::plain:
      return PlainRun::kBytes;
    case MessageFrame::packed:
      return PackedRun::kBytes;
    case MessageFrame::file:
      return FileMark::kBytes;
  }
  return 0;
}

void require_bounds(ByteReader& in, std::uint64_t value, std::uint64_t most, const char* field) {
  if (value < 1 || value > most)
    in.fail(std::string(field) + " of " + std::to_string(value) + ", the limit is " +
            std::to_string(most));
}

PlainRun decode_plain(ByteReader& in) {
  const PlainRun run{.raw_bytes = in.u32()};
  require_bounds(in, run.raw_bytes, kMaxPlainRunBytes, "raw bytes");
  return run;
}

PackedRun decode_packed(ByteReader& in) {
  PackedRun run;
  run.codec = in.u8();
  run.raw_bytes = in.u32();
  run.stored_bytes = in.u32();
  run.checksum = in.u64();
  if (run.codec < kFirstPackedCodec || run.codec > kLastPackedCodec)
    in.fail("there is no codec " + std::to_string(run.codec) + " for it");
  require_bounds(in, run.raw_bytes, kMaxPackedRunBytes, "raw bytes");
  require_bounds(in, run.stored_bytes, run.raw_bytes, "stored bytes");
  return run;
}

FileMark decode_file(ByteReader& in) {
  const std::uint8_t mark = in.u8();
  const FileMark file{static_cast<FileMark::Mark>(mark), in.u64()};
  if (mark > static_cast<std::uint8_t>(FileMark::Mark::failed)) in.fail("there is no such mark");
  if (file.mark == FileMark::Mark::begin && file.raw_bytes != 0) in.fail("it begins with bytes");
  return file;
}

}  // namespace

std::array<std::byte, PlainRun::kBytes> PlainRun::encode() const noexcept {
  return HeaderWriter<PlainRun>().little_endian(raw_bytes, 4).sealed();
}

std::array<std::byte, PackedRun::kBytes> PackedRun::encode() const noexcept {
  return HeaderWriter<PackedRun>()
      .little_endian(codec, 1)
      .little_endian(raw_bytes, 4)
      .little_endian(stored_bytes, 4)
      .little_endian(checksum, 8)
      .sealed();
}

std::array<std::byte, FileMark::kBytes> FileMark::encode() const noexcept {
  return HeaderWriter<FileMark>()
      .little_endian(static_cast<std::uint8_t>(mark), 1)
      .little_endian(raw_bytes, 8)
      .sealed();
}

std::size_t message_header_bytes(ByteSpan begin) {
  if (begin.empty()) return 0;
  const std::size_t bytes = header_bytes_of(begin.front());
  if (bytes == 0) broken_protocol("no frame of messages begins like this");
  std::uint64_t payload = bytes - kFrameHeaderBytes;
  for (const std::byte one : begin.subspan(1, std::min(begin.size(), kFrameHeaderBytes) - 1)) {
    if (one != static_cast<std::byte>(payload)) broken_protocol("a frame of another length");
    payload >>= 8;
  }
  return bytes;
}

MessageHeader decode_message_header(ByteSpan header) {
  ByteReader whole(header, "message frame");
  if (header.empty() || message_header_bytes(header) != header.size())
    whole.fail("it is not of its length");
  const auto type = static_cast<MessageFrame>(header.front());
  const ByteSpan record =
      header.subspan(kFrameHeaderBytes, header.size() - kFrameHeaderBytes - kCheckBytes);
  ByteReader check(header.last(kCheckBytes), "message frame");
  if (check.u32() != static_cast<std::uint32_t>(xxh3_64(record, static_cast<std::uint64_t>(type))))
    check.fail("its check value does not match");
  ByteReader in(record, "message frame");
  switch (type) {
    case MessageFrame::plain:
      return decode_plain(in);
    case MessageFrame::packed:
      return decode_packed(in);
    case MessageFrame::file:
      break;
  }
  return decode_file(in);
}

}  // namespace adoc
