#include "cli/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "adoc/error.hpp"
#include "util/errno_error.hpp"

namespace adoc::cli {
namespace {

std::string cannot_print(int error) {
  return "cannot write to standard output: " + errno_text(error);
}

}  // namespace

int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // One that does not wait by itself: whoever shares it may have made it so.
      pollfd polled{fd, POLLOUT, 0};
      ::poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0) throw Error(ErrorKind::local_file, cannot_print(error));
}

void Printer::print(std::string_view text) noexcept {
  int error = 0;
  status_.step_aside([&] { error = write_all(STDOUT_FILENO, text); });
  // Once: each line of a long list would fail the same way.
  if (error != 0 && !failed_.exchange(true)) spdlog::error("{}", cannot_print(error));
}

void fill_closed_standard_streams() noexcept {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free descriptor is this one. Opened the wrong way round on purpose.
    const int opened = ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    static_cast<void>(opened);
  }
}

}  // namespace adoc::cli
