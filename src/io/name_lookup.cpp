#include "io/name_lookup.hpp"

#include <poll.h>

#include <exception>
#include <memory>
#include <system_error>
#include <thread>

#include "util/clock.hpp"
#include "util/errno_error.hpp"
#include "util/seconds_text.hpp"

namespace adoc {

namespace {

/// Belongs to whoever asks and to whoever waits, because either may be the last.
struct Answer {
  Wakeup there;
  std::vector<Address> addresses;
  std::exception_ptr failure;
};

void ask(Answer& answer, const Endpoint& peer) noexcept {
  try {
    answer.addresses = resolve(peer, Purpose::connect);
  } catch (...) {
    answer.failure = std::current_exception();
  }
  answer.there.set();
}

/// getaddrinfo() cannot be told to stop, and without an answer takes half a minute. Who asks
/// touches nothing but the answer, so it is left to itself once nobody waits any more.
class Asking {
 public:
  Asking(std::shared_ptr<Answer> answer, const Endpoint& peer) {
    try {
      thread_ = std::thread([answer = std::move(answer), peer] { ask(*answer, peer); });
    } catch (const std::system_error& error) {
      throw errno_error(ErrorKind::internal, "start a thread", error.code().value());
    }
  }
  ~Asking() {
    if (thread_.joinable()) thread_.detach();
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  void has_answered() { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

std::vector<Address> look_up(const Endpoint& peer, std::chrono::milliseconds limit,
                             const Wakeup& stopped) {
  if (auto addresses = numeric_addresses(peer); !addresses.empty()) return addresses;
  const auto answer = std::make_shared<Answer>();
  Asking asking(answer, peer);
  const int limit_ms = limit.count() == 0 ? -1 : poll_ms(limit);
  switch (stopped.wait_for(answer->there.fd(), POLLIN, limit_ms)) {
    case Wakeup::Result::woken:
      throw Error(ErrorKind::interrupted, "interrupted");
    case Wakeup::Result::timed_out:
      throw Error(ErrorKind::connect,
                  "cannot find the address of " + peer.host +
                      ": the name servers do not answer for " + seconds_text(limit),
                  Hint::look_at_timeout);
    case Wakeup::Result::ready:
      break;
  }
  asking.has_answered();
  if (answer->failure) std::rethrow_exception(answer->failure);
  return std::move(answer->addresses);
}

}  // namespace adoc
