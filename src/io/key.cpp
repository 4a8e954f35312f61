#include "adoc/key.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "adoc/error.hpp"
#include "util/checksum.hpp"
#include "util/errno_error.hpp"

namespace adoc {

namespace {

constexpr std::string_view kPrefix = "adoc1";
/// Base32 of RFC 4648 in lower case: no sign that a shell, a terminal or a reader takes for
/// another.
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";

/// With this many the text has no bits left over.
constexpr std::size_t kKeyCheckBytes = 3;
using CheckedKey = std::array<std::byte, Key::kBytes + kKeyCheckBytes>;
constexpr std::size_t kTextLength = sizeof(CheckedKey) * 8 / 5;
static_assert(sizeof(CheckedKey) * 8 % 5 == 0);

/// Tells a slip of the hand from another key; it says nothing to those who do not have the key.
std::array<std::byte, kKeyCheckBytes> check_of(ByteSpan key) noexcept {
  const std::uint64_t hash = xxh3_64(key);
  return {static_cast<std::byte>(hash), static_cast<std::byte>(hash >> 8),
          static_cast<std::byte>(hash >> 16)};
}

[[noreturn]] void no_key(const std::string& why) {
  throw Error(
      ErrorKind::usage, "this is not a key: " + why, Hint::receiver_shows_key,
      ", " + std::string(kPrefix) + " and " + std::to_string(kTextLength) + " letters and digits");
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kWhite = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) - begin + 1);
}

}  // namespace

Key::Key(std::span<const std::byte, kBytes> bytes) noexcept {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

Key::~Key() { ::OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

Key Key::generate() {
  std::array<std::byte, kBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw errno_error(ErrorKind::internal, "get random numbers for a key", errno);
  const Key key(bytes);
  ::OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

Key Key::parse(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) no_key("it is empty");
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  if (text.size() < kPrefix.size() || !std::equal(kPrefix.begin(), kPrefix.end(), text.begin(),
                                                  [&](char a, char b) { return a == lower(b); }))
    no_key("it does not begin with " + std::string(kPrefix));
  text.remove_prefix(kPrefix.size());
  if (text.size() != kTextLength)
    no_key("it has " + std::to_string(text.size()) + " letters and digits after " +
           std::string(kPrefix) + ", not " + std::to_string(kTextLength));

  CheckedKey checked{};
  std::uint32_t bits = 0;
  unsigned count = 0;
  std::size_t at = 0;
  for (const char c : text) {
    const std::size_t digit = kAlphabet.find(lower(c));
    if (digit == std::string_view::npos) no_key("it holds a sign that no key has");
    bits = (bits << 5) | static_cast<std::uint32_t>(digit);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    checked[at++] = static_cast<std::byte>(bits >> count);
  }
  const std::span<const std::byte, kBytes> bytes = std::span(checked).first<kBytes>();
  const auto check = check_of(bytes);
  const bool right = std::equal(check.begin(), check.end(), checked.begin() + kBytes);
  const Key key(bytes);
  ::OPENSSL_cleanse(checked.data(), checked.size());
  if (!right) no_key("a letter or digit of it is wrong");
  return key;
}

// The key takes the place of what HKDF-Extract makes: it is as random as that.
Key Key::derive(std::string_view purpose) const {
  std::string info(purpose);
  info += '\x01';
  std::array<std::byte, kBytes> derived{};
  unsigned size = kBytes;
  const bool done = ::HMAC(::EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()),
                           reinterpret_cast<const unsigned char*>(info.data()), info.size(),
                           reinterpret_cast<unsigned char*>(derived.data()), &size) != nullptr;
  if (!done || size != kBytes) throw Error(ErrorKind::internal, "cannot derive a secret of a key");
  const Key key(derived);
  ::OPENSSL_cleanse(derived.data(), derived.size());
  return key;
}

std::string Key::text() const {
  CheckedKey checked{};
  std::copy(bytes_.begin(), bytes_.end(), checked.begin());
  const auto check = check_of(bytes_);
  std::copy(check.begin(), check.end(), checked.begin() + kBytes);
  std::string text(kPrefix);
  text.reserve(kPrefix.size() + kTextLength);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const std::byte byte : checked) {
    bits = (bits << 8) | std::to_integer<std::uint32_t>(byte);
    for (count += 8; count >= 5;) {
      count -= 5;
      text += kAlphabet[(bits >> count) & 31];
    }
  }
  ::OPENSSL_cleanse(checked.data(), checked.size());
  return text;
}

}  // namespace adoc
