#pragma once

#include <cstdint>
#include <optional>

#include "adoc/lossy.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// What a file's contents have lost; with Feature::lossy, and for people and comparisons alone: the
/// contents come as they are to be.
///
///   lossy = type:u8 mode:u8 bound:u64    (adoc/lossy.hpp; mode + 16 where what is
///                                         lost depends on predictions; bound as in IEEE 754)
void encode_lossy(const Lossy& lossy, ByteWriter& out);
/// Throws Error(corrupt) for a type or mode that there is not, and a bound that is not above 0 or
/// not finite.
[[nodiscard]] Lossy decode_lossy(ByteReader& in);

/// What a receiver with these features gets: predicted, where both can.
[[nodiscard]] std::optional<Lossy> lossy_for(std::optional<Lossy> how, std::uint64_t features);
/// And what it is told of that.
[[nodiscard]] std::optional<Lossy> said_lossy(const std::optional<Lossy>& how,
                                              std::uint64_t features);

}  // namespace adoc
