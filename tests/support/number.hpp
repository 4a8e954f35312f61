#pragma once

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace adoc::testkit {

/// Of an argument that is nothing else. Throws std::invalid_argument.
inline std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("not a number: " + std::string(text));
  return value;
}

}  // namespace adoc::testkit
