#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adoc/lossy.hpp"
#include "codec/lossy/prediction.hpp"
#include "util/buffer.hpp"
#include "util/bytes.hpp"
#include "wire/block.hpp"

namespace adoc {

/// Of so many numbers, as it travels.
[[nodiscard]] NumberWindow window_of(const Prediction& prediction, std::size_t numbers) noexcept;

/// A block's numbers as codes (codec/lossy/prediction.hpp), as long as numbers are: those that
/// stand furthest apart in all windows, then the next ones, and of all these the first bytes, then
/// the second ones and so on. Behind that what the windows skip, and the words that are told by
/// themselves. Whatever the numbers are, unfold() gives them back; these are short if they were
/// made by predict_within() or predict_to_snr().
///
/// The windows lie in `raw`, one behind the other. Takes memory for the largest window, 8 bytes a
/// number. Nothing if more than an eighth of the bytes are words told by themselves, else those are
/// at the end of `folded`, which was empty, and their number is returned. Throws std::bad_alloc.
[[nodiscard]] std::optional<std::size_t> fold(ItemType type,
                                              const std::vector<NumberWindow>& windows,
                                              ByteSpan raw, Buffer& folded);

/// Bytes of `raw` folded.
[[nodiscard]] constexpr std::size_t folded_bytes(ItemType type, std::size_t raw_bytes,
                                                 std::size_t literals) noexcept {
  return raw_bytes + literals * number_bytes(type);
}

/// The inverse, of what comes from the wire: `windows` lie in `raw`, and `folded` has
/// folded_bytes(). Throws Error(corrupt) unless there are as many words told by themselves as said.
void unfold(ItemType type, const std::vector<NumberWindow>& windows, ByteSpan folded,
            std::span<std::byte> raw);

}  // namespace adoc
