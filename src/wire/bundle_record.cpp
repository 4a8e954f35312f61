#include "wire/bundle_record.hpp"

#include <span>
#include <string>

#include "util/bytes.hpp"
#include "util/checksum.hpp"

namespace adoc {

namespace {

constexpr std::size_t kCheckedBytes = BundleRecord::kHeaderBytes - kCheckBytes;
constexpr std::uint64_t kMostOffset = std::uint64_t{1} << 63;

void put(std::span<std::byte> into, std::uint64_t value) noexcept {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint32_t check_of(const BundleRecord::Header& header) noexcept {
  return static_cast<std::uint32_t>(xxh3_64(ByteSpan(header).first(kCheckedBytes)));
}

}  // namespace

BundleRecord::Header BundleRecord::encode() const noexcept {
  Header header{};
  const std::span<std::byte> bytes(header);
  put(bytes.subspan(0, 8), offset);
  put(bytes.subspan(8, 8), arrived);
  put(bytes.subspan(16, 8), limit);
  put(bytes.subspan(24, 4), length);
  put(bytes.subspan(kCheckedBytes), check_of(header));
  return header;
}

BundleRecord BundleRecord::decode(const Header& header) {
  ByteReader in(header, "record");
  BundleRecord record;
  record.offset = in.u64();
  record.arrived = in.u64();
  record.limit = in.u64();
  record.length = in.u32();
  if (in.u32() != check_of(header)) in.fail("its check value does not match");
  if (!record.is_end() && !record.is_gone() && record.length > kMaxRecordBytes)
    in.fail("it has " + std::to_string(record.length) + " bytes, the limit is " +
            std::to_string(kMaxRecordBytes));
  if (record.offset >= kMostOffset) in.fail("it lies beyond all limits");
  return record;
}

}  // namespace adoc
