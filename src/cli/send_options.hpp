#pragma once

#include <optional>
#include <string>

#include "adoc/lossy.hpp"
#include "adoc/options.hpp"
#include "adoc/peer_key.hpp"
#include "cli/key_options.hpp"
#include "cli/output_options.hpp"

namespace adoc::cli {

/// The command line of adoc-send.
struct SendCommand {
  SendOptions send;            ///< all but the key
  std::optional<Lossy> lossy;  ///< Sender::lose()
  KeyOptions key;
  OutputOptions output;
  std::string trace_file;            ///< empty: none
  std::string report_file;           ///< empty: none
  std::string report_from;           ///< a trace to make the report from, instead of sending
  std::uint64_t later_rate = 0;      ///< of --for, in bytes a second; 0: none
  bool explains = false;             ///< at the end, what limited the transfer
  bool measures_levels = false;      ///< on the one path that there is, instead of sending
  std::optional<PeerName> save_key;  ///< of this receiver, instead of sending
  std::optional<std::string> print;  ///< printed on standard output instead of sending
};

/// Throws Error(usage) for everything that can be known to be wrong before any work.
[[nodiscard]] SendCommand parse_send_command(int argc, const char* const* argv);

}  // namespace adoc::cli
