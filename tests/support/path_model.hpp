#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

namespace adoc::testkit {

/// From this second on the path carries so many bytes a second.
struct RateStep {
  double at_seconds = 0;
  double bytes_per_second = 0;
};

/// A limit on a rate that has no queue, as providers set it: a packet for which there are no tokens
/// left is dropped. The bucket is full at first.
struct Policer {
  double bytes_per_second = 0;
  double burst_bytes = 0;  ///< what the bucket holds
};

/// One direction of a path between two machines.
struct PathSetup {
  std::vector<RateStep> rate{};  ///< ascending, the first at 0
  double delay_seconds = 0;      ///< of each packet, behind the bottleneck
  double queue_bytes = std::numeric_limits<double>::infinity();  ///< in front of it
  std::optional<Policer> policer{};                              ///< in front of the queue
  double loss = 0;                ///< the chance of a packet to be lost behind it
  double reordering = 0;          ///< the chance of a packet to take longer than others,
  double reordering_seconds = 0;  ///< by so much
  std::uint64_t seed = 1;
};

/// What a path does to packets: perhaps a policer, a bottleneck with a drop-tail queue in front of
/// it, and behind it a way that takes time, on which some are lost and some are overtaken. Has no
/// clock: the same seed and the same packets at the same seconds have the same fate, in virtual
/// time as in real time.
class PathModel {
 public:
  explicit PathModel(PathSetup setup);

  /// A packet comes, no earlier than the one before. Tells when it arrives; nothing: never.
  [[nodiscard]] std::optional<double> pass(double seconds, std::size_t bytes);

  /// Bytes in front of the bottleneck.
  [[nodiscard]] double queued(double seconds) const noexcept;

  [[nodiscard]] std::uint64_t passed() const noexcept { return passed_; }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }  ///< the queue was full
  [[nodiscard]] std::uint64_t policed() const noexcept { return policed_; }  ///< and dropped
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  [[nodiscard]] double carried(double from, double to) const noexcept;
  /// When so many bytes are through that begin then; infinity if the path has stopped for ever.
  [[nodiscard]] double through(double from, double bytes) const noexcept;
  [[nodiscard]] bool happens(double chance);
  /// Whether the policer lets so many bytes pass.
  [[nodiscard]] bool has_tokens(double seconds, double bytes) noexcept;

  PathSetup setup_;
  std::mt19937_64 random_;
  double free_at_ = 0;  ///< when the bottleneck has nothing left
  std::uint64_t passed_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t policed_ = 0;
  std::uint64_t lost_ = 0;
  double tokens_ = 0;  ///< of the policer
  double filled_at_ = 0;
};

}  // namespace adoc::testkit
