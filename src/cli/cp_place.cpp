#include "cli/cp_place.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "adoc/error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage, adoc::quoted(text) + ": " + why);
}

std::uint16_t parse_port(std::string_view digits, const std::string& whole) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0)
    refuse(whole, "a port is a number from 1 to 65535");
  return port;
}

/// Of what ssh would read as an option, or run: a name that somebody else may have chosen.
void check_host(const std::string& host, const std::string& whole) {
  const std::string name = host.substr(host.rfind('@') + 1);
  if (name.empty()) refuse(whole, "there is no host before the colon");
  if (host.starts_with('@')) refuse(whole, "there is no user before the @");
  if (host.starts_with('-') || name.starts_with('-')) refuse(whole, "a host begins with no dash");
  if (std::ranges::any_of(host, [](char c) { return static_cast<unsigned char>(c) <= ' '; }))
    refuse(whole, "a host has no spaces");
}

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(std::string_view text, const std::string& whole) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hexadecimal(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hexadecimal(text[i + 2]) : -1;
    if (high < 0 || low < 0) refuse(whole, "% is not followed by two hexadecimal digits");
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

/// As scp reads it: the path is relative to the home directory, and absolute after a second slash.
Place parse_uri(const std::string& text, std::size_t scheme_bytes) {
  const std::string_view rest = std::string_view(text).substr(scheme_bytes);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  Place place;
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    place.port = parse_port(authority.substr(colon + 1), text);
    authority = authority.substr(0, colon);
  }
  place.host = decoded(authority, text);
  std::erase_if(place.host, [](char c) { return c == '[' || c == ']'; });
  if (slash < rest.size()) place.path = decoded(rest.substr(slash + 1), text);
  check_host(place.host, text);
  return place;
}

/// The colon behind the host; npos where there is none before the first slash.
std::size_t host_end(std::string_view text) {
  if (text.starts_with(':')) return std::string_view::npos;
  bool in_brackets = text.starts_with('[');
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '@' && i + 1 < text.size() && text[i + 1] == '[') in_brackets = true;
    if (text[i] == ']') in_brackets = false;
    if (text[i] == '/') return std::string_view::npos;
    if (text[i] == ':' && !in_brackets) return i;
  }
  return std::string_view::npos;
}

}  // namespace

Place parse_place(const std::string& text) {
  if (text.empty()) throw Error(ErrorKind::usage, "a path is empty");
  for (const std::string_view scheme : {"ssh://", "scp://", "sftp://"})
    if (text.starts_with(scheme)) return parse_uri(text, scheme.size());
  const std::size_t colon = host_end(text);
  if (colon == std::string_view::npos) return {.path = text};
  Place place{.host = text.substr(0, colon), .path = text.substr(colon + 1)};
  std::erase_if(place.host, [](char c) { return c == '[' || c == ']'; });
  check_host(place.host, text);
  return place;
}

std::string to_string(const Place& place) {
  return place.is_far() ? place.host + ":" + place.path : place.path;
}

}  // namespace adoc::cli
