#pragma once

#include <optional>
#include <string>

#include "adoc/key.hpp"
#include "adoc/options.hpp"

namespace adoc::cli {

class CommandLine;

/// What the command line says about the key.
struct KeyOptions {
  std::string file;       ///< empty: ADOC_KEY, else the file that it is kept in
  bool insecure = false;  ///< no key, no encryption
  bool make_new = false;  ///< of a receiver: in the place of the one that is there
  bool show = false;      ///< of a receiver: print it and end
};

/// What --help says about the options that both programs have.
struct KeyHelp {
  std::string default_file;
  std::string insecure;
};
void add_key_options(CommandLine& line, KeyOptions& options, const KeyHelp& help);

/// Throws Error(usage) for options that contradict each other.
void check_key_options(const KeyOptions& options);

/// The key and where it is kept.
struct ChosenKey {
  Key key;
  std::string file{};       ///< empty: in ADOC_KEY
  bool is_default = false;  ///< the file is this machine's own
  bool is_new = false;
  bool replaced = false;  ///< there was another one
};

/// What to send to `peer` with; none with --insecure. Throws Error(refused) when there is no key,
/// or one that this machine's own receiver has as well, Error(usage) for an ADOC_KEY that is none,
/// Error(local_file) for a file that cannot be used.
[[nodiscard]] std::optional<ChosenKey> key_to_send_with(const KeyOptions& options,
                                                        const Endpoint& peer);

/// For when the receiver turns out to have another one than this: where this one is from, and how
/// it is replaced.
[[nodiscard]] std::string advice_on_key(const ChosenKey& key, const Endpoint& peer);

/// The same as key_to_send_with() to receive with; the default file is made when it is not there.
[[nodiscard]] std::optional<ChosenKey> key_to_receive_with(const KeyOptions& options);

}  // namespace adoc::cli
