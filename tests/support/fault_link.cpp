#include "support/fault_link.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "util/errno_error.hpp"

namespace adoc::testkit {

namespace {

using namespace std::chrono_literals;

/// How long a connection waits for the one that is to overtake it.
constexpr auto kOvertakeLimit = 200ms;

[[noreturn]] void fail(const char* what) { throw errno_error(ErrorKind::internal, what, errno); }

sockaddr_in socket_address(std::uint32_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(host);
  return address;
}

Fd new_socket() {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) fail("make a socket");
  return socket;
}

void set_option(const Fd& socket, int level, int name, int value) {
  ::setsockopt(socket.get(), level, name, &value, sizeof(value));
}

}  // namespace

FaultLink::FaultLink(std::uint16_t behind, LinkPlan plan, std::uint32_t address_of_both)
    : plan_(std::move(plan)), behind_(behind), address_(address_of_both), listener_(new_socket()) {
  sockaddr_in address = socket_address(address_, 0);
  socklen_t length = sizeof(address);
  if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
    fail("listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this] { run(); });
}

FaultLink::~FaultLink() {
  stopped_.set();
  thread_.join();
}

void FaultLink::run() {
  std::vector<pollfd> polled;
  while (true) {
    polled.assign({{stopped_.fd(), POLLIN, 0}, {listener_.get(), POLLIN, 0}});
    Clock::time_point again = Clock::now() + 1h;
    if (!arrived_.empty()) again = arrived_.front().latest + kOvertakeLimit;
    for (Connection& connection : under_way_) again = std::min(again, look(connection, polled));
    const auto wait = std::max<std::chrono::nanoseconds>(again - Clock::now(), 0ns);
    const timespec limit{.tv_sec = wait / 1s, .tv_nsec = wait % 1s / 1ns};
    if (::ppoll(polled.data(), polled.size(), &limit, nullptr) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    if (polled[1].revents != 0) accept();
    connect_onwards();
    for (Connection& connection : under_way_)
      for (const std::size_t way : {0U, 1U}) pump(connection, way);
    under_way_.remove_if([](const Connection& connection) { return !connection.ends[0]; });
  }
}

void FaultLink::accept() {
  Connection connection{.number = accepted_, .latest = Clock::now()};
  connection.ends[0] = Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.ends[0]) return;
  ++accepted_;
  arrived_.push_back(std::move(connection));
}

void FaultLink::connect_onwards() {
  while (!arrived_.empty()) {
    auto first = arrived_.begin();
    const bool overtaken = first->number == plan_.reordered;
    if (overtaken && arrived_.size() == 1 && Clock::now() < first->latest + kOvertakeLimit) return;
    if (overtaken) plan_.reordered = LinkPlan::kAny;
    if (overtaken && arrived_.size() > 1) ++first;
    Connection connection = std::move(*first);
    arrived_.erase(first);
    connection.ends[1] = new_socket();
    const sockaddr_in address = socket_address(address_, behind_);
    if (::connect(connection.ends[1].get(), reinterpret_cast<const sockaddr*>(&address),
                  sizeof(address)) != 0) {
      reset(connection);
      continue;
    }
    for (const Fd& end : connection.ends) set_option(end, IPPROTO_TCP, TCP_NODELAY, 1);
    connection.latest = Clock::now();
    ++connections_;
    under_way_.push_back(std::move(connection));
  }
}

FaultLink::Clock::time_point FaultLink::look(Connection& connection, std::vector<pollfd>& polled) {
  const Clock::time_point now = Clock::now();
  Clock::time_point again = now + 1h;
  if (plan_.idle_limit != 0ms) again = connection.latest + plan_.idle_limit;
  for (const std::size_t way : {0U, 1U}) {
    const Flow& flow = connection.flows[way];
    if (flow.held.empty() && !flow.read_to_end)
      polled.push_back({connection.ends[way].get(), POLLIN, 0});
    else if (flow.due > now)
      again = std::min(again, flow.due);
    else if (!flow.held.empty())
      polled.push_back({connection.ends[1 - way].get(), POLLOUT, 0});
  }
  return again;
}

void FaultLink::pump(Connection& connection, std::size_t way) {
  if (!connection.ends[0]) return;
  Flow& flow = connection.flows[way];
  take(connection, way);
  strike(connection, way);
  if (!connection.ends[0]) return;
  const Clock::time_point now = Clock::now();
  if (!flow.held.empty() && now >= flow.due) {
    const ssize_t sent = flow.over ? std::ssize(flow.held)
                                   : ::send(connection.ends[1 - way].get(), flow.held.data(),
                                            room(connection, way), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      flow.held.erase(flow.held.begin(), flow.held.begin() + sent);
      flow.passed += static_cast<std::uint64_t>(sent);
      connection.latest = now;
      strike(connection, way);
    } else if (errno != EAGAIN && errno != EINTR) {
      // Nobody takes it any more. What that side has said before it went still gets through.
      flow.over = true;
      flow.held.clear();
    }
  }
  if (!connection.ends[0]) return;
  if (flow.read_to_end && flow.held.empty() && !flow.over) {
    ::shutdown(connection.ends[1 - way].get(), SHUT_WR);
    flow.over = true;
  }
  const bool ended = connection.flows[0].read_to_end && connection.flows[1].read_to_end &&
                     connection.flows[0].over && connection.flows[1].over;
  const bool idle = plan_.idle_limit != 0ms && now - connection.latest > plan_.idle_limit;
  if (ended)
    for (Fd& end : connection.ends) end.reset();
  else if (idle)
    reset(connection);
}

void FaultLink::take(Connection& connection, std::size_t way) {
  Flow& flow = connection.flows[way];
  if (!flow.held.empty() || flow.read_to_end) return;
  flow.held.resize(plan_.most_at_once);
  const ssize_t got =
      ::recv(connection.ends[way].get(), flow.held.data(), flow.held.size(), MSG_DONTWAIT);
  const int error_number = errno;
  flow.held.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (got > 0) {
    auto time = std::chrono::nanoseconds(plan_.delay);
    if (plan_.bytes_per_second != 0)
      time +=
          std::chrono::nanoseconds(1s) * static_cast<std::uint64_t>(got) / plan_.bytes_per_second;
    flow.due = std::max(flow.due, Clock::now() + time);
  } else if (got == 0) {
    flow.read_to_end = true;
  } else if (error_number != EAGAIN && error_number != EINTR) {
    reset(connection);
  }
}

std::size_t FaultLink::room(const Connection& connection, std::size_t way) const {
  const Flow& flow = connection.flows[way];
  std::uint64_t room = flow.held.size();
  for (const LinkFault& fault : plan_.faults)
    if (fault.connection == connection.number && static_cast<std::size_t>(fault.way) == way &&
        fault.at > flow.passed)
      room = std::min(room, fault.at - flow.passed);
  return static_cast<std::size_t>(room);
}

void FaultLink::strike(Connection& connection, std::size_t way) {
  Flow& flow = connection.flows[way];
  for (auto fault = plan_.faults.begin(); fault != plan_.faults.end();) {
    const bool here = fault->connection == connection.number &&
                      static_cast<std::size_t>(fault->way) == way && fault->at == flow.passed &&
                      !flow.over;
    if (!here || (fault->kind == LinkFault::Kind::flip && flow.held.empty())) {
      ++fault;
      continue;
    }
    const LinkFault happening = *fault;
    fault = plan_.faults.erase(fault);
    ++struck_;
    switch (happening.kind) {
      case LinkFault::Kind::reset:
        return reset(connection);
      case LinkFault::Kind::finish:
        ::shutdown(connection.ends[1 - way].get(), SHUT_WR);
        flow.over = true;
        break;
      case LinkFault::Kind::flip:
        flow.held.front() ^= std::byte{1} << (happening.bit % 8);
        break;
      case LinkFault::Kind::stall:
        flow.due = Clock::now() + happening.time;
        break;
      case LinkFault::Kind::call:
        plan_.on_call(happening.what);
        break;
    }
  }
}

void FaultLink::reset(Connection& connection) noexcept {
  const ::linger at_once{.l_onoff = 1, .l_linger = 0};
  for (Fd& end : connection.ends) {
    if (end) ::setsockopt(end.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    end.reset();
  }
}

}  // namespace adoc::testkit
