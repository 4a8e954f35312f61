#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "adoc/options.hpp"

namespace adoc::cli {

/// The value of an option as a number of bytes or packets, as rsync takes it: K, M, G, T and P are
/// powers of 1024, as are KiB ..., and KB ... are powers of 1000; in capitals or not, with or
/// without a fraction. Throws Error(usage) that names the option.
[[nodiscard]] std::size_t parse_size(const std::string& option, const std::string& text);

/// The rate of a link in bytes a second: a size, or a number with kbit, mbit or gbit, powers of
/// 1000; in capitals or not, "/s" may follow. Throws Error(usage) that names the option.
[[nodiscard]] std::uint64_t parse_link_rate(const std::string& option, const std::string& text);

/// A duration in seconds, with an optional fraction and an optional suffix ms, s, m or h. Throws
/// Error(usage) that names the option.
[[nodiscard]] std::chrono::milliseconds parse_duration(const std::string& option,
                                                       const std::string& text);

/// 0 or more. Throws Error(usage) that names the option.
[[nodiscard]] int parse_whole_number(const std::string& option, const std::string& text,
                                     int least = 0);

/// A whole number from 0 up; 0 when nothing was said. Throws Error(usage).
[[nodiscard]] std::size_t parse_count(const std::string& option, const std::string& text);

/// The value of --streams; 0 for auto, or when nothing was said. Throws Error(usage).
[[nodiscard]] std::size_t parse_streams(const std::string& text);

/// K/N. Throws Error(usage) that names the option.
[[nodiscard]] Shard parse_shard(const std::string& option, const std::string& text);

/// These leave what there is when nothing, or 0, was said. They throw Error(usage).
template <typename Target>
void set_size(Target& target, const std::string& option, const std::string& text) {
  const std::size_t value = text.empty() ? 0 : parse_size(option, text);
  if (value != 0) target = value;
}
inline void set_level(std::optional<int>& target, const std::string& option,
                      const std::string& text) {
  if (!text.empty()) target = parse_whole_number(option, text);
}
inline void set_duration(std::chrono::milliseconds& target, const std::string& option,
                         const std::string& text) {
  if (!text.empty()) target = parse_duration(option, text);
}

/// For the message of a value that is none of the possible ones.
[[noreturn]] void throw_not_a_choice(const std::string& option, const std::string& text,
                                     const std::string& choices);

/// The value that goes with a word. Throws Error(usage) that lists the words.
template <typename T>
[[nodiscard]] T parse_choice(const std::string& option, const std::string& text,
                             std::initializer_list<std::pair<const char*, T>> choices) {
  std::string words;
  for (const auto& [word, value] : choices) {
    if (text == word) return value;
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  throw_not_a_choice(option, text, words);
}

}  // namespace adoc::cli
