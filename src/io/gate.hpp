#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "io/tcp_listener.hpp"
#include "io/tls_context.hpp"
#include "io/tls_stream.hpp"
#include "util/clock.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// Takes connections and lets in those that prove to have the key. The others cost one thread
/// between them all, little memory, and nobody's time: they are sent away after a while, and when
/// many come at once, the oldest make room. Used by one thread.
class Gate {
 public:
  /// Told of each connection that is not let in, why in words like "it does not have the key"; must
  /// not throw.
  using Refused = std::function<void(std::string_view peer, std::string_view why)>;

  struct Setup {
    TcpListener& listener;
    const TlsContext& context;                                     ///< of the side that listens
    Refused refused{};                                             ///< may be empty
    std::chrono::milliseconds patience = std::chrono::seconds(5);  ///< for one handshake
    std::size_t most_guests = 64;
  };

  explicit Gate(Setup setup);
  ~Gate();

  /// The next that is let in; null on a stop request, and then for good. Between two calls nobody
  /// is waited for, and the time of those who wait goes on. Throws what TcpListener::accept() does.
  [[nodiscard]] std::unique_ptr<Stream> next(const std::stop_token& stop);

 private:
  struct Guest;
  using GuestPtr = std::unique_ptr<Guest>;

  void take_arrivals();
  void make_room();
  void attend(Guest& guest);
  void begin(Guest& guest);
  void send_away(Guest& guest, std::string_view why);
  void tell_in_plain(Guest& guest);
  void refuse(const Guest& guest, std::string_view why) const;
  void wait();

  Setup setup_;
  Wakeup stopped_;
  std::vector<GuestPtr> guests_;  ///< in the order of their coming
  std::deque<std::unique_ptr<Stream>> let_in_;
  Clock::time_point accepts_at_{};  ///< not before, for lack of descriptors
  bool is_stopped_ = false;
};

}  // namespace adoc
