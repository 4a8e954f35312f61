#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "util/bytes.hpp"

namespace adoc {

/// Of a ClientHello, what tells it from every other: the start of its random number, which whoever
/// has the key vouches for with the rest of it. None of what is not a ClientHello, as far as
/// kClientHelloStartBytes tell.
[[nodiscard]] std::optional<std::uint64_t> client_random(ByteSpan start) noexcept;
inline constexpr std::size_t kClientHelloStartBytes = 43;

/// Those that were answered, the latest of them: one that comes again is a recording. Only what was
/// made with the key is to be added, so that nobody else can fill this.
class SeenHellos {
 public:
  /// Between so many and twice as many are remembered.
  static constexpr std::size_t kLeast = 1 << 15;

  [[nodiscard]] bool contains(std::uint64_t random) const {
    return newer_.contains(random) || older_.contains(random);
  }
  void add(std::uint64_t random) {
    if (newer_.size() >= kLeast) {
      older_.swap(newer_);
      newer_.clear();
    }
    newer_.insert(random);
  }

 private:
  std::unordered_set<std::uint64_t> newer_;
  std::unordered_set<std::uint64_t> older_;
};

}  // namespace adoc
