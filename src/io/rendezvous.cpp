#include "io/rendezvous.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "adoc/error.hpp"
#include "io/address.hpp"
#include "util/clock.hpp"
#include "util/wakeup.hpp"

namespace adoc {

namespace {

/// Of strangers, who come to the port, and of the other side.
constexpr std::size_t kMostCandidates = 32;
/// What a sender has said at most before it is listened to in earnest.
constexpr std::size_t kMostHeard = 16 << 10;

TlsContext::Side side_of(Role role) {
  return role == Role::sender ? TlsContext::Side::connects : TlsContext::Side::listens;
}

}  // namespace

/// A connection that may become the one.
struct Rendezvous::Candidate {
  Fd connecting{};                   ///< until it is connected
  std::string peer{};                ///< then its address
  std::unique_ptr<TlsStream> tls{};  ///< from then on
  short waits_for = POLLOUT;
  bool proven = false;  ///< the other side has the key
  bool gone = false;
  bool arrived = false;  ///< the other side has connected

  [[nodiscard]] int fd() const noexcept { return tls ? tls->fd() : connecting.get(); }
};

Rendezvous::Rendezvous(const Key& key, Role role) : key_(key), role_(role) {
  try {
    listener_.emplace(Endpoint{.host = "*", .port = 0});
  } catch (const Error&) {
    // The other direction, or the slower way, is left.
  }
}

Rendezvous::~Rendezvous() = default;

std::uint16_t Rendezvous::port() const noexcept { return listener_ ? listener_->local().port : 0; }

void Rendezvous::prepare() {
  if (!context_) context_.emplace(key_, side_of(role_));
}

void Rendezvous::connect_to(const Endpoint& target) {
  for (const Address& address : numeric_addresses(target)) {
    if (candidates_.size() >= kMostCandidates) return;
    Fd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) continue;
    if (::connect(socket.get(), address.get(), address.length) != 0 && errno != EINPROGRESS)
      continue;
    auto candidate = std::make_unique<Candidate>();
    candidate->connecting = std::move(socket);
    candidate->peer = to_string(address.endpoint());
    candidates_.push_back(std::move(candidate));
  }
}

void Rendezvous::take_arrivals() {
  while (candidates_.size() < kMostCandidates) {
    TcpListener::Arrival arrival = listener_->accept_now();
    if (!arrival.stream) return;
    auto candidate = std::make_unique<Candidate>();
    candidate->tls = std::make_unique<TlsStream>(*context_, std::move(arrival.stream));
    candidate->arrived = true;
    candidate->waits_for = role_ == Role::sender ? POLLOUT : POLLIN;
    candidates_.push_back(std::move(candidate));
  }
}

bool Rendezvous::attend(Candidate& candidate, short happened, Bytes& heard) {
  if (happened == 0) return false;
  try {
    if (candidate.connecting) {
      int error_number = 0;
      socklen_t length = sizeof(error_number);
      ::getsockopt(candidate.connecting.get(), SOL_SOCKET, SO_ERROR, &error_number, &length);
      candidate.gone = error_number != 0;
      if (candidate.gone) return false;
      candidate.tls = std::make_unique<TlsStream>(
          *context_, std::make_unique<TcpStream>(std::move(candidate.connecting), candidate.peer));
    }
    return proceed(candidate, heard);
  } catch (const Error&) {
    // Whoever that is: it is not the other side, or it does not come through.
    candidate.gone = true;
    return false;
  }
}

bool Rendezvous::proceed(Candidate& candidate, Bytes& heard) {
  if (!candidate.proven) {
    const auto next = candidate.tls->handshake();
    if (next != TlsStream::Handshake::done) {
      candidate.waits_for = next == TlsStream::Handshake::reads ? POLLIN : POLLOUT;
      return false;
    }
    candidate.proven = true;
    candidate.waits_for = POLLIN;
    if (role_ == Role::sender) return true;
  }
  std::array<std::byte, kMostHeard> said{};
  const auto came = candidate.tls->read_now(said);
  if (!came) return false;
  candidate.gone = *came == 0;
  heard.assign(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(*came));
  return *came != 0;
}

Rendezvous::Meeting Rendezvous::meet(const Setup& setup) {
  Wakeup stopped;
  const std::stop_callback on_stop(setup.stop, [&] { stopped.set(); });
  prepare();
  const Clock::time_point end = Clock::now() + setup.patience;
  for (const Endpoint& target : setup.targets) connect_to(target);
  PollSet set;
  while (Clock::now() < end) {
    set.clear();
    set.wake_at(end);
    const std::size_t stop = set.add(stopped.fd(), POLLIN);
    const std::size_t slower = set.add(setup.slower_way, POLLIN);
    const bool takes = listener_ && candidates_.size() < kMostCandidates;
    const std::size_t arrivals = set.add(takes ? listener_->fd() : -1, POLLIN);
    const std::size_t watched = candidates_.size();
    for (const auto& candidate : candidates_) set.add(candidate->fd(), candidate->waits_for);
    set.wait();
    if (set.happened(stop) != 0) throw Error(ErrorKind::interrupted, "interrupted");
    for (std::size_t i = 0; i < watched; ++i) {
      Meeting meeting;
      if (attend(*candidates_[i], set.happened(arrivals + 1 + i), meeting.heard)) {
        meeting.stream = std::move(candidates_[i]->tls);
        meeting.arrived = candidates_[i]->arrived;
        candidates_.clear();
        return meeting;
      }
    }
    // After those: of what the sender has said over both, that over the direct one counts.
    const short on_slower = set.happened(slower);
    if ((role_ == Role::receiver && on_slower != 0) || (on_slower & (POLLHUP | POLLERR)) != 0)
      break;
    std::erase_if(candidates_, [](const auto& candidate) { return candidate->gone; });
    if (set.happened(arrivals) == 0) continue;
    try {
      take_arrivals();
    } catch (const Error&) {
      listener_.reset();
    }
  }
  candidates_.clear();
  return {};
}

}  // namespace adoc
