#pragma once

#include <optional>
#include <string>

#include "adoc/options.hpp"
#include "cli/key_options.hpp"
#include "cli/output_options.hpp"

namespace adoc::cli {

/// The command line of adoc-recv.
struct RecvCommand {
  ReceiveOptions receive;  ///< all but the key
  KeyOptions key;
  std::string from_file;       ///< is unpacked, instead of receiving; empty: none
  bool chose_address = false;  ///< --listen was given
  bool only_key = false;       ///< --new-key without --out, or --show-key: nothing is received
  OutputOptions output;
  std::optional<std::string> print;  ///< printed on standard output instead of receiving
};

/// Throws Error(usage) for everything that can be known to be wrong before any work.
[[nodiscard]] RecvCommand parse_recv_command(int argc, const char* const* argv);

}  // namespace adoc::cli
