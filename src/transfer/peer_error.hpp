#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <string_view>

#include "adoc/error.hpp"
#include "adoc/observer.hpp"
#include "wire/entry.hpp"
#include "wire/outcome.hpp"

namespace adoc {

/// How long a peer may take to say that it is AdOC.
inline constexpr std::chrono::seconds kHelloTimeout{10};

/// What this side fails of when the other side has sent an error frame; `who` is "sender" or
/// "receiver".
[[nodiscard]] Error peer_error(const ErrorFrame& frame, std::string_view who);

/// Whether that is what a transfer failed of: Error(connect). False for null.
[[nodiscard]] bool is_lost_connection(const std::exception_ptr& failure) noexcept;
/// The same of Error(interrupted).
[[nodiscard]] bool is_interrupted(const std::exception_ptr& failure) noexcept;

/// The words for lack of memory: short enough to take none.
inline constexpr const char* kOutOfMemory = "out of memory";

/// The failure as an Error, whatever it was; as it is if there is no memory to say it in.
[[nodiscard]] std::exception_ptr as_error(const std::exception_ptr& failure) noexcept;

/// What became of an entry.
struct Settled {
  const Entry& entry;
  EntryOutcome outcome;
  const std::string& message;  ///< why it failed
};
/// Adds one entry's outcome to the figures.
void count_outcome(Statistics& statistics, const Settled& settled);

}  // namespace adoc
