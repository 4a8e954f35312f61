#include "io/poll_set.hpp"

#include <cerrno>
#include <limits>

#include "util/errno_error.hpp"

namespace adoc {

void PollSet::wait() {
  int timeout_ms = -1;
  if (until_ != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()).count();
    timeout_ms =
        static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
  }
  if (::poll(polled_.data(), polled_.size(), timeout_ms) >= 0) return;
  for (pollfd& polled : polled_) polled.revents = 0;
  // For lack of memory nothing is known, and the next wait may know: there is nobody to blame.
  if (errno != EINTR && errno != ENOMEM && errno != EAGAIN)
    throw errno_error(ErrorKind::internal, "wait for connections", errno);
}

}  // namespace adoc
