#pragma once

#include <chrono>
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

}  // namespace adoc
