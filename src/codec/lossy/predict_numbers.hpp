#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adoc/lossy.hpp"
#include "codec/lossy/prediction.hpp"

namespace adoc {

/// Makes a window of float32 or float64, or complex ones of them, coarser in such a way that
/// predictions leave little of it (codec/predicted_form.hpp): no number is off by more than
/// `bound`; zeros, and what is not normal, stay. Tells how; nothing, and what is in `left` is of no
/// use, where rounding is likely to leave less, or where there is much that cannot be told so.
///
/// `numbers`, at most kMaxWindowNumbers, and `left` have the same size, a multiple of that of a
/// number, and do not overlap. `scratch` comes to have an integer for each number; throws what
/// that throws. Any thread.
[[nodiscard]] std::optional<Prediction> predict_within(ItemType type, double bound,
                                                       std::span<const std::byte> numbers,
                                                       std::span<std::byte> left,
                                                       std::vector<std::int64_t>& scratch);

/// The same with about the largest bound for which the sum of squares is at least `db` above that
/// of the errors, of all numbers that are finite.
[[nodiscard]] std::optional<Prediction> predict_to_snr(ItemType type, double db,
                                                       std::span<const std::byte> numbers,
                                                       std::span<std::byte> left,
                                                       std::vector<std::int64_t>& scratch);

}  // namespace adoc
