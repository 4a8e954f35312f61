#include "util/checksum.hpp"

#include <xxhash.h>

#include <cstring>
#include <new>

namespace adoc {

namespace {
XXH3_state_t* as_state(void* state) noexcept { return static_cast<XXH3_state_t*>(state); }
}  // namespace

std::uint64_t xxh3_64(ByteSpan bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

ContentHasher::ContentHasher() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(as_state(state_.get()));
}

void ContentHasher::update(ByteSpan bytes) noexcept {
  XXH3_128bits_update(as_state(state_.get()), bytes.data(), bytes.size());
}

ContentHash ContentHasher::digest() const noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(as_state(state_.get())));
  ContentHash hash;
  static_assert(sizeof(hash) == sizeof(canonical.digest));
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

void ContentHasher::Free::operator()(void* state) const noexcept {
  XXH3_freeState(as_state(state));
}

}  // namespace adoc
