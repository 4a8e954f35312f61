#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <thread>
#include <vector>

#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc::testkit {

/// What happens to a connection when so many of its bytes have passed in one direction.
struct LinkFault {
  enum class Kind {
    reset,   ///< both ends find the connection reset
    finish,  ///< this direction ends here, as if its sender had; the other one goes on
    flip,    ///< one bit of the next byte is another
    stall,   ///< nothing passes in this direction for `time`
    call,    ///< nothing, but `on_call` is called with `what`
  };
  enum class Way : std::size_t { to_receiver, to_sender };

  Kind kind = Kind::reset;
  Way way = Way::to_receiver;
  std::uint64_t at = 0;  ///< bytes that have passed
  std::size_t connection = 0;
  unsigned bit = 0;
  std::chrono::milliseconds time{};
  int what = 0;
};

struct LinkPlan {
  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

  std::vector<LinkFault> faults{};
  std::uint64_t bytes_per_second = 0;   ///< each way; 0: as fast as it can
  std::chrono::microseconds delay{};    ///< of every byte
  std::size_t most_at_once = 64 << 10;  ///< bytes that are passed on in one piece
  std::size_t reordered = kAny;         ///< this connection arrives after the one that follows it
  std::chrono::milliseconds idle_limit{};  ///< connections are reset once nothing passes; 0: never
  std::function<void(int)> on_call{};      ///< from the link's thread
};

/// A link between two programs: connections to port() reach the port behind it, and what happens to
/// them on the way is the plan's. What happens depends on bytes, not on times, so that the same
/// plan does the same again. Runs in a thread of its own until destroyed.
class FaultLink {
 public:
  /// Both ends are at this address, in the order of the host.
  FaultLink(std::uint16_t behind, LinkPlan plan, std::uint32_t address = 0x7f000001);
  FaultLink(const FaultLink&) = delete;
  FaultLink& operator=(const FaultLink&) = delete;
  ~FaultLink();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// Connections that reached the port behind it.
  [[nodiscard]] std::size_t connections() const noexcept { return connections_; }
  /// Faults that happened.
  [[nodiscard]] std::size_t struck() const noexcept { return struck_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// One direction of one connection.
  struct Flow {
    std::vector<std::byte> held{};  ///< read and not yet passed on
    std::uint64_t passed = 0;
    Clock::time_point due{};  ///< when `held` is passed on
    bool read_to_end = false;
    bool over = false;  ///< what still comes is thrown away
  };
  struct Connection {
    std::size_t number = 0;
    std::array<Fd, 2> ends{};     ///< the sender's, the receiver's
    std::array<Flow, 2> flows{};  ///< to the receiver, to the sender
    Clock::time_point latest{};   ///< that something passed
  };

  void run();
  void accept();
  void connect_onwards();
  /// When it is to be looked at again although nothing is ready.
  [[nodiscard]] Clock::time_point look(Connection& connection, std::vector<pollfd>& polled);
  void pump(Connection& connection, std::size_t way);
  void take(Connection& connection, std::size_t way);
  void strike(Connection& connection, std::size_t way);
  [[nodiscard]] std::size_t room(const Connection& connection, std::size_t way) const;
  static void reset(Connection& connection) noexcept;

  LinkPlan plan_;
  std::uint16_t behind_;
  const std::uint32_t address_;
  std::uint16_t port_ = 0;
  Fd listener_;
  Wakeup stopped_;
  std::list<Connection> under_way_;
  std::list<Connection> arrived_;  ///< not yet connected onwards
  std::size_t accepted_ = 0;
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> struck_{0};
  std::jthread thread_;
};

}  // namespace adoc::testkit
