#pragma once

#include <cstddef>
#include <optional>

namespace adoc {

/// How many connections a transfer uses: the fewest whose rate is within 5 % of what any number
/// would bring across. It starts with one and adds others as long as that raises the rate; then it
/// finds out whether fewer do, by halves between those that do and those that do not, and looks
/// again when the rate is another one. Going up, two samples that agree decide. Going down, where
/// one per cent counts, means decide: samples are taken until their scatter says that the mean is
/// known well enough, up to a limit. Where losses limit and no queue is seen there is room for
/// more, which needs no two rates that agree: it is doubled until there is a queue, or two steps
/// one after the other have brought nothing, as where a policer limits. A number at rest is too
/// small as soon as two samples have seen such room. A state machine: no clock, threads or I/O.
class StreamCount {
 public:
  /// A path with a shorter round trip is filled by one connection.
  static constexpr double kShortRoundTrip = 0.010;

  explicit StreamCount(std::size_t most) noexcept : most_(most) {}

  /// What was seen for a while, with the number that was in use all the time.
  struct Sample {
    double rate = 0;        ///< bytes a second that arrived
    bool is_limit = false;  ///< the path was what limited, all the time
    bool is_full = false;   ///< what was sent waited in a queue on its way
    double round_trip = 0;  ///< seconds, the shortest seen
    /// The path loses packets although it is not full, and the congestion control goes slower for
    /// that: each connection brings what the losses leave it, and that changes from one sample to
    /// the next, however many there are.
    bool loss_limits = false;
  };
  /// How many are to be used from now on.
  [[nodiscard]] std::size_t take(const Sample& sample) noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Whether neither more nor fewer are being tried.
  [[nodiscard]] bool is_at_rest() const noexcept { return phase_ == Phase::resting; }

 private:
  enum class Phase { climbing, descending, resting };

  /// Samples of one rate.
  struct Rates {
    double sum = 0;
    int number = 0;

    void add(const Rates& rates) noexcept {
      sum += rates.sum;
      number += rates.number;
    }
    [[nodiscard]] double mean() const noexcept { return sum / number; }
  };

  void climb(const Sample& sample, bool agrees, bool has_room) noexcept;
  void descend(bool has_room) noexcept;
  void rest(const Sample& sample, bool agrees, bool has_room) noexcept;
  void use(std::size_t count) noexcept;
  /// Tries the next number that may be enough, or rests with the one that is.
  void try_fewer() noexcept;
  /// Of the number in use, which is tried; nothing: more samples are needed.
  [[nodiscard]] std::optional<bool> are_enough() const noexcept;
  /// Of a sample, relative. Of two samples each has a part in their difference.
  [[nodiscard]] double variance() const noexcept { return squares_ / (2 * differences_); }
  [[nodiscard]] std::size_t more(double factor) const noexcept;

  /// Samples that are not looked at after a change: of connections that are being made, and go slow
  /// at first.
  static constexpr int kSettling = 1;
  static constexpr double kStep = 1.3;
  static constexpr double kLeap = 2;     ///< while the path is far from full
  static constexpr double kAgree = 0.1;  ///< two samples are of the same rate
  /// Of the rate, for which more are used: 0.05, less what means of some samples are off.
  static constexpr double kWorth = 0.04;
  static constexpr double kKnown = 0.01;  ///< how well the best is, before fewer are tried
  static constexpr int kLeastLooks = 2;   ///< at a number that is tried
  static constexpr int kMostLooks = 8;
  static constexpr double kSure = 1.5;       ///< standard errors
  static constexpr double kOtherRate = 0.3;  ///< the path is another one than before
  /// Samples after which it is found out anew, with the same rate; doubled each time.
  static constexpr int kRest = 40;
  static constexpr int kLongestRest = 1'280;

  std::size_t most_;
  std::size_t count_ = 1;
  std::size_t before_ = 1;  ///< the step before
  Phase phase_ = Phase::climbing;
  double rate_before_ = 0;   ///< with `before_`; at rest, as it began
  double full_rate_ = 0;     ///< at which there was a queue, since it was at rest
  bool in_vain_ = false;     ///< the latest step up has brought nothing
  bool is_refuted_ = false;  ///< two of them although there seemed to be room, until tried anew
  bool had_room_ = false;    ///< at the latest sample
  // Known on the way down.
  std::size_t enough_ = 1;
  std::size_t too_few_ = 0;
  Rates best_{};   ///< of all that were enough
  Rates rates_{};  ///< of the number in use
  /// Of relative differences between a sample and the next, and how many; one as if seen before.
  double squares_ = kAgree * kAgree / 4;
  int differences_ = 1;
  std::optional<double> latest_;
  int settling_ = 0;
  int rested_ = 0;
  int rest_ = kRest;
};

}  // namespace adoc
