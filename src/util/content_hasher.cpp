#include "util/content_hasher.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace adoc {

namespace {

ContentHash node(const ContentHash& left, const ContentHash& right) noexcept {
  std::array<std::byte, 2 * sizeof(ContentHash)> both;
  std::memcpy(both.data(), left.data(), left.size());
  std::memcpy(both.data() + left.size(), right.data(), right.size());
  return xxh3_128(both);
}

XXH3_state_t* as_state(void* state) noexcept { return static_cast<XXH3_state_t*>(state); }

ContentHash digest_of(void* state) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(as_state(state)));
  ContentHash hash;
  static_assert(sizeof(hash) == sizeof(canonical.digest));
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

}  // namespace

ContentHasher::ContentHasher() : leaf_(XXH3_createState()) {
  if (leaf_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(as_state(leaf_.get()));
}

void ContentHasher::Free::operator()(void* state) const noexcept {
  XXH3_freeState(as_state(state));
}

void ContentHasher::update(ByteSpan bytes) {
  length_ += bytes.size();
  while (!bytes.empty()) {
    // A leaf that is whole ends only when more comes: the contents may be no longer than that.
    if (leaf_bytes_ == kLeafBytes) end_leaf();
    const ByteSpan part = bytes.first(std::min(bytes.size(), kLeafBytes - leaf_bytes_));
    add_to_leaf(part);
    bytes = bytes.subspan(part.size());
  }
}

void ContentHasher::update_zeros(std::uint64_t count) {
  length_ += count;
  while (count != 0) {
    if (leaf_bytes_ == kLeafBytes) end_leaf();
    if (leaf_bytes_ == 0 && count > kLeafBytes) {
      // The largest tree that fits here. One byte stays, in case that nothing comes after it.
      const auto fits = static_cast<std::size_t>(std::bit_width((count - 1) / kLeafBytes) - 1);
      const std::size_t height =
          leaves_ == 0 ? fits : std::min(fits, static_cast<std::size_t>(std::countr_zero(leaves_)));
      add_tree(height, zeros(height));
      count -= std::uint64_t{kLeafBytes} << height;
      continue;
    }
    const std::uint64_t part = std::min<std::uint64_t>(count, kLeafBytes - leaf_bytes_);
    add_zeros_to_leaf(static_cast<std::size_t>(part));
    count -= part;
  }
}

ContentHash ContentHasher::digest() {
  if (leaves_ == 0) return digest_of(leaf_.get());
  add_zeros_to_leaf(kLeafBytes - leaf_bytes_);
  end_leaf();
  while (!std::has_single_bit(leaves_)) {
    const auto height = static_cast<std::size_t>(std::countr_zero(leaves_));
    add_tree(height, zeros(height));
  }
  const ContentHash& top = tops_[static_cast<std::size_t>(std::countr_zero(leaves_))];
  Bytes last;
  ByteWriter out(last);
  out.bytes(top);
  out.u64(length_);
  return xxh3_128(last);
}

void ContentHasher::add_to_leaf(ByteSpan bytes) noexcept {
  XXH3_128bits_update(as_state(leaf_.get()), bytes.data(), bytes.size());
  leaf_bytes_ += bytes.size();
}

void ContentHasher::add_zeros_to_leaf(std::size_t count) noexcept {
  static constexpr std::array<std::byte, 64 << 10> kZeros{};
  while (count != 0) {
    const std::size_t part = std::min(count, kZeros.size());
    add_to_leaf(ByteSpan(kZeros).first(part));
    count -= part;
  }
}

void ContentHasher::end_leaf() {
  add_tree(0, digest_of(leaf_.get()));
  XXH3_128bits_reset(as_state(leaf_.get()));
  leaf_bytes_ = 0;
}

// As a binary counter carries: two trees of one height become one of the next.
void ContentHasher::add_tree(std::size_t height, ContentHash top) {
  const std::uint64_t before = leaves_;
  leaves_ += std::uint64_t{1} << height;
  for (; (before >> height & 1U) != 0; ++height) top = node(tops_[height], top);
  tops_[height] = top;
}

const ContentHash& ContentHasher::zeros(std::size_t height) {
  if (zeros_.empty()) zeros_.push_back(xxh3_128(Bytes(kLeafBytes)));
  while (zeros_.size() <= height) zeros_.push_back(node(zeros_.back(), zeros_.back()));
  return zeros_[height];
}

}  // namespace adoc
