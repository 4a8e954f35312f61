#include "wire/lossy_record.hpp"

#include <bit>
#include <cmath>

namespace adoc {

void encode_lossy(const Lossy& lossy, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(lossy.type));
  out.u8(static_cast<std::uint8_t>(lossy.mode));
  out.u64(std::bit_cast<std::uint64_t>(lossy.bound));
}

Lossy decode_lossy(ByteReader& in) {
  const std::uint8_t type = in.u8();
  if (type < 1 || type > static_cast<std::uint8_t>(ItemType::complex128))
    in.fail("there is no type of numbers " + std::to_string(type));
  const std::uint8_t mode = in.u8();
  if (mode < 1 || mode > static_cast<std::uint8_t>(Lossy::Mode::snr))
    in.fail("there is no lossy mode " + std::to_string(mode));
  const auto bound = std::bit_cast<double>(in.u64());
  if (!std::isfinite(bound) || bound <= 0) in.fail("there is no such bound of what is lost");
  return {
      .type = static_cast<ItemType>(type), .mode = static_cast<Lossy::Mode>(mode), .bound = bound};
}

}  // namespace adoc
