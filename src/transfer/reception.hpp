#pragma once

#include <atomic>
#include <optional>
#include <stop_token>

#include "io/gate.hpp"
#include "transfer/waiting_room.hpp"
#include "util/wakeup.hpp"
#include "wire/hello.hpp"

namespace adoc {

/// Everybody who is not served yet: those at the gate, and those who wait for their turn. One
/// thread looks after all of them, and gives out those who can be served.
class Reception {
 public:
  struct Setup {
    TcpListener& listener;
    ReverseConnections* reverse = nullptr;  ///< Gate::Setup::reverse
    const TlsContext* context;              ///< null: nothing is encrypted
    Hello hello;                            ///< of this side
    std::chrono::milliseconds timeout;
    std::size_t most_transfers;
    std::size_t most_guests;
    std::size_t most_waiting;
    Gate::Refused refused;
    ErrorWords words{};                                              ///< ReceiveOptions::words
    std::function<bool(const StreamToken&, JoiningStream&)> join{};  ///< WaitingRoom::Setup::join
  };

  explicit Reception(Setup setup);

  /// The next to be served, once fewer than the most are; none on a stop request, or when it is
  /// time. One thread. Throws Error(connect) when the listener is of no use any more.
  [[nodiscard]] std::optional<Turn> next(const std::stop_token& stop,
                                         Clock::time_point until = Clock::time_point::max());
  /// Until the stop request: those who come are told at once that nobody else is served, which is
  /// `why`. In place of next(), by one thread. Throws nothing: at worst they hear nothing.
  void send_others_away(const std::stop_token& until, const std::exception_ptr& why) noexcept;
  /// One that next() gave has been served. Any thread.
  void served() noexcept;
  /// Whether somebody waits for that. Any thread.
  [[nodiscard]] const std::atomic<bool>& others_wait() const noexcept { return others_wait_; }

 private:
  void look_after(Clock::time_point until);

  std::size_t most_transfers_;
  Gate::Refused refused_;
  Gate gate_;
  WaitingRoom room_;
  PollSet set_;
  Wakeup stopped_;
  Wakeup changed_;
  std::atomic<std::size_t> transfers_ = 0;
  std::atomic<bool> others_wait_ = false;
};

}  // namespace adoc
