#include "io/connect.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <initializer_list>

#include "io/name_lookup.hpp"
#include "util/clock.hpp"
#include "util/errno_error.hpp"
#include "util/seconds_text.hpp"

namespace adoc {

namespace {

/// RFC 8305, section 8: the Connection Attempt Delay.
constexpr std::chrono::milliseconds kAttemptDelay{250};

/// Beside the numbers of errors: no answer came in the time that there was.
constexpr int kNoAnswer = -1;

/// What the user may do about a failed connect.
const char* advice(int error_number) {
  switch (error_number) {
    case kNoAnswer:
    case ETIMEDOUT:
    case EHOSTUNREACH:
      return " (is the host up, and does a firewall let the port through?)";
    case ENETUNREACH:
      return " (is this machine on the network?)";
    default:
      return "";
  }
}

Hint hint(int error_number) {
  if (error_number == kNoAnswer) return Hint::look_at_timeout;
  return error_number == ECONNREFUSED ? Hint::start_receiver : Hint::none;
}

/// What says most of why nobody is there comes last: who refuses is up at least.
int significance(int error_number) {
  const std::initializer_list<int> order{ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, kNoAnswer,
                                         ECONNREFUSED};
  const auto* const found = std::find(order.begin(), order.end(), error_number);
  return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

/// Alternating families, each in the system's order, that of the first address first (RFC 8305,
/// section 4): where one family leads nowhere, the second attempt is of the other.
std::vector<Address> interleaved(std::vector<Address> addresses) {
  const auto second = std::stable_partition(
      addresses.begin(), addresses.end(),
      [family = addresses.front().family()](const Address& a) { return a.family() == family; });
  std::vector<Address> mixed;
  auto first = addresses.begin();
  for (auto other = second; first != second || other != addresses.end();) {
    if (first != second) mixed.push_back(*first++);
    if (other != addresses.end()) mixed.push_back(*other++);
  }
  return mixed;
}

}  // namespace

/// Attempts that are under way at once, each to one address.
class Connector::Race {
 public:
  explicit Race(Connector& connector)
      : candidates_(connector.candidates_),
        to_(connector.to_),
        stopped_(connector.stopped_),
        end_(to_.limit.count() != 0 ? Clock::now() + to_.limit : Clock::time_point::max()) {}

  /// The socket that is connected first; none when no address answers in time.
  Fd run() {
    auto next = std::ranges::find_if(candidates_, &Candidate::may_be_tried);
    while (true) {
      const auto now = Clock::now();
      const bool due = attempts_.empty() || now >= next_begin_;
      if (next != candidates_.end() && due) {
        if (Fd socket = begin(*next)) return socket;
        next = std::find_if(next + 1, candidates_.end(), std::mem_fn(&Candidate::may_be_tried));
      } else if (attempts_.empty()) {
        return {};
      } else if (now >= end_) {
        for (const Attempt& attempt : attempts_) attempt.candidate->outcome = kNoAnswer;
        return {};
      } else if (Fd socket = wait(next != candidates_.end() ? std::min(end_, next_begin_) : end_)) {
        return socket;
      }
    }
  }

 private:
  struct Attempt {
    Fd socket;
    Candidate* candidate;
  };

  /// Connected at once or, mostly, later.
  Fd begin(Candidate& candidate) {
    const Address& address = candidate.address;
    if (to_.tell)
      to_.tell({.step = Connecting::Step::connecting, .address = to_string(address.endpoint())});
    Fd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool done = socket && ::connect(socket.get(), address.get(), address.length) == 0;
    if (!done && socket && errno == EINPROGRESS) {
      next_begin_ = Clock::now() + kAttemptDelay;
      attempts_.push_back({std::move(socket), &candidate});
      return {};
    }
    candidate.outcome = done ? 0 : errno;
    return done ? std::move(socket) : Fd();
  }

  /// Until something has come of an attempt, or that time.
  Fd wait(Clock::time_point until) {
    std::vector<pollfd> polled;
    for (const Attempt& attempt : attempts_) polled.push_back({attempt.socket.get(), POLLOUT, 0});
    polled.push_back({stopped_.fd(), POLLIN, 0});
    const bool forever = until == Clock::time_point::max();
    if (::poll(polled.data(), polled.size(), forever ? -1 : poll_ms(until - Clock::now())) < 0) {
      if (errno != EINTR) throw errno_error(ErrorKind::internal, "wait for a connection", errno);
      return {};
    }
    if (polled.back().revents != 0) throw Error(ErrorKind::interrupted, "interrupted");
    for (std::size_t i = attempts_.size(); i-- > 0;) {
      if (polled[i].revents == 0) continue;
      Attempt attempt = take(i);
      int error_number = 0;
      socklen_t length = sizeof(error_number);
      ::getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &error_number, &length);
      attempt.candidate->outcome = error_number;
      if (error_number == 0) return std::move(attempt.socket);
      next_begin_ = Clock::now();
    }
    return {};
  }

  Attempt take(std::size_t i) {
    Attempt attempt = std::move(attempts_[i]);
    attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(i));
    return attempt;
  }

  std::vector<Candidate>& candidates_;
  const ConnectTo& to_;
  const Wakeup& stopped_;
  Clock::time_point end_;
  Clock::time_point next_begin_;
  std::vector<Attempt> attempts_;
};

Connector::Connector(const ConnectTo& to) : to_(to), on_stop_(to.stop, [this] { stopped_.set(); }) {
  if (to_.tell) to_.tell({.step = Connecting::Step::looking_up, .address = to_.peer.host});
  take(look_up(to_.peer, to_.limit, stopped_));
}

Connector::Connector(const ConnectTo& to, std::vector<Address> addresses)
    : to_(to), on_stop_(to.stop, [this] { stopped_.set(); }) {
  take(std::move(addresses));
}

void Connector::take(std::vector<Address> addresses) {
  for (const Address& address : interleaved(std::move(addresses))) candidates_.push_back({address});
}

std::unique_ptr<TcpStream> Connector::next() {
  Fd socket = Race(*this).run();
  if (!socket) throw unreachable();
  return std::make_unique<TcpStream>(std::move(socket), to_string(to_.peer));
}

bool Connector::has_more() const {
  return std::ranges::any_of(candidates_, &Candidate::may_be_tried);
}

Error Connector::unreachable() const {
  const auto why = [&](int outcome) {
    return outcome == kNoAnswer ? "no answer for " + seconds_text(to_.limit) : errno_text(outcome);
  };
  const int first = candidates_.front().outcome.value_or(kNoAnswer);
  int best = first;
  bool alike = true;
  std::string each;
  for (const Candidate& candidate : candidates_) {
    const int outcome = candidate.outcome.value_or(kNoAnswer);
    if (outcome == 0) continue;
    alike = alike && outcome == first;
    if (significance(outcome) > significance(best)) best = outcome;
    each += (each.empty() ? "" : ", ") + candidate.address.endpoint().host + ": " + why(outcome);
  }
  return {ErrorKind::connect,
          "cannot reach " + to_string(to_.peer) + ": " + (alike ? why(first) : each), hint(best),
          advice(best)};
}

std::unique_ptr<TcpStream> connect_tcp(const ConnectTo& to) {
  auto stream = Connector(to).next();
  tell_connected(to, *stream);
  return stream;
}

void tell_connected(const ConnectTo& to, const TcpStream& stream) {
  if (to.tell)
    to.tell(
        {.step = Connecting::Step::connected, .address = to_string(peer_endpoint(stream.fd()))});
}

}  // namespace adoc
