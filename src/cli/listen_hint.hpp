#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "cli/key_options.hpp"

namespace adoc::cli {

/// What a receiver tells about reaching it.
struct ListenHint {
  Endpoint listening{};
  std::string machine{};           ///< what others call this machine, for when it listens on all
  std::optional<ChosenKey> key{};  ///< none: --insecure
  bool shows_key = false;          ///< to a person in front of it, not to a log that is kept
};

/// The lines to type on the other machine, where the first one is for the first time alone, and on
/// this one.
[[nodiscard]] std::vector<std::string> lines_to_type(const ListenHint& hint);

/// The address that this machine has on the way to others; its name if there is no such way.
[[nodiscard]] std::string machine_address();

}  // namespace adoc::cli
