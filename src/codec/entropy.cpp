#include "codec/entropy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace adoc {

namespace {

constexpr std::size_t kRuns = 16;
constexpr std::size_t kRunBytes = 256;

/// Random bytes measure 7.95 bits in a sample of 4,096, compressed text and pictures above 7.8.
constexpr double kRandomBits = 7.6;

}  // namespace

bool looks_random(ByteSpan block) noexcept {
  std::array<std::uint32_t, 256> counts{};
  std::size_t total = 0;
  const std::size_t step = block.size() <= kRuns * kRunBytes ? kRunBytes : block.size() / kRuns;
  for (std::size_t begin = 0; begin < block.size(); begin += step)
    for (const std::byte byte : block.subspan(begin, std::min(kRunBytes, block.size() - begin))) {
      ++counts[std::to_integer<std::size_t>(byte)];
      ++total;
    }
  double bits = 0;
  for (const std::uint32_t count : counts)
    if (count != 0)
      bits -= count * std::log2(static_cast<double>(count) / static_cast<double>(total));
  // A short block has too few bytes to fill the histogram: no byte can cost more than log2(total).
  const double most = std::min(8.0, std::log2(static_cast<double>(total)));
  return bits / static_cast<double>(total) >= kRandomBits / 8 * most;
}

}  // namespace adoc
