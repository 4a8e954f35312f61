#pragma once

#include <optional>
#include <string>

#include "adoc/key.hpp"
#include "cli/command_line.hpp"

namespace adoc::cli {

/// What the command line says about the key.
struct KeyOptions {
  std::string file;       ///< empty: ADOC_KEY, else the default file
  bool insecure = false;  ///< no key, no encryption
  bool make_new = false;  ///< of a receiver: in the place of the one that is there
};

/// The options that both programs have. `insecure` is what --help says about it.
void add_key_options(CommandLine& line, KeyOptions& options, const std::string& insecure);

/// Throws Error(usage) for options that contradict each other.
void check_key_options(const KeyOptions& options);

/// The key and where it is kept.
struct ChosenKey {
  Key key;
  std::string file{};       ///< empty: in ADOC_KEY
  bool is_default = false;  ///< the file is where all programs look
  bool is_new = false;
  bool replaced = false;  ///< there was another one
};

/// What to send with; none with --insecure. Throws Error(refused) when there is no key,
/// Error(usage) for an ADOC_KEY that is none, Error(local_file) for a file that cannot be used.
[[nodiscard]] std::optional<ChosenKey> key_to_send_with(const KeyOptions& options);

/// The same to receive with; the default file is made when it is not there.
[[nodiscard]] std::optional<ChosenKey> key_to_receive_with(const KeyOptions& options);

}  // namespace adoc::cli
