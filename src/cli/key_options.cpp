#include "cli/key_options.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "adoc/error.hpp"
#include "adoc/peer_key.hpp"
#include "cli/command_line.hpp"
#include "cli/operands.hpp"
#include "cli/words.hpp"

namespace adoc::cli {
namespace {

constexpr const char* kVariable = "ADOC_KEY";

std::string_view in_environment() {
  const char* const value = std::getenv(kVariable);
  return value != nullptr ? value : "";
}

ChosenKey from_environment() {
  try {
    return {.key = Key::parse(in_environment())};
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(kVariable) + ": " + words_of(error));
  }
}

ChosenKey from_file(const std::string& file) {
  if (const auto key = read_key_file(file)) return {.key = *key, .file = file};
  throw Error(ErrorKind::local_file, "there is no key file " + file +
                                         "; adoc-recv --new-key --key-file " + file + " makes it");
}

ChosenKey new_key(const KeyOptions& options) {
  const bool is_default = options.file.empty();
  const std::string file = is_default ? default_key_file() : options.file;
  const bool replaced = std::filesystem::exists(file);
  return {.key = replace_key_file(file),
          .file = file,
          .is_default = is_default,
          .is_new = true,
          .replaced = replaced};
}

/// As it is typed: the port only where it is not the usual one.
std::string name_of(const Endpoint& peer) {
  PeerName name = parse_peer(to_string(peer));
  if (peer.port == kDefaultPort) name.port.reset();
  return to_string(name);
}

[[noreturn]] void no_own_key() {
  throw Error(ErrorKind::refused, "there is no key: neither in ADOC_KEY nor in " +
                                      default_key_file() +
                                      ", which adoc-recv makes when it is started");
}

[[noreturn]] void no_key_of(const std::string& peer) {
  std::string text = "there is no key of " + peer + ": adoc-recv --show-key prints it there, and " +
                     "adoc-send --save-key " + peer + " takes it here";
  // Whoever has keys from then finds that nothing works any more.
  const std::string own = default_key_file();
  if (std::filesystem::exists(own))
    text += "; if " + own + " is a copy of it, as earlier versions wanted: adoc-send --save-key " +
            peer + " <" + own + ", then adoc-recv --new-key";
  std::error_code ignored;
  if (std::filesystem::exists(peer, ignored))
    text += " (there is a file or directory " + peer + " here: the last word is HOST)";
  throw Error(ErrorKind::refused, text);
}

ChosenKey kept_key_of(const Endpoint& peer) {
  const auto kept = find_peer_key(peer);
  const std::string name = name_of(peer);
  if (!kept && is_this_machine(parse_peer(name))) no_own_key();
  if (!kept) no_key_of(name);
  if (kept->is_shared)
    throw Error(ErrorKind::refused,
                "the key of " + name +
                    " is also the one of this machine's own receiver, to which somebody on the "
                    "way could lead this transfer: adoc-recv --new-key here makes it another one");
  return {.key = kept->key, .file = kept->file, .is_default = kept->is_own};
}

}  // namespace

void add_key_options(CommandLine& line, KeyOptions& options, const KeyHelp& help) {
  line.add("--key-file", "FILE", options.file,
           "the key is in FILE (default: in ADOC_KEY,\nelse in " + help.default_file + ")");
  line.app().add_flag("--insecure", options.insecure, help.insecure);
}

void check_key_options(const KeyOptions& options) {
  refuse_key(options.file);
  if (options.insecure && !options.file.empty())
    throw Error(ErrorKind::usage, "--insecure does without a key, --key-file names one");
  if (options.insecure && options.make_new)
    throw Error(ErrorKind::usage, "--insecure does without a key, --new-key makes one");
  if (options.insecure && options.show)
    throw Error(ErrorKind::usage, "--insecure does without a key, --show-key shows one");
  if (options.make_new && options.file.empty() && !in_environment().empty())
    throw Error(ErrorKind::usage,
                "--new-key makes a file, and ADOC_KEY counts more than that: unset ADOC_KEY");
}

std::optional<ChosenKey> key_to_send_with(const KeyOptions& options, const Endpoint& peer) {
  if (options.insecure) return std::nullopt;
  if (!options.file.empty()) return from_file(options.file);
  if (!in_environment().empty()) return from_environment();
  return kept_key_of(peer);
}

std::string advice_on_key(const ChosenKey& key, const Endpoint& peer) {
  if (key.file.empty()) return "ours is in ADOC_KEY";
  const std::string ours = "ours is in " + key.file;
  if (key.is_default)
    return ours +
           ", this machine's own: was it replaced while adoc-recv runs? for a tunnel: "
           "adoc-send --save-key " +
           to_string(parse_peer(to_string(peer)));
  return ours + "; adoc-recv --show-key prints the right one there, and adoc-send --save-key " +
         name_of(peer) + " takes it here";
}

std::optional<ChosenKey> key_to_receive_with(const KeyOptions& options) {
  if (options.insecure) return std::nullopt;
  if (options.make_new) return new_key(options);
  if (!options.file.empty()) return from_file(options.file);
  if (!in_environment().empty()) return from_environment();
  const std::string file = default_key_file();
  const KeptKey kept = read_or_make_key_file(file);
  return ChosenKey{.key = kept.key, .file = file, .is_default = true, .is_new = kept.is_new};
}

}  // namespace adoc::cli
