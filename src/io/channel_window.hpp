#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/clock.hpp"

namespace adoc {

/// How much may be on its way through something whose buffers cannot be seen, from when bytes were
/// sent and when they were said to have arrived. Follows BBR (Cardwell et al., 2016): the largest
/// delivery rate of late times the shortest round trip of late is what the link itself holds; all
/// above that waits somewhere. No clock, no threads.
class ChannelWindow {
 public:
  ChannelWindow();

  /// So many bytes are sent in all, now.
  void sent(std::uint64_t total, Clock::time_point now);
  /// The last sent() did not happen: nothing of it could be sent, and `total` was sent before.
  void take_back(std::uint64_t total) noexcept;
  /// Since the last sent() there was something to send, and the link was what it waited for.
  void held_up() noexcept { held_up_ = true; }
  /// So many of the sent bytes have arrived, now.
  void arrived(std::uint64_t total, Clock::time_point now);
  /// What may wait in front of the link, so that it never runs dry.
  void allow_waiting(std::size_t bytes) noexcept { waiting_bytes_ = bytes; }

  /// Bytes that may be on their way, those that wait included.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  /// That may be sent now; 0 also where it is too little to be worth while.
  [[nodiscard]] std::uint64_t room() const noexcept;
  /// A record that is sent at once: a few milliseconds of the link.
  [[nodiscard]] std::size_t record_bytes() const noexcept;

  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t arrived_bytes() const noexcept { return arrived_; }
  [[nodiscard]] std::uint64_t on_the_way() const noexcept { return sent_ - arrived_; }
  /// Of what is on its way, what surely waits for the link: neither does it hold that itself, nor
  /// may it be with a process that waits for a processor.
  [[nodiscard]] std::uint64_t waiting(Clock::time_point now) const noexcept;
  /// By how much the latest round trip was longer than the shortest and what waits explain; 0 where
  /// that is not clear.
  [[nodiscard]] double queue_seconds(Clock::time_point now) const noexcept;
  /// The delivery rate that the window is made of; 0: unknown.
  [[nodiscard]] double bytes_per_second() const noexcept;
  /// 0: unknown.
  [[nodiscard]] double shortest_round_trip() const noexcept { return round_trip_; }

 private:
  /// What was sent at once, and how far things were then.
  struct Sample {
    std::uint64_t total = 0;  ///< sent, this one included
    Clock::time_point at{};
    std::uint64_t arrived = 0;
    Clock::time_point arrived_at{};
    Clock::time_point arrived_sent_at{};  ///< when that was sent which had arrived last
    bool limited = false;                 ///< the link could have had more
  };

  static constexpr std::size_t kRateRounds = 5;

  [[nodiscard]] Sample& last() noexcept { return samples_[(first_ + count_ - 1) % kMostSamples]; }
  void learn_round_trip(double seconds, Clock::time_point now);
  void learn_rate(const Sample& sample, Clock::time_point now);
  void end_round();
  [[nodiscard]] double lately() const noexcept;
  [[nodiscard]] std::uint64_t sent_since(Clock::time_point then) const noexcept;
  [[nodiscard]] bool starts() const noexcept;

  static constexpr std::size_t kMostSamples = 512;
  std::vector<Sample> samples_;  ///< a ring of those on their way
  std::size_t first_ = 0;
  std::size_t count_ = 0;

  std::uint64_t sent_ = 0;
  std::uint64_t arrived_ = 0;
  Clock::time_point arrived_at_{};
  Clock::time_point arrived_sent_at_{};
  std::size_t waiting_bytes_ = 128 << 10;
  bool held_up_ = false;
  std::uint64_t limited_until_ = 0;  ///< what was sent until this has arrived tells no rate

  // A round is the time in which all arrives that was on its way when it began.
  std::array<double, kRateRounds> rates_{};  ///< the largest of each round, the present one first
  std::uint64_t round_end_ = 0;
  double rate_before_ = 0;
  int rounds_without_growth_ = 0;

  double round_trip_ = 0;
  double latest_round_trip_ = 0;
  Clock::time_point short_at_{};  ///< when a round trip was last about as short as that
  // What waits makes round trips longer: now and then nothing does, and the shortest is measured.
  bool drains_ = false;
  double shortest_of_drain_ = 0;
  Clock::time_point drained_at_{};
};

}  // namespace adoc
