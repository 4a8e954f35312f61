#include "cli/html.hpp"

#include <spdlog/fmt/fmt.h>

#include <cmath>

#include "util/safe_name.hpp"

namespace adoc::cli {

std::string html_text(std::string_view bytes) {
  std::string text;
  for (const char c : printable(bytes)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\'':
        text += "&#39;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string time_text(double seconds, double length) {
  if (length < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (length < 10) return fmt::format("{:.2f} s", seconds);
  if (length < 120) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (length < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

double round_up(double value) {
  if (!(value > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (value <= step * power * (1 + 1e-9)) return step * power;
  return 10 * power;
}

}  // namespace adoc::cli
