#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adoc/lossy.hpp"
#include "codec/lossy/prediction.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// Bytes whose numbers are looked at together: those of one, or a window. 1, 2, 4, 8,
/// kLossyWindowBytes or kPredictedWindowBytes.
[[nodiscard]] std::size_t lossy_grain_bytes(const Lossy& lossy) noexcept;

/// What is left of numbers that begin where a grain does, and of which there is a whole number; of
/// a window at most one. `left` has the same size and does not overlap them. `lossy` is one that
/// why_not() has nothing against. Tells how the window is predicted, if it is, which is for the
/// codec (predicted_form.hpp); only then it takes memory, in `scratch`, an integer for each number,
/// and throws what that throws. Any thread.
std::optional<Prediction> lose(const Lossy& lossy, ByteSpan numbers, std::span<std::byte> left,
                               std::vector<std::int64_t>& scratch);

}  // namespace adoc
