#include "io/seen_hellos.hpp"

#include <cstring>

namespace adoc {

// RFC 8446, sections 5.1 and 4.1.2: a record's type, version and length, the message's type and
// length, the version, and 32 bytes at random.
std::optional<std::uint64_t> client_random(ByteSpan start) noexcept {
  constexpr std::size_t kMessageType = 5;
  constexpr std::size_t kRandom = 11;
  constexpr std::byte kHandshake{22};
  constexpr std::byte kClientHello{1};
  if (start.size() < kClientHelloStartBytes || start[0] != kHandshake ||
      start[kMessageType] != kClientHello)
    return std::nullopt;
  std::uint64_t random = 0;
  std::memcpy(&random, start.data() + kRandom, sizeof(random));
  return random;
}

}  // namespace adoc
