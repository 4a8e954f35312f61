#include <charconv>

#include "adoc/error.hpp"
#include "adoc/options.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage, adoc::quoted(text) + " is not HOST[:PORT]: " + why);
}

std::uint16_t parse_port(const std::string& text, std::string_view port) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc{} || end != port.data() + port.size() || value > 65'535)
    refuse(text, "the port is a number from 0 to 65535");
  return static_cast<std::uint16_t>(value);
}

}  // namespace

Endpoint parse_endpoint(const std::string& text) {
  if (text.empty()) refuse(text, "it is empty");
  for (const char c : text)
    if (c == '/' || static_cast<unsigned char>(c) <= ' ')
      refuse(text, "a host has no such character");
  if (text.front() == '[') {
    const std::size_t close = text.find(']');
    if (close == std::string::npos) refuse(text, "the ] is missing");
    Endpoint endpoint{text.substr(1, close - 1)};
    if (endpoint.host.empty()) refuse(text, "the address is missing");
    const std::string rest = text.substr(close + 1);
    if (rest.empty()) return endpoint;
    if (rest.front() != ':') refuse(text, "after ] comes :PORT");
    endpoint.port = parse_port(text, std::string_view(rest).substr(1));
    return endpoint;
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text};
  if (text.find(':', colon + 1) != std::string::npos)
    refuse(text, "an IPv6 address goes in brackets, as in [::1]:4400");
  if (colon == 0) refuse(text, "the host is missing");
  return {text.substr(0, colon), parse_port(text, std::string_view(text).substr(colon + 1))};
}

std::string to_string(const Endpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

}  // namespace adoc
