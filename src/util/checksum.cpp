#include "util/checksum.hpp"

#include <xxhash.h>

#include <cstring>

namespace adoc {

std::uint64_t xxh3_64(ByteSpan bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

ContentHash xxh3_128(ByteSpan bytes) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  ContentHash hash;
  static_assert(sizeof(hash) == sizeof(canonical.digest));
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

}  // namespace adoc
