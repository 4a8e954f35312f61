#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "util/bytes.hpp"

namespace adoc {

/// XXH3-64 with `seed`. Detects accidents, not attackers.
[[nodiscard]] std::uint64_t xxh3_64(ByteSpan bytes, std::uint64_t seed = 0) noexcept;

using ContentHash = std::array<std::byte, 16>;

/// XXH3-128 of contents that come piece by piece, in its canonical byte order.
class ContentHasher {
 public:
  ContentHasher();
  void update(ByteSpan bytes) noexcept;
  [[nodiscard]] ContentHash digest() const noexcept;

 private:
  struct Free {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, Free> state_;
};

}  // namespace adoc
