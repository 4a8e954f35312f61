#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace adoc {

/// "30 s", "2.5 s", "0.125 s"; for messages.
[[nodiscard]] inline std::string seconds_text(std::chrono::milliseconds duration) {
  std::string text = std::to_string(duration.count() / 1'000);
  if (const auto rest = duration.count() % 1'000; rest != 0) {
    text += '.' + std::to_string(1'000 + rest).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text + " s";
}

/// "10 minutes", "2 hours", and else as seconds_text(); for messages about long times.
[[nodiscard]] inline std::string duration_text(std::chrono::milliseconds duration) {
  const auto counted = [](std::int64_t count, const char* unit) {
    return std::to_string(count) + unit + (count == 1 ? "" : "s");
  };
  constexpr std::int64_t kMinute = 60'000;
  constexpr std::int64_t kHour = 60 * kMinute;
  const std::int64_t ms = duration.count();
  if (ms >= kHour && ms % kHour == 0) return counted(ms / kHour, " hour");
  if (ms >= kMinute && ms % kMinute == 0) return counted(ms / kMinute, " minute");
  return seconds_text(duration);
}

}  // namespace adoc
