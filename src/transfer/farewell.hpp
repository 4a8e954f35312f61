#pragma once

#include <chrono>
#include <exception>

#include "adoc/options.hpp"
#include "io/stream.hpp"

namespace adoc {

/// Who comes while there is no thread to serve it reads why, and nobody else is served meanwhile.
inline constexpr std::chrono::milliseconds kTurnAwayPatience{100};

/// The failure in the words that the caller has for it; as it is where there are none, or no memory
/// for them.
[[nodiscard]] std::exception_ptr in_words(const std::exception_ptr& failure,
                                          const ErrorWords& words) noexcept;

/// The frame that tells the peer of what this side has failed. Throws std::bad_alloc.
[[nodiscard]] Bytes last_words(const std::exception_ptr& failure);
/// The frame for when it does; it was made before.
[[nodiscard]] ByteSpan words_of_no_memory() noexcept;

/// Tells the peer of what this side has failed, as far as it can still be told, and lets it read
/// that for `patience` before the connection is closed.
void say_why(Stream& stream, const std::exception_ptr& failure,
             std::chrono::milliseconds patience) noexcept;

/// The same to a peer that has not heard the receiver's hello yet: without it the peer would take
/// this for another protocol.
void turn_away(Stream& stream, const std::exception_ptr& failure,
               std::chrono::milliseconds patience) noexcept;

}  // namespace adoc
