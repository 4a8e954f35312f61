#pragma once

#include <string>
#include <vector>

#include "adoc/options.hpp"

namespace adoc::cli {

/// PATH... HOST[:PORT] of adoc-send, into `paths` and `peer`. Throws Error(usage) that says what is
/// the case here to whoever typed what scp takes: users, paths behind the host, no host.
void take_operands(SendOptions& send, std::vector<std::string> operands);

/// Where adoc-recv listens: ADDR:PORT, ADDR, :PORT or PORT; what is left out is the default's.
[[nodiscard]] Endpoint parse_listen(const std::string& text, const std::string& default_host);

/// What to say of a word that adoc-recv has no use for.
[[nodiscard]] std::string stray_word_message(const std::string& word, bool has_out_directory);

/// Throws Error(usage) if `text` is a key or most of one, without showing it: others can read a
/// command line.
void refuse_key(const std::string& text);

}  // namespace adoc::cli
