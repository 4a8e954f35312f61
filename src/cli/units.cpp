#include "cli/units.hpp"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace adoc::cli {
namespace {

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  const std::uint64_t hours = whole / 3600;
  const std::uint64_t minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  // 999.5 would be rounded to four digits.
  constexpr double kFourDigits = 999.5;
  std::size_t unit = 0;
  while (bytes >= kFourDigits && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

std::string format_rate(double bytes_per_second) { return format_bytes(bytes_per_second) + "/s"; }

std::string format_ratio(std::uint64_t raw_bytes, std::uint64_t wire_bytes) {
  if (wire_bytes == 0) return "-";
  return fmt::format("{:.2f}x", ratio_of(raw_bytes, wire_bytes));
}

std::string format_seconds(double seconds) {
  if (seconds >= 99.95) return clock_time(seconds);
  return fmt::format("{:.{}f} s", seconds, seconds < 0.0995 ? 3 : seconds < 0.995 ? 2 : 1);
}

std::string format_remaining(double seconds) {
  constexpr double kBeyondReason = 100 * 3600;
  return seconds >= 0 && seconds < kBeyondReason ? clock_time(seconds) : "-:--";
}

double ratio_of(std::uint64_t raw_bytes, std::uint64_t wire_bytes) {
  return wire_bytes == 0 ? 0 : static_cast<double>(raw_bytes) / static_cast<double>(wire_bytes);
}

}  // namespace adoc::cli
