#include "codec/lossy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "codec/lossy/cut_bits.hpp"
#include "codec/lossy/predict_numbers.hpp"
#include "codec/lossy/round_numbers.hpp"
#include "codec/lossy/round_to_snr.hpp"

namespace adoc {

namespace {

/// Above what a float64 can show of anything.
constexpr double kMostDb = 400;

std::string text_of(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end.ptr};
}

}  // namespace

const char* name_of(ItemType type) noexcept {
  switch (type) {
    case ItemType::int8:
      return "int8";
    case ItemType::int16:
      return "int16";
    case ItemType::int32:
      return "int32";
    case ItemType::int64:
      return "int64";
    case ItemType::uint8:
      return "uint8";
    case ItemType::uint16:
      return "uint16";
    case ItemType::uint32:
      return "uint32";
    case ItemType::uint64:
      return "uint64";
    case ItemType::float16:
      return "float16";
    case ItemType::bfloat16:
      return "bfloat16";
    case ItemType::float32:
      return "float32";
    case ItemType::float64:
      return "float64";
    case ItemType::complex64:
      return "complex64";
    case ItemType::complex128:
      break;
  }
  return "complex128";
}

std::string to_string(const Lossy& lossy) {
  const char* mode = "snr:";
  if (lossy.mode == Lossy::Mode::bits) mode = "lsb:";
  if (lossy.mode == Lossy::Mode::absolute) mode = "abs:";
  if (lossy.mode == Lossy::Mode::relative) mode = "rel:";
  return mode + text_of(lossy.bound);
}

std::string why_not(const Lossy& lossy) {
  const double bound = lossy.bound;
  switch (lossy.mode) {
    case Lossy::Mode::bits: {
      const unsigned most = most_bits_to_cut(lossy.type);
      if (bound >= 1 && bound <= most && bound == std::floor(bound)) return {};
      return std::string(": of ") + name_of(lossy.type) + " 1 to " + std::to_string(most) +
             " bits can be cut";
    }
    case Lossy::Mode::absolute:
      if (bound > 0 && std::isfinite(bound)) return {};
      return ": the largest error is a number above 0";
    case Lossy::Mode::relative:
      if (bound > 0 && bound < 1) return {};
      return ": the largest error is more than 0 and less than 1 times a number";
    case Lossy::Mode::snr:
      break;
  }
  if (bound > 0 && bound <= kMostDb) return {};
  return ": it goes up from 0 dB, to " + text_of(kMostDb);
}

std::size_t lossy_grain_bytes(const Lossy& lossy) noexcept {
  if (lossy.predicted) return kPredictedWindowBytes;
  return lossy.mode == Lossy::Mode::snr ? kLossyWindowBytes : number_bytes(lossy.type);
}

std::optional<Prediction> lose(const Lossy& lossy, ByteSpan numbers, std::span<std::byte> left,
                               std::vector<std::int64_t>& scratch) {
  if (lossy.predicted) {
    const auto predicted = lossy.mode == Lossy::Mode::snr
                               ? predict_to_snr(lossy.type, lossy.bound, numbers, left, scratch)
                               : predict_within(lossy.type, lossy.bound, numbers, left, scratch);
    if (predicted) return predicted;
  }
  switch (lossy.mode) {
    case Lossy::Mode::bits:
      cut_bits(lossy.type, static_cast<unsigned>(lossy.bound), numbers, left);
      break;
    case Lossy::Mode::absolute:
      round_to_step(lossy.type, std::ilogb(lossy.bound) + 1, numbers, left);
      break;
    case Lossy::Mode::relative:
      round_relative(lossy.type, std::ilogb(lossy.bound) + 1, numbers, left);
      break;
    case Lossy::Mode::snr:
      round_to_snr(lossy.type, lossy.bound, numbers, left);
      break;
  }
  return std::nullopt;
}

}  // namespace adoc
