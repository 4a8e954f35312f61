#include "wire/lossy_record.hpp"

#include <bit>
#include <cmath>

#include "wire/hello.hpp"

namespace adoc {

namespace {

constexpr std::uint8_t kPredicted = 16;

}  // namespace

void encode_lossy(const Lossy& lossy, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(lossy.type));
  const auto mode = static_cast<std::uint8_t>(lossy.mode);
  out.u8(lossy.predicted ? mode + kPredicted : mode);
  out.u64(std::bit_cast<std::uint64_t>(lossy.bound));
}

Lossy decode_lossy(ByteReader& in) {
  const std::uint8_t type = in.u8();
  if (type < 1 || type > static_cast<std::uint8_t>(ItemType::complex128))
    in.fail("there is no type of numbers " + std::to_string(type));
  const std::uint8_t told = in.u8();
  const bool predicted = told >= kPredicted;
  const std::uint8_t mode = predicted ? told - kPredicted : told;
  if (mode < 1 || mode > static_cast<std::uint8_t>(Lossy::Mode::snr))
    in.fail("there is no lossy mode " + std::to_string(told));
  const auto bound = std::bit_cast<double>(in.u64());
  if (!std::isfinite(bound) || bound <= 0) in.fail("there is no such bound of what is lost");
  const Lossy lossy{.type = static_cast<ItemType>(type),
                    .mode = static_cast<Lossy::Mode>(mode),
                    .bound = bound,
                    .predicted = predicted};
  if (predicted && !can_be_predicted(lossy)) in.fail("such numbers are not predicted");
  return lossy;
}

std::optional<Lossy> lossy_for(std::optional<Lossy> how, std::uint64_t features) {
  if (how)
    how->predicted =
        can_be_predicted(*how) && Hello{.features = features}.has(Feature::predictions);
  return how;
}

std::optional<Lossy> said_lossy(const std::optional<Lossy>& how, std::uint64_t features) {
  return Hello{.features = features}.has(Feature::lossy) ? how : std::nullopt;
}

}  // namespace adoc
