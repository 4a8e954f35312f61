#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "control/level_range.hpp"
#include "control/policy.hpp"
#include "io/stream.hpp"
#include "messages/descriptor.hpp"
#include "pipeline/scheduler.hpp"
#include "util/clock.hpp"

namespace adoc::messages {

/// The levels that there are: those of which a run leaves while it is being made are not told from
/// the others here, as a run leaves when it is whole.
[[nodiscard]] const Ladder& ladder();

/// Chooses what is made of the bytes of one direction: the policy and the scheduler of a transfer,
/// driven by the thread that writes, while it writes. The link's queue is what the system holds, so
/// what was written drains while the next run is compressed.
///
/// It is made with the first long message, and is some 100 KiB.
class Levels {
 public:
  Levels(Channel channel, LevelRange range, std::optional<PathMetrics> known);

  [[nodiscard]] const LevelRange& range() const noexcept { return range_; }
  /// For another range over the same link.
  [[nodiscard]] std::optional<PathMetrics> path_metrics() const { return policy_->path_metrics(); }

  struct Plan {
    Scheduler::Ticket ticket = 0;  ///< 0: nobody was asked
    std::size_t raw_bytes = 0;
    int level = 0;
  };
  /// For the first bytes of `message`, which is what is left of it. Waits for the link to drain, if
  /// the descriptor blocks. What becomes of it is to be told by done().
  [[nodiscard]] Plan next(int fd, ByteSpan message);
  void done(int fd, const Plan& plan, const Scheduler::Made& made);
  /// Bytes have been given to the system. Looks at the link, now and then.
  void written(int fd, std::size_t bytes);

  /// Whether so many bytes go plain without a look at the link, as the last decision said, and
  /// counts them: nothing else is to be asked, or told, of these.
  [[nodiscard]] bool stays_plain(std::size_t bytes) noexcept;

 private:
  /// Whether it is known to be, so that there is nothing to decide.
  [[nodiscard]] bool is_fast(int fd) const;
  [[nodiscard]] LinkState look(int fd);
  void wait_for_link(int fd, const Scheduler::Yield& yield);

  Channel channel_;
  LevelRange range_;
  std::unique_ptr<Policy> policy_;
  Scheduler scheduler_;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t arrived_bytes_ = 0;
  std::optional<std::uint64_t> arrived_before_{};  ///< what others had written to it
  double seconds_ = 0;  ///< without those in which there was nothing to send
  Clock::time_point looked_;
  std::uint64_t left_bytes_ = 0;  ///< of the message
  std::size_t rest_bytes_ = 0;    ///< of what the scheduler has had read
  /// Until then all goes plain, as the last decision said: deciding anew would take longer than a
  /// small share of the time that it decides about.
  Clock::time_point plain_until_;
  std::size_t plain_bytes_ = 0;  ///< until then, and before the system is asked again
};

/// Whether short messages are to be compressed: where the link takes so long for them that it costs
/// next to nothing to try. One direction of a TCP socket.
class ShortMessages {
 public:
  [[nodiscard]] bool pays(int fd, std::size_t bytes);
  /// It did, or did not, become shorter by at least a tenth.
  void tried(bool shrank) noexcept;

 private:
  std::uint32_t until_look_ = 0;
  std::uint32_t skip_ = 0;
  std::uint32_t skips_ = 1;
  double busy_seconds_ = 0;
  std::uint64_t arrived_bytes_ = 0;
  double seconds_per_byte_ = 0;
};

}  // namespace adoc::messages
