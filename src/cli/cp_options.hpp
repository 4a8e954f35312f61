#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adoc/lossy.hpp"
#include "adoc/options.hpp"
#include "cli/cp_place.hpp"
#include "cli/output_options.hpp"
#include "cli/ssh_command.hpp"

namespace adoc::cli {

/// How the data goes.
enum class Via {
  automatic,  ///< over a connection of its own where there is one within a second, else through ssh
  ssh,        ///< through ssh
  direct,     ///< over a connection of its own, or not at all
};

/// The command line of adoc-cp.
struct CpCommand {
  std::vector<Place> sources;
  Place destination;
  bool is_far_side = false;     ///< started by another adoc-cp, which says all else
  bool into_directory = false;  ///< of a far side: the destination is one, made when missing
  /// Of a far side that receives from another one: the paths that were asked for there.
  std::vector<std::string> asked;
  bool recursive = false;
  bool preserve = false;
  bool follows_links = false;  ///< it was said that links are to be followed, not just meant
  bool through_here = false;   ///< between two other machines, the data goes through this one
  Via via = Via::automatic;
  std::string far_program = "adoc-cp";
  bool bootstrap = false;
  SshOptions ssh;
  SendOptions send;            ///< but for the paths and the peer
  std::optional<Lossy> lossy;  ///< Sender::lose()
  OutputOptions output;
  std::string report_file;  ///< empty: none
  bool explains = false;    ///< at the end, what limited the copy
  /// What the far side is told of these options; its paths come behind them.
  std::vector<std::string> far_words;
  std::optional<std::string> print;  ///< printed on standard output instead of copying
};

/// Whether the destination is a directory whatever is there: to what is listed, whose names lie
/// below it, and to one of several that copy together, or the first would make what the others
/// find.
[[nodiscard]] inline bool needs_directory(const CpCommand& command) noexcept {
  return command.send.listed.has_value() || command.send.shard.has_value();
}

/// Throws Error(usage) for everything that can be known to be wrong before any work.
[[nodiscard]] CpCommand parse_cp_command(int argc, const char* const* argv);

/// Of a far side: the words that it was sent, which end in "--" and its paths. Those are not told
/// apart by their colons: all are of this machine.
[[nodiscard]] CpCommand parse_far_words(const std::vector<std::string>& words);

}  // namespace adoc::cli
