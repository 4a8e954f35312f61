#include "codec/filter_trial.hpp"

#include <algorithm>
#include <array>

#include "util/buffer.hpp"

namespace adoc {

namespace {

constexpr std::size_t kTrialBytes = 32 << 10;
constexpr double kLeastGain = 0.03;

std::size_t compressed_bytes(ByteSpan raw, Compressor& compressor, int setting) {
  std::array<std::byte, 8'192> packet;
  compressor.begin(raw, setting);
  std::size_t sum = 0;
  while (true) {
    const std::size_t length = compressor.next_packet(packet);
    sum += length;
    if (length < packet.size()) return sum;
  }
}

}  // namespace

ByteFilter try_filters(std::uint8_t item_bytes, ByteSpan block, Compressor& compressor,
                       int setting) {
  // From its middle, where no header is.
  const std::size_t length = std::min(block.size(), kTrialBytes);
  const ByteSpan part = block.subspan((block.size() - length) / 2 / 8 * 8, length);
  Buffer filtered(length);
  Buffer scratch(length);
  ByteFilter best;
  auto least = (1 - kLeastGain) * static_cast<double>(compressed_bytes(part, compressor, setting));
  for (const FilterKind kind :
       {FilterKind::byte_shuffle, FilterKind::byte_delta, FilterKind::bit_shuffle}) {
    const ByteFilter filter{.kind = kind, .item_bytes = item_bytes};
    apply_filter(filter, part, filtered, scratch);
    const auto bytes = static_cast<double>(compressed_bytes(filtered, compressor, setting));
    if (bytes >= least) continue;
    least = bytes;
    best = filter;
  }
  return best;
}

}  // namespace adoc
