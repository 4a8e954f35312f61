#pragma once

#include <optional>
#include <string>

#include "adoc/options.hpp"
#include "cli/command_line.hpp"

namespace adoc::cli {

/// The command line of adoc-send.
struct SendCommand {
  SendOptions send;
  OutputOptions output;
  std::string trace_file;            ///< empty: none
  bool insecure = false;             ///< plain text over a network is meant
  bool measures_levels = false;      ///< on the one path that there is, instead of sending
  std::optional<std::string> print;  ///< printed on standard output instead of sending
};

/// Throws Error(usage) for everything that can be known to be wrong before any work.
[[nodiscard]] SendCommand parse_send_command(int argc, const char* const* argv);

}  // namespace adoc::cli
