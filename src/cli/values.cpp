#include "cli/values.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace adoc::cli {
namespace {

/// The digits at the start of `text` go to `number`, what follows them is returned; null if there
/// are none or too many.
template <typename T>
const char* read_digits(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && number >= 0 ? end : nullptr;
}

}  // namespace

std::size_t parse_size(const std::string& option, const std::string& text) {
  const auto wrong = [&](const char* why) {
    return Error(ErrorKind::usage, option + ": '" + text + "' " + why);
  };
  constexpr auto kLargest = std::numeric_limits<std::size_t>::max();

  std::size_t number = 0;
  const char* const rest = read_digits(text, number);
  if (rest == nullptr) throw wrong("is not a size (examples: 8192, 200K, 1M)");
  const std::string suffix(rest, text.data() + text.size());
  unsigned shift = 0;
  if (suffix == "K" || suffix == "k") {
    shift = 10;
  } else if (suffix == "M" || suffix == "m") {
    shift = 20;
  } else if (suffix == "G" || suffix == "g") {
    shift = 30;
  } else if (!suffix.empty()) {
    throw wrong("is not a size: the suffixes are K, M and G");
  }
  if (number > kLargest >> shift) throw wrong("is too large");
  return number << shift;
}

std::chrono::milliseconds parse_duration(const std::string& option, const std::string& text) {
  constexpr double kMostHours = 1e6;
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string suffix(end, text.data() + text.size());
  const double seconds = suffix == "ms"                    ? 0.001
                         : suffix.empty() || suffix == "s" ? 1
                         : suffix == "m"                   ? 60
                         : suffix == "h"                   ? 3'600
                                                           : 0;
  // Neither a sign nor infinity nor what is not a number begins with a digit.
  const bool digits = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (error != std::errc{} || !digits || seconds == 0 || number > kMostHours)
    throw Error(ErrorKind::usage,
                option + ": '" + text + "' is not a duration (examples: 30, 2.5s, 500ms, 10m, 1h)");
  return std::chrono::milliseconds(std::llround(number * seconds * 1'000));
}

int parse_whole_number(const std::string& option, const std::string& text) {
  int number = 0;
  const char* const rest = read_digits(text, number);
  if (rest == nullptr || rest != text.data() + text.size()) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not a whole number from 0 to " +
                                      std::to_string(std::numeric_limits<int>::max()));
  }
  return number;
}

void throw_not_a_choice(const std::string& option, const std::string& text,
                        const std::string& choices) {
  throw Error(ErrorKind::usage, option + ": '" + text + "' is none of " + choices);
}

std::size_t parse_count(const std::string& option, const std::string& text) {
  return text.empty() ? 0 : static_cast<std::size_t>(parse_whole_number(option, text));
}

}  // namespace adoc::cli
