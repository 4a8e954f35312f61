#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace papers {

/// FPC as Niwa 2022 has it in its Table I: each integer of 32 bits becomes a prefix of 3 bits and
/// those of its bits that follow the longest run of leading zeros that has a pattern, most
/// significant bit first. What has fewer than 13 leading zeros is kept whole, in 35 bits.
struct FpcCoded {
  std::vector<std::byte> bytes;  ///< filled up with zeros to a whole byte
  std::uint64_t bits = 0;        ///< without the filling
};

[[nodiscard]] FpcCoded fpc_encode(std::span<const std::int32_t> values);

/// The first `count` values of what fpc_encode() made. Throws std::runtime_error if the bytes end
/// before, or hold the prefix that the paper leaves unused; nothing is allocated for a `count` that
/// the bytes cannot hold.
[[nodiscard]] std::vector<std::int32_t> fpc_decode(std::span<const std::byte> bytes,
                                                   std::size_t count);

}  // namespace papers
