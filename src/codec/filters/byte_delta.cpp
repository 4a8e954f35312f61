#include "codec/filters/byte_delta.hpp"

#include <cstdint>

namespace adoc {

namespace {

std::byte minus(std::byte a, std::byte b) noexcept {
  return static_cast<std::byte>(std::to_integer<unsigned>(a) - std::to_integer<unsigned>(b));
}

}  // namespace

void byte_delta(std::span<const std::byte> from, std::span<std::byte> to) noexcept {
  if (from.empty()) return;
  to[0] = from[0];
  const std::byte* __restrict in = from.data();
  std::byte* __restrict out = to.data();
  for (std::size_t i = 1; i < from.size(); ++i) out[i] = minus(in[i], in[i - 1]);
}

void byte_sum(std::span<std::byte> bytes) noexcept {
  unsigned sum = 0;
  for (std::byte& byte : bytes) {
    sum += std::to_integer<unsigned>(byte);
    byte = static_cast<std::byte>(sum);
  }
}

}  // namespace adoc
