#include "codec/lossy/cut_bits.hpp"

#include "codec/lossy/number_format.hpp"

namespace adoc {

unsigned most_bits_to_cut(ItemType type) noexcept {
  return with_format(type, []<typename Format>(Format) {
    if constexpr (Format::kIsFloat)
      return Format::kFractionBits;
    else
      return Format::kBits - 1;
  });
}

void cut_bits(ItemType type, unsigned bits, std::span<const std::byte> numbers,
              std::span<std::byte> cut) noexcept {
  with_format(type, [&]<typename Format>(Format) {
    using Wide = typename Format::Wide;
    const Wide middle = Wide{1} << (bits - 1);
    const Wide low = middle | (middle - 1);
    change_each<Format>(numbers, cut, [=](Wide word) -> Wide {
      const Wide made = (word & ~low) | middle;
      if constexpr (Format::kIsFloat)
        return Format::is_normal(word) ? made : word;
      else
        return word != 0 ? made : word;
    });
  });
}

}  // namespace adoc
