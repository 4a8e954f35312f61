#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>

#include "adoc/observer.hpp"
#include "adoc/options.hpp"
#include "source/outgoing_batch.hpp"
#include "transfer/backoff.hpp"
#include "transfer/send_session.hpp"
#include "util/clock.hpp"

namespace adoc {

/// Whether and when to connect again: to a receiver that is not there yet as long as it is waited
/// for, to one that was lost as long as that is tried and nothing is got across.
class Reconnecting {
 public:
  explicit Reconnecting(const SendOptions& options);

  /// For Backoff: another one each time.
  [[nodiscard]] static std::uint64_t seed();

  /// Of the one that comes; 0: the first.
  [[nodiscard]] unsigned attempt() const noexcept { return current().attempt(); }

  /// How long the attempt that comes may take. The first one has its time whatever is left.
  [[nodiscard]] std::chrono::milliseconds limit() const;

  /// After each session that was lost, of a connection since then. More is there when a batch was
  /// committed, or when the first one is wanted less of than the last time: what the connection
  /// merely swallowed does not count.
  void note_lost(const SendSession& session, Clock::time_point since,
                 const std::deque<OutgoingBatchPtr>& unsettled);

  /// A receiver that serves others, and maybe this transfer over a connection that is lost: it may
  /// find that out at any moment, and does not wait for long then.
  void note_sent_away(bool sent_away) noexcept { longest_ = sent_away ? kSoon : Backoff::kLongest; }

  /// Whether the receiver was heard at any time.
  [[nodiscard]] bool reached() const noexcept { return reached_; }

  /// Waits for the next attempt and gives its number; throws what failed when the time is over,
  /// Error(interrupted) on a stop request.
  unsigned wait(const Error& failed, Observer* observer, const std::stop_token& stop);

 private:
  [[nodiscard]] Backoff& current() noexcept { return reached_ ? lost_ : missing_; }
  [[nodiscard]] const Backoff& current() const noexcept { return reached_ ? lost_ : missing_; }
  [[nodiscard]] Error given_up(const Error& failed) const;

  static constexpr std::chrono::milliseconds kSoon{1'000};

  std::chrono::milliseconds timeout_;
  std::chrono::milliseconds longest_ = Backoff::kLongest;  ///< that the next wait may be
  Backoff missing_;
  Backoff lost_;
  bool reached_ = false;
  std::optional<std::uint64_t> wanted_;  ///< of the batch that will be offered first
};

/// The same within a session that outlives its connections: when all are lost, when to have another
/// one join. Used by one thread.
class Rejoining {
 public:
  Rejoining(std::chrono::milliseconds budget, Observer* observer)
      : backoff_(budget, Reconnecting::seed()), observer_(observer) {}

  /// The receiver waits for so long for one that joins, 0: for ever. Before the first next().
  void expect(std::chrono::milliseconds patience) noexcept;
  /// There is none, which is why, of a transfer of which so much has arrived: how long to wait
  /// before the next attempt. Throws Error(connect) when the time is over.
  [[nodiscard]] std::chrono::milliseconds next(const Error& why, std::uint64_t arrived);
  /// One has joined.
  void note_joined() noexcept { backoff_.connected(Clock::now()); }

  /// That next() has allowed since anything was got across.
  [[nodiscard]] unsigned attempt() const noexcept { return backoff_.attempt(); }

 private:
  Backoff backoff_;
  Observer* observer_;
  std::chrono::milliseconds longest_ = Backoff::kLongest;  ///< that the next wait may be
  std::uint64_t arrived_ = 0;
};

}  // namespace adoc
