#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace adoc {

/// What the receiver keeps for itself below its destination, and no name leads into.
inline constexpr std::string_view kOwnDirectory = ".adoc";

/// Whether the first component of a relative path is that, or is on some file system: one that
/// does not distinguish letters that look alike, leaves out characters that cannot be seen, or dots
/// and spaces at the end, or has a short name for each long one.
[[nodiscard]] bool leads_to_own_directory(std::string_view path);

/// A relative path that names something strictly below the directory it is used in: not empty, no
/// leading slash, no empty, "." or ".." component, not in kOwnDirectory, no NUL, and within the
/// file system's lengths. A name from a peer becomes one of these once, and only these are opened.
class SafeName {
 public:
  static constexpr std::size_t kMaxBytes = 4'095;
  static constexpr std::size_t kMaxComponentBytes = 255;

  /// Throws Error(corrupt) that shows the name and says what is wrong with it.
  [[nodiscard]] static SafeName check(std::string text);

  [[nodiscard]] const std::string& str() const noexcept { return text_; }
  /// The part before the last slash; empty for a name at the top.
  [[nodiscard]] std::string_view directory() const noexcept;
  /// The last component.
  [[nodiscard]] std::string_view leaf() const noexcept;

  auto operator<=>(const SafeName&) const = default;

 private:
  explicit SafeName(std::string text) noexcept : text_(std::move(text)) {}

  std::string text_;
};

/// Text from elsewhere as it may be shown: control bytes, invalid UTF-8 and characters that change
/// the direction of writing are escaped, so that a hostile name cannot drive a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// A name alone on its line: printable, and no two names look alike. A backslash that could be read
/// as the beginning of an escape is doubled.
[[nodiscard]] std::string printable_name(std::string_view name);

/// A name for messages: printable, and in quotes where it has anything but plain characters.
[[nodiscard]] std::string quoted(std::string_view name);

}  // namespace adoc
