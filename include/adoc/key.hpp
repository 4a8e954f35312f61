#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace adoc {

/// What lets senders in at one receiver: 256 random bits, which both sides have. Each copy is wiped
/// from memory when it goes.
class Key {
 public:
  static constexpr std::size_t kBytes = 32;

  /// A new one. Throws Error(internal) where the system has no random numbers.
  [[nodiscard]] static Key generate();

  /// The inverse of text(); capitals and white space around it are allowed. Throws Error(usage),
  /// also for a slip of the hand: then the check inside of the text is wrong. Never shows the text.
  [[nodiscard]] static Key parse(std::string_view text);

  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();

  /// One word of letters and digits: "adoc1" and 56 of a to z and 2 to 7.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::span<const std::byte, kBytes> bytes() const noexcept { return bytes_; }

  /// Another secret for the purpose that the words name, from which nothing of this one or of those
  /// for other purposes follows: HKDF-Expand of RFC 5869 with SHA-256. Throws Error(internal).
  [[nodiscard]] Key derive(std::string_view purpose) const;

  bool operator==(const Key&) const = default;

 private:
  explicit Key(std::span<const std::byte, kBytes> bytes) noexcept;

  std::array<std::byte, kBytes> bytes_{};
};

/// The key of this machine's own receiver: $XDG_CONFIG_HOME/adoc/key, else ~/.config/adoc/key.
/// Throws Error(local_file) without a home.
[[nodiscard]] std::string default_key_file();

/// The key in a file, none when there is no such file. Throws Error(local_file): the file holds no
/// key, or others may read it or own it; the message has the command that mends that.
[[nodiscard]] std::optional<Key> read_key_file(const std::string& path);

struct KeptKey {
  Key key;
  bool is_new = false;
};

/// As read_key_file(), but where there is no file one with a new key is made, with its directory,
/// for this user alone. Of several programs that do this at once all get the same key.
[[nodiscard]] KeptKey read_or_make_key_file(const std::string& path);

/// Puts a new key in the place of the one that is there, if any. Throws Error(local_file).
[[nodiscard]] Key replace_key_file(const std::string& path);

/// The same with a key that there is already.
void write_key_file(const std::string& path, const Key& key);

}  // namespace adoc
