#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "io/poll_set.hpp"
#include "io/reverse_connections.hpp"
#include "io/seen_hellos.hpp"
#include "io/tcp_listener.hpp"
#include "io/tls_context.hpp"
#include "io/tls_stream.hpp"

namespace adoc {

/// Takes connections and lets in those that prove to have the key or, where there is none, say a
/// sender's hello. The others cost one thread between them all, little memory, and nobody's time:
/// they are sent away after a while, and when many come at once, those of the address with the most
/// make room. Nothing that one of them does or lacks concerns the others. Used by one thread, which
/// waits for it together with other things: watch(), wait, attend(), take().
class Gate {
 public:
  /// Told of each connection that is not let in, why in words like "it does not have the key"; must
  /// not throw.
  using Refused = std::function<void(std::string_view peer, std::string_view why)>;

  struct Setup {
    TcpListener& listener;
    ReverseConnections* reverse = nullptr;  ///< whose connections come as well; null: none do
    const TlsContext* context;  ///< of the side that listens; null: nothing is encrypted
    Bytes greeting;             ///< this side's hello, for each that comes
    Refused refused{};          ///< may be empty
    ErrorWords words{};         ///< ReceiveOptions::words
    std::chrono::milliseconds patience = std::chrono::seconds(5);  ///< with each that is not in yet
    std::size_t most_guests = 64;
  };

  explicit Gate(Setup setup);
  ~Gate();

  /// Adds what it waits for; without `accepts` nobody new is taken, and those who come wait in the
  /// system's queue.
  void watch(PollSet& set, bool accepts);
  /// What happened since. Throws what TcpListener::accept_now() does, and nothing else.
  void attend(const PollSet& set);
  /// The next that is let in, greeted, nothing read from it yet; null when there is none.
  [[nodiscard]] std::unique_ptr<SocketStream> take() noexcept;

  /// Sends one away again that was let in: with these last bytes, and time to read them, as far as
  /// there is memory for that.
  void send_away(std::unique_ptr<SocketStream> stream, ByteSpan last_words) noexcept;

 private:
  struct Guest;
  using GuestPtr = std::unique_ptr<Guest>;

  void take_arrivals();
  void take_reverse();
  void take_in(TcpListener::Arrival arrival);
  void make_room();
  [[nodiscard]] Source with_most_guests() const;
  void attend(Guest& guest, short happened) noexcept;
  void hear(Guest& guest, short happened);
  void end(Guest& guest, const Error& error);
  void begin(Guest& guest, bool all_is_here);
  [[nodiscard]] bool begin_tls(Guest& guest, bool all_is_here);
  void begin_plain(Guest& guest, ByteSpan hello);
  void shake_hands(Guest& guest);
  void let_in(Guest& guest, std::unique_ptr<SocketStream> stream);
  void part(Guest& guest, std::string_view why, ByteSpan last_words = {});
  void refuse(const Guest& guest, std::string_view why) const;
  [[nodiscard]] std::string words_of(const Error& error) const;

  Setup setup_;
  std::vector<GuestPtr> guests_;  ///< in the order of their coming
  std::deque<std::unique_ptr<SocketStream>> let_in_;
  SeenHellos seen_;
  Clock::time_point accepts_at_{};  ///< not before, for lack of something
  std::size_t listener_number_ = 0;
  std::size_t reverse_number_ = 0;
  std::size_t guest_number_ = 0;  ///< of the first one; those that come later are not watched yet
  std::size_t watched_guests_ = 0;
};

}  // namespace adoc
