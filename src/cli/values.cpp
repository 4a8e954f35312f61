#include "cli/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace adoc::cli {
namespace {

/// The digits at the start of `text` go to `number`, what follows them is returned; null if there
/// are none or too many.
template <typename T>
const char* read_digits(const std::string& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && number >= 0 ? end : nullptr;
}

/// What a suffix stands for: "K" and "KiB" for 1024, "KB" for 1000, and so on, in capitals or not;
/// 0 when it is none.
std::size_t unit_bytes(std::string suffix) {
  for (char& letter : suffix)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  if (suffix.empty() || suffix == "B") return 1;
  const std::size_t power = std::string_view("KMGTP").find(suffix[0]);
  const std::string form = suffix.substr(1);
  if (power == std::string_view::npos || !(form.empty() || form == "B" || form == "IB")) return 0;
  std::size_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= form == "B" ? 1'000U : 1'024U;
  return bytes;
}

}  // namespace

std::size_t parse_size(const std::string& option, const std::string& text) {
  const auto wrong = [&](const char* why) {
    return Error(ErrorKind::usage, option + ": '" + text + "' " + why);
  };
  std::size_t whole = 0;
  const char* rest = read_digits(text, whole);
  if (rest == nullptr) throw wrong("is not a size (examples: 8192, 200K, 1.5M, 10MB, 10MiB)");
  const char* const end = text.data() + text.size();
  double fraction = 0;
  if (*rest == '.') {
    // From the point on: what begins with a digit has neither sign nor exponent.
    const auto [after, error] = std::from_chars(rest, end, fraction, std::chars_format::fixed);
    if (error != std::errc{}) throw wrong("is not a size: digits are missing behind the point");
    rest = after;
  }
  const std::size_t unit = unit_bytes(std::string(rest, end));
  if (unit == 0) throw wrong("is not a size: the units are K, M, G, T, P and KB ... or KiB ...");
  if (unit == 1 && fraction != 0) throw wrong("is not a size: there are no parts of a byte");
  if (whole >= std::numeric_limits<std::size_t>::max() / unit) throw wrong("is too large");
  return whole * unit +
         static_cast<std::size_t>(std::llround(fraction * static_cast<double>(unit)));
}

std::uint64_t parse_link_rate(const std::string& option, const std::string& text) {
  std::string size = text;
  for (char& letter : size)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (size.ends_with("/s")) size.resize(size.size() - 2);
  const bool in_bits = size.ends_with("bit");
  if (in_bits) size.replace(size.size() - 3, 3, "b");
  const auto wrong = [&](const std::string& why) {
    return Error(ErrorKind::usage, option + ": '" + text + "' " + why);
  };
  std::uint64_t rate = 0;
  try {
    rate = parse_size(option, size) / (in_bits ? 8 : 1);
  } catch (const Error&) {
    throw wrong("is not the rate of a link (examples: 10mbit, 1.5gbit, 500K)");
  }
  if (rate < kMinBandwidthLimit)
    throw wrong("is slower than " + std::to_string(kMinBandwidthLimit) + " bytes a second");
  return rate;
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

int parse_whole_number(const std::string& option, const std::string& text, int least) {
  int number = 0;
  const char* const rest = read_digits(text, number);
  if (rest == nullptr || rest != text.data() + text.size() || number < least) {
    throw Error(ErrorKind::usage, option + ": '" + text + "' is not a whole number from " +
                                      std::to_string(least) + " to " +
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

std::size_t parse_streams(const std::string& text) {
  if (text.empty() || text == "auto") return 0;
  if (text.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorKind::usage, "--streams: '" + text + "' is neither auto nor a number");
  const std::size_t streams = parse_count("--streams", text);
  if (streams == 0 || streams > kMaxConnections)
    throw Error(ErrorKind::usage, "--streams " + text + ": it goes from 1 to " +
                                      std::to_string(kMaxConnections) + ", or auto");
  return streams;
}

Shard parse_shard(const std::string& option, const std::string& text) {
  Shard shard;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string number = text.substr(0, slash);
  const std::string count = text.substr(std::min(slash + 1, text.size()));
  const auto is_all = [](const std::string& digits, std::uint32_t& value) {
    return !digits.empty() && read_digits(digits, value) == digits.data() + digits.size();
  };
  if (!is_all(number, shard.number) || !is_all(count, shard.count))
    throw Error(ErrorKind::usage,
                option + ": '" + text + "' is not K/N, such as 2/8: the second of eight");
  return shard;
}

}  // namespace adoc::cli
