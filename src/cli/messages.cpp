#include "cli/messages.hpp"

#include <cstddef>
#include <cstdint>

#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

struct Character {
  std::size_t bytes = 1;
  bool shown = false;  ///< as it is
};

/// Controls of C0 and C1, and those that change the direction of what follows on the line.
bool drives_terminal(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/// The character at the start of `text`, which is not empty; a byte that starts no valid UTF-8
/// sequence (shortest form, no surrogates, at most U+10FFFF) stands alone.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {.bytes = 1, .shown = !drives_terminal(lead)};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool shortest = length == 2 || code >= (length == 3 ? 0x800U : 0x10000U);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (!shortest || surrogate || code > 0x10ffff) return {};
  return {.bytes = length, .shown = !drives_terminal(code)};
}

void append_octal(std::string& out, unsigned char byte) {
  out += '\\';
  out += static_cast<char>('0' + (byte >> 6));
  out += static_cast<char>('0' + (byte >> 3 & 7));
  out += static_cast<char>('0' + (byte & 7));
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view bytes = text.substr(0, next.bytes);
    if (next.shown) {
      out += bytes;
    } else if (bytes == "\n") {
      out += "\\n";
    } else {
      for (const char byte : bytes) append_octal(out, static_cast<unsigned char>(byte));
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

std::string entry_message(std::string_view path, std::string_view message) {
  const auto names = [message](std::string_view name) {
    return message.find(name) != std::string_view::npos;
  };
  if (names(path) || names(quoted(path))) return std::string(message);
  return std::string(path) + ": " + std::string(message);
}

}  // namespace adoc::cli
