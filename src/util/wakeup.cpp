#include "util/wakeup.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "util/errno_error.hpp"

namespace adoc {

Wakeup::Wakeup() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw errno_error(ErrorKind::internal, "make an eventfd", errno);
}

void Wakeup::set() noexcept {
  const std::uint64_t one = 1;
  // The only way to fail is a full counter, which is set already.
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof(one));
}

void Wakeup::reset() noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(event_.get(), &count, sizeof(count));
}

bool Wakeup::is_set() const noexcept {
  pollfd polled{event_.get(), POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0;
}

Wakeup::Result Wakeup::wait_for(int fd, short events, int timeout_ms) const {
  std::array<pollfd, 2> polled{{{fd, events, 0}, {event_.get(), POLLIN, 0}}};
  int ready = 0;
  while ((ready = ::poll(polled.data(), polled.size(), timeout_ms)) < 0)
    if (errno != EINTR) throw errno_error(ErrorKind::internal, "wait for a descriptor", errno);
  if (ready == 0) return Result::timed_out;
  return polled[1].revents != 0 ? Result::woken : Result::ready;
}

}  // namespace adoc
