#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace papers {

/// LSB-cut of Niwa 2022, section III.A.2: the `cut` least significant bits of each double are not
/// sent, and the receiver puts 0b100...0 in their place. To the letter, so that infinities arrive
/// as NaN and zeros as something small.
///
/// All throw std::invalid_argument unless 1 <= cut <= 63.

/// What the receiver has in place of the value with these bits.
[[nodiscard]] std::uint64_t lsb_cut_arrives(std::uint64_t bits, unsigned cut);

/// 64 - cut bits a value, most significant first, filled up with zeros to a whole byte.
[[nodiscard]] std::vector<std::byte> lsb_cut_encode(std::span<const double> values, unsigned cut);

/// Throws std::runtime_error if the bytes hold fewer than `count` values.
[[nodiscard]] std::vector<double> lsb_cut_decode(std::span<const std::byte> bytes,
                                                 std::size_t count, unsigned cut);

}  // namespace papers
