#include "cli/save_key.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "adoc/error.hpp"
#include "cli/exit_code.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "util/errno_error.hpp"
#include "util/wakeup.hpp"

namespace adoc::cli {
namespace {

/// A key is shorter; what is longer is something else.
constexpr std::size_t kMostBytes = 256;

/// The terminal behind standard input shows nothing of what is typed.
class NoEcho {
 public:
  NoEcho() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;
  ~NoEcho() {
    if (!changed_) return;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    static_cast<void>(write_all(STDERR_FILENO, "\n"));
  }

 private:
  termios before_{};
  bool changed_ = false;
};

/// Wiped from memory when it goes.
struct Typed {
  std::array<char, kMostBytes> text{};

  ~Typed() { ::explicit_bzero(text.data(), text.size()); }
};

/// The key in all of standard input, or in its first line.
Key read_key(bool first_line, const std::stop_token& stop) {
  Wakeup stopped;
  const std::stop_callback on_stop(stop, [&stopped] { stopped.set(); });
  Typed typed;
  auto& text = typed.text;
  std::size_t size = 0;
  while (size < text.size()) {
    if (stopped.wait_for(STDIN_FILENO, POLLIN) == Wakeup::Result::woken)
      throw Error(ErrorKind::interrupted, "interrupted, no key is saved");
    const ssize_t got = ::read(STDIN_FILENO, text.data() + size, text.size() - size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw errno_error(ErrorKind::local_file, "read standard input", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (first_line && text[size - 1] == '\n') break;
  }
  return Key::parse({text.data(), size});
}

Key ask_for_key(const std::string& peer, const std::stop_token& stop) {
  if (::isatty(STDIN_FILENO) != 1) return read_key(false, stop);
  // What was typed before is dropped, so whoever answers the question must not have seen it yet.
  const NoEcho quiet;
  static_cast<void>(write_all(STDERR_FILENO, "the key of " + peer +
                                                 " (adoc-recv --show-key prints it there; nothing "
                                                 "is shown here): "));
  return read_key(true, stop);
}

}  // namespace

int save_key(const PeerName& peer) {
  const std::string name = to_string(peer);
  if (is_this_machine(peer) && !peer.port)
    throw Error(ErrorKind::usage, name +
                                      " is this machine, whose own key needs not be saved; a port "
                                      "of it that leads elsewhere, as of a tunnel, is " +
                                      name + ":PORT");
  const StopOnSignals signals;
  const std::string file = peer_key_file(peer);
  const Key key = ask_for_key(name, signals.token());
  const bool replaced = std::filesystem::exists(file);
  write_key_file(file, key);
  spdlog::info("the key of {} is in {}{}", name, file, replaced ? ", in place of the old one" : "");
  if (!is_this_machine(peer) && is_own_key(key))
    spdlog::warn(
        "warning: this machine's own receiver has the same key: adoc-recv --new-key here makes it "
        "another one, and until then nothing is sent to {}",
        name);
  return kExitDone;
}

}  // namespace adoc::cli
