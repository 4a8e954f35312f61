// Which names are the receiver's own directory on some file system: those that fold letters, leave
// out what cannot be seen, cut ends off, or know a short name for each long one.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "util/safe_name.hpp"

namespace adoc {

namespace {

/// For a byte that begins no character.
constexpr std::uint32_t kNone = 0x110000;

struct Range {
  std::uint32_t first, last;
};

/// Default_Ignorable_Code_Point of Unicode: ext4 with casefold, HFS+ and APFS leave them out.
constexpr std::array kIgnored = std::to_array<Range>({{0x00ad, 0x00ad},
                                                      {0x034f, 0x034f},
                                                      {0x061c, 0x061c},
                                                      {0x115f, 0x1160},
                                                      {0x17b4, 0x17b5},
                                                      {0x180b, 0x180f},
                                                      {0x200b, 0x200f},
                                                      {0x202a, 0x202e},
                                                      {0x2060, 0x206f},
                                                      {0x3164, 0x3164},
                                                      {0xfe00, 0xfe0f},
                                                      {0xfeff, 0xfeff},
                                                      {0xffa0, 0xffa0},
                                                      {0xfff0, 0xfff8},
                                                      {0x1bca0, 0x1bca3},
                                                      {0x1d173, 0x1d17a},
                                                      {0xe0000, 0xe0fff}});

struct Likeness {
  std::uint32_t point;
  char means;
};

/// What NFKC, which ZFS can be set to, and the mapping of names for SMB make of single characters;
/// of letters those alone that kOwnDirectory has.
constexpr std::array kLikenesses = std::to_array<Likeness>(
    {{0x00a0, ' '}, {0x3000, ' '}, {0xf028, ' '}, {0x2024, '.'}, {0xfe52, '.'}, {0xf029, '.'},
     {0xf022, ':'}, {0x00aa, 'a'}, {0x1d2c, 'a'}, {0x1d43, 'a'}, {0x2090, 'a'}, {0x1d30, 'd'},
     {0x1d48, 'd'}, {0x2145, 'd'}, {0x2146, 'd'}, {0x216e, 'd'}, {0x217e, 'd'}, {0x00ba, 'o'},
     {0x1d3c, 'o'}, {0x1d52, 'o'}, {0x2092, 'o'}, {0x2134, 'o'}, {0x1d9c, 'c'}, {0x2102, 'c'},
     {0x212d, 'c'}, {0x216d, 'c'}, {0x217d, 'c'}, {0xa7f2, 'c'}});

/// Where the alphabet begins, in the order A to Z, a to z or one of the two.
constexpr std::uint32_t kFullWidth = 0xff01;  // as '!' to '~'
constexpr std::uint32_t kMathematical = 0x1d400;
constexpr std::uint32_t kMathematicalEnd = 0x1d6a4;
constexpr std::uint32_t kCircled = 0x24b6;
constexpr std::uint32_t kSquared = 0x1f130;

char letter(std::uint32_t number) noexcept { return static_cast<char>('a' + number % 26); }

/// Takes the first character away.
std::uint32_t take_point(std::string_view& text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  std::uint32_t point = length == 1 ? lead : lead & (0xffU >> (length + 1));
  bool valid = (lead < 0x80 || lead >= 0xc2) && lead < 0xf5 && text.size() >= length;
  for (std::size_t i = 1; valid && i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    valid = (next & 0xc0U) == 0x80;
    point = point << 6 | (next & 0x3fU);
  }
  text.remove_prefix(valid ? length : 1);
  return valid ? point : kNone;
}

bool is_ignored(std::uint32_t point) noexcept {
  return std::ranges::any_of(
      kIgnored, [point](Range range) { return point >= range.first && point <= range.last; });
}

/// The character of ASCII that it may be taken for, in lower case; 0: none.
char folded(std::uint32_t point) noexcept {
  if (point >= kFullWidth && point <= kFullWidth + '~' - '!') point = point - kFullWidth + '!';
  if (point >= 'A' && point <= 'Z') return letter(point - 'A');
  if (point < 0x80) return static_cast<char>(point);
  if (point >= kMathematical && point < kMathematicalEnd) return letter(point - kMathematical);
  if (point >= kCircled && point < kCircled + 52) return letter(point - kCircled);
  if (point >= kSquared && point < kSquared + 26) return letter(point - kSquared);
  const auto* const like = std::ranges::find(kLikenesses, point, &Likeness::point);
  return like != kLikenesses.end() ? like->means : '\0';
}

/// The first component as the loosest file system sees it: also a backslash ends it, or a colon,
/// which on NTFS leads to another part of the same file; dots and spaces at its end do not count.
std::string loosest(std::string_view path) {
  std::string seen;
  while (!path.empty()) {
    const std::uint32_t point = take_point(path);
    if (is_ignored(point)) continue;
    const char c = folded(point);
    if (c == '/' || c == '\\' || c == ':') break;
    seen += c;
  }
  seen.erase(seen.find_last_not_of(". ") + 1);
  return seen;
}

bool all_of(std::string_view text, std::string_view signs) noexcept {
  return !text.empty() && text.find_first_not_of(signs) == text.npos;
}

/// One that FAT or NTFS may have made for kOwnDirectory: ADOC~1, or AD12AB~1 after too many others.
bool is_short_name(std::string_view name) noexcept {
  const std::size_t tilde = name.find('~');
  if (tilde == name.npos || !all_of(name.substr(tilde + 1), "0123456789")) return false;
  const std::string_view base = name.substr(0, tilde);
  if (base.empty()) return false;
  const std::string_view letters = kOwnDirectory.substr(1);
  return letters.starts_with(base) || (base.size() == 6 && letters.starts_with(base.substr(0, 2)) &&
                                       all_of(base.substr(2), "0123456789abcdef"));
}

}  // namespace

bool leads_to_own_directory(std::string_view path) {
  const std::string name = loosest(path);
  return name == kOwnDirectory || is_short_name(name);
}

}  // namespace adoc
