// The decompressors against any bytes: the first byte selects the codec and whether there is a
// prefix, two more the raw length. Whatever they accept must be accepted again and give the same.

#include <algorithm>
#include <cstdlib>

#include "adoc/error.hpp"
#include "codec/codec.hpp"
#include "fuzz/session_fuzzing.hpp"

namespace {

using namespace adoc;

constexpr std::size_t kGuardBytes = 64;

bool decompress(Decompressor& decompressor, ByteSpan stored, Bytes& raw, ByteSpan prefix) {
  try {
    decompressor.decompress(stored, std::span(raw).first(raw.size() - kGuardBytes), prefix);
    return true;
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::corrupt);
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(data, size)));
  const std::uint8_t selector = input.u8();
  const std::size_t raw_bytes = 1 + input.u16();
  const Bytes prefix = input.take(selector >= 128 ? 1 + input.u8() : 0);
  const Bytes stored = input.take(size);
  const auto decompressor = make_decompressor(static_cast<CodecId>(selector % 4));
  Bytes first(raw_bytes + kGuardBytes, std::byte{0x5a});
  Bytes second = first;
  const bool accepted = decompress(*decompressor, stored, first, prefix);
  // The object is reused, and what it did before must not show.
  fuzz::require(decompress(*decompressor, stored, second, prefix) == accepted);
  fuzz::require(!accepted || first == second);
  fuzz::require(std::ranges::all_of(std::span(first).last(kGuardBytes),
                                    [](std::byte byte) { return byte == std::byte{0x5a}; }));
  return 0;
}
