#include "cli/key_options.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "adoc/error.hpp"
#include "cli/operands.hpp"

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
    throw Error(error.kind(), std::string(kVariable) + ": " + error.what());
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

}  // namespace

void add_key_options(CommandLine& line, KeyOptions& options, const std::string& insecure) {
  line.add("--key-file", "FILE", options.file,
           "the key is in FILE (default: in ADOC_KEY,\nelse in ~/.config/adoc/key)");
  line.app().add_flag("--insecure", options.insecure, insecure);
}

void check_key_options(const KeyOptions& options) {
  refuse_key(options.file);
  if (options.insecure && !options.file.empty())
    throw Error(ErrorKind::usage, "--insecure does without a key, --key-file names one");
  if (options.insecure && options.make_new)
    throw Error(ErrorKind::usage, "--insecure does without a key, --new-key makes one");
  if (options.make_new && options.file.empty() && !in_environment().empty())
    throw Error(ErrorKind::usage,
                "--new-key makes a file, and ADOC_KEY counts more than that: unset ADOC_KEY");
}

std::optional<ChosenKey> key_to_send_with(const KeyOptions& options) {
  if (options.insecure) return std::nullopt;
  if (!options.file.empty()) return from_file(options.file);
  if (!in_environment().empty()) return from_environment();
  const std::string file = default_key_file();
  if (const auto key = read_key_file(file))
    return ChosenKey{.key = *key, .file = file, .is_default = true};
  throw Error(ErrorKind::refused,
              "there is no key: neither in ADOC_KEY nor in " + file +
                  "; adoc-recv on the other machine prints the line to type here");
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
