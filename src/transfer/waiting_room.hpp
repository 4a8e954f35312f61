#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adoc/options.hpp"
#include "io/bundle_state.hpp"
#include "io/poll_set.hpp"
#include "io/socket_stream.hpp"
#include "util/bytes.hpp"
#include "util/clock.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// A sender whose turn it is, and what was said before.
struct Turn {
  std::unique_ptr<SocketStream> stream{};
  Bytes heard{};                    ///< from it
  std::uint64_t dropped_bytes = 0;  ///< of keep-alives between
  Bytes unsaid{};                   ///< what it is to hear first; it has had this side's hello
  std::uint64_t said_bytes = 0;     ///< that it has had, the hello included
};

/// Senders that were let in and are not served yet. Each is waited for until it offers something:
/// one that hashes its files for an hour needs no place for a transfer meanwhile. Then they wait
/// for their turn, for as long as they like, and are told where they are. Nobody is waited for in
/// any call, and nothing that one of them does concerns the others. Used by one thread.
class WaitingRoom {
 public:
  struct Setup {
    std::chrono::milliseconds timeout;  ///< --timeout; 0: none
    std::size_t most = 0;
    /// Takes those that cannot stay, with a reason and what to tell them; must not throw.
    std::function<void(std::unique_ptr<SocketStream>, std::string_view why, ByteSpan last_words)>
        send_away;
    ErrorWords words{};  ///< ReceiveOptions::words
    /// Takes one that wants to join a transfer that is under way, by its token; false: there is
    /// none, or it lets no more join. Throws Error where it may come again.
    std::function<bool(const StreamToken&, JoiningStream&)> join{};
  };

  explicit WaitingRoom(Setup setup);
  ~WaitingRoom();

  /// One that has had this side's hello. It is dropped where there is no memory for it.
  void enter(std::unique_ptr<SocketStream> stream) noexcept;
  [[nodiscard]] bool is_full() const noexcept { return waiters_.size() >= setup_.most; }

  /// Adds what it waits for.
  void watch(PollSet& set);
  /// What happened since.
  void attend(const PollSet& set) noexcept;
  /// Tells those who wait for their turn, of so many transfers, what they have not been told.
  void tell_places(std::size_t transfers) noexcept;

  /// Sends all away that have said a hello, and tells them why, and how many transfers are served.
  void send_all_away(const std::exception_ptr& why, std::size_t transfers) noexcept;

  /// The one that has waited for its turn longest, if there is one.
  [[nodiscard]] std::optional<Turn> take() noexcept;
  /// How many wait for their turn.
  [[nodiscard]] std::size_t waiting() const noexcept { return queue_.size(); }

 private:
  struct Waiter;
  void attend(Waiter& waiter, short happened);
  void hear(Waiter& waiter);
  [[nodiscard]] bool joins(Waiter& waiter);
  [[nodiscard]] Turn turn_of(Waiter& waiter) const;
  void say(Waiter& waiter, ByteSpan words);
  void flush(Waiter& waiter);
  void send_away(Waiter& waiter, const std::exception_ptr& why) noexcept;
  void leave(Waiter& waiter, std::string_view why, ByteSpan last_words = {}) noexcept;
  [[nodiscard]] std::optional<Clock::time_point> deadline(const Waiter& waiter) const;
  void clear_out() noexcept;

  Setup setup_;
  const Bytes keep_alive_;  ///< made before memory may run out, as the next one
  const Bytes served_;      ///< what one is told whose turn it is
  std::vector<std::unique_ptr<Waiter>> waiters_;
  std::vector<Waiter*> queue_;  ///< those who wait for their turn, in the order of their offers
  std::size_t number_ = 0;      ///< of the first one in the PollSet
  std::size_t watched_ = 0;
};

}  // namespace adoc
