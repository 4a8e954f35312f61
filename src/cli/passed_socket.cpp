#include "cli/passed_socket.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include "adoc/error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

/// Where the protocol has the first one.
constexpr int kFirstPassed = 3;

/// Removes it, since it is for this process and none that it starts.
std::optional<std::string> take_variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string text = value;
  ::unsetenv(name);
  return text;
}

long positive_number(const std::string& name, const std::string& text) {
  long number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || number <= 0)
    throw Error(ErrorKind::usage, name + " is " + adoc::quoted(text) +
                                      " and not a number above 0, as a service manager sets it");
  return number;
}

}  // namespace

Fd take_passed_socket() {
  const auto process = take_variable("LISTEN_PID");
  const auto count = take_variable("LISTEN_FDS");
  static_cast<void>(take_variable("LISTEN_FDNAMES"));
  if (!process || !count) return {};
  if (positive_number("LISTEN_PID", *process) != ::getpid()) return {};
  if (positive_number("LISTEN_FDS", *count) != 1)
    throw Error(ErrorKind::usage, "LISTEN_FDS is " + printable(*count) +
                                      ", and only one socket can be listened on: one that has no "
                                      "address takes IPv6 and IPv4 (ListenStream=4400)");
  if (::fcntl(kFirstPassed, F_SETFD, FD_CLOEXEC) != 0)
    throw Error(ErrorKind::usage, "LISTEN_FDS is 1, and no descriptor 3 is open");
  return Fd(kFirstPassed);
}

}  // namespace adoc::cli
