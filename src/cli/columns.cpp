#include "cli/columns.hpp"

namespace adoc::cli {
namespace {

constexpr std::string_view kMore = "...";

/// Of the character that begins with this byte; 0 for the bytes in it.
std::size_t columns_at(char byte) noexcept {
  const auto value = static_cast<unsigned char>(byte);
  return value < 0x80 ? 1 : value >= 0xc0 ? 2 : 0;
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  std::size_t columns = 0;
  for (const char byte : text) columns += columns_at(byte);
  return columns;
}

std::string first_columns(std::string_view text, std::size_t columns) {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    taken += columns_at(text[i]);
    if (taken > columns) return std::string(text.substr(0, i));
  }
  return std::string(text);
}

std::string last_columns(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns <= kMore.size()) return first_columns(text, columns);
  std::size_t left = columns_of(text);
  std::size_t begin = 0;
  // Up to the beginning of a character from which on the rest fits.
  while (begin < text.size() && (left + kMore.size() > columns || columns_at(text[begin]) == 0))
    left -= columns_at(text[begin++]);
  return std::string(kMore) + std::string(text.substr(begin));
}

}  // namespace adoc::cli
