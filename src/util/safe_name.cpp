#include "util/safe_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "adoc/error.hpp"

namespace adoc {

namespace {

/// What is wrong with a path component, or nothing.
std::string_view objection(std::string_view component) noexcept {
  if (component.empty()) return "a component is empty";
  if (component == ".") return "a component is \".\"";
  if (component == "..") return "it leads upwards";
  if (component.size() > SafeName::kMaxComponentBytes) return "a component is too long";
  return {};
}

std::string_view objection_to_path(std::string_view text) {
  if (text.empty()) return "it is empty";
  if (text.size() > SafeName::kMaxBytes) return "it is too long";
  if (text.front() == '/') return "it is absolute";
  if (text.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  if (leads_to_own_directory(text))
    return "a receiver keeps under it what has arrived of unfinished files";
  while (true) {
    const std::size_t slash = text.find('/');
    if (const auto bad = objection(text.substr(0, slash)); !bad.empty()) return bad;
    if (slash == std::string_view::npos) return {};
    text.remove_prefix(slash + 1);
  }
}

/// Whether a terminal or a log would show the text around this character elsewhere than it stands:
/// the bidirectional controls and the separators of lines and paragraphs.
bool rearranges(std::uint32_t point) noexcept {
  return point == 0x061c || point == 0x200e || point == 0x200f ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

/// Length of the valid UTF-8 sequence of more than one byte at the start of `text`, or 0.
std::size_t utf8_sequence_bytes(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = at(0);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  std::uint32_t point = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0U) != 0x80) return 0;
    point = point << 6 | (at(i) & 0x3fU);
  }
  static constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  const bool control = point < 0xa0;  // C1
  if (point < kSmallest[length] || point > 0x10ffff || surrogate || control || rearranges(point))
    return 0;
  return length;
}

/// Takes what is shown as one off the text, which is not empty.
std::string take_printable(std::string_view& text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const std::size_t sequence = byte >= 0x80 ? utf8_sequence_bytes(text) : 0;
  const std::string taken(text.substr(0, std::max<std::size_t>(sequence, 1)));
  text.remove_prefix(taken.size());
  if (byte == '\n') return "\\n";
  if (byte == '\t') return "\\t";
  if (sequence != 0 || (byte >= 0x20 && byte < 0x7f)) return taken;
  static constexpr char kDigits[] = "01234567";
  return {'\\', kDigits[byte >> 6], kDigits[byte >> 3 & 7], kDigits[byte & 7]};
}

/// Behind a backslash.
bool reads_as_escape(char shown) noexcept {
  return shown == '\\' || shown == 'n' || shown == 't' || (shown >= '0' && shown <= '7');
}

}  // namespace

SafeName SafeName::check(std::string text) {
  if (const auto bad = objection_to_path(text); !bad.empty())
    throw Error(ErrorKind::corrupt, "the name " + quoted(std::string_view(text).substr(0, 80)) +
                                        " is not allowed: " + std::string(bad));
  return SafeName(std::move(text));
}

std::string_view SafeName::directory() const noexcept {
  const std::size_t slash = text_.rfind('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(text_).substr(0, slash);
}

std::string_view SafeName::leaf() const noexcept {
  return std::string_view(text_).substr(text_.rfind('/') + 1);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) out += take_printable(text);
  return out;
}

std::string printable_name(std::string_view name) {
  std::string out;
  bool after_backslash = false;
  while (!name.empty()) {
    const bool is_backslash = name.front() == '\\';
    const std::string piece = take_printable(name);
    if (after_backslash && reads_as_escape(piece.front())) out += '\\';
    out += piece;
    after_backslash = is_backslash;
  }
  return out;
}

std::string quoted(std::string_view name) {
  static constexpr std::string_view kPlain = "/._-+=,:@%~";
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
  };
  if (!name.empty() && std::ranges::all_of(name, plain)) return std::string(name);
  std::string escaped;
  for (const char c : name) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  std::string out = "'";
  out += printable(escaped);
  out += '\'';
  return out;
}

}  // namespace adoc
