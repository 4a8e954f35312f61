#pragma once

#include <deque>
#include <optional>

#include "control/policy.hpp"

namespace adoc {

/// The rate of the link in bytes a second, followed over a sliding window.
///
/// Only a link that always has something to send shows its rate. Between two moments it surely had
/// when less has left this machine by the second than was there to be sent at the first. Otherwise
/// it may be any faster than thought, so the longer it waits, the faster it is guessed to be, until
/// it has to send again: a guess is given up for the least evidence. Where what has left this
/// machine waits in a queue on its way, the link does not wait, but how fast it is, is not seen
/// either, unless nothing is known yet: others may have filled the queue. What counts as sent is
/// what has arrived, since buffers on the way take their part at any rate; and of the time since
/// the link began to send, only the later half, since a shaper lets some pass as well.
///
/// A rate that is remembered of an earlier transfer counts for known, and is kept until so much has
/// arrived, or so much time has passed, that buffers on the way and the beginning of a connection
/// tell nothing else.
///
/// What a receiver that cannot keep up lets through is its own rate: the link is as much faster as
/// it says that it did not read, unless it had read all the time by the report before: buffers on
/// the way take what it does not read for a moment.
class LinkRate {
 public:
  /// What the system puts on the link at once, so that less may not have arrived yet.
  static constexpr double kAtOnceBytes = 64 << 10;

  /// Before anything is known: high enough that compressing fast keeps up with it, low enough that
  /// it is worth while.
  static constexpr double kFirstRate = 150e6;

  LinkRate() = default;
  /// Starts with a rate that is remembered, in bytes a second.
  explicit LinkRate(double remembered)
      : seen_(remembered),
        known_(true),
        remembered_(true),
        kept_(true),
        measured_seconds_(kRememberedSeconds) {}

  /// `served`: the threads that send get a processor when they need one, or soon.
  void see(const LinkState& link, bool served = true);

  [[nodiscard]] double bytes_per_second() const noexcept { return let_through() / flowing(); }
  /// Whether it was ever measured, or is remembered, and is not just the first guess.
  [[nodiscard]] bool known() const noexcept { return known_; }
  [[nodiscard]] bool remembered() const noexcept { return remembered_; }
  /// Whether it is what was remembered, with nothing known yet that says otherwise.
  [[nodiscard]] bool kept() const noexcept { return kept_; }
  /// What was measured or is remembered, where it is only guessed to be faster, since it waits.
  [[nodiscard]] std::optional<double> less_than_guessed() const noexcept {
    return known_ && guess_ > kClearlyGuessed ? std::optional(seen_) : std::nullopt;
  }
  /// What it was of late, for the next transfer; nothing if too little was seen in this one. A link
  /// that was remembered and hardly waited is not told to be faster than it was seen.
  [[nodiscard]] std::optional<double> lately() const noexcept;
  /// For how long nothing has arrived although something is on the way.
  [[nodiscard]] double stuck_seconds() const noexcept { return stuck_seconds_; }

 private:
  struct Sample {
    double seconds = 0;
    double sent = 0;
    double arrived = 0;
    double given = 0;   ///< sent, and to be sent by the system
    double ready = 0;   ///< sent, and to be sent as soon as the link takes it
    double saved = 0;   ///< bytes that a shaper may let pass at once
    bool busy = false;  ///< the link surely was, since the sample before
  };
  /// What a shaper may save up for when there is something to send again.
  static constexpr double kMostSavedBytes = 512 << 10;
  /// A guess is one from so many times what was seen on.
  static constexpr double kClearlyGuessed = 1.5;
  /// What is remembered weighs as if it was measured for so long.
  static constexpr double kRememberedSeconds = 15e-3;

  [[nodiscard]] double let_through() const noexcept { return seen_ * guess_; }
  /// The part of the time in which the receiver is thought to read.
  [[nodiscard]] double flowing() const noexcept { return kept_up_ ? 1 : flowed_; }
  void measure();
  void grow();
  void keep();
  [[nodiscard]] bool hardly_idle() const noexcept;
  void follow(double seconds);
  void follow_receiver(const ReceiverReport& report);

  std::deque<Sample> samples_;
  double seen_ = kFirstRate;  ///< what was measured, or is remembered, or the first guess
  double guess_ = 1;          ///< how many times as fast it is thought to be, since it waits
  double flowed_ = 1;    ///< the part of the time in which the receiver read, by its last report
  bool kept_up_ = true;  ///< by the report before that
  double reported_seconds_ = 0;
  bool known_ = false;
  bool remembered_ = false;
  bool kept_ = false;
  bool measured_ = false;  ///< now
  double ahead_ = 0;       ///< sent, but more than the link is thought to have taken
  double log_lately_ = 0;
  double busy_seconds_ = 0;  ///< in all, with something to send or on its way
  double idle_seconds_ = 0;  ///< with nothing, after it sent something
  double stuck_seconds_ = 0;
  double measured_seconds_ = 0;  ///< in which it was
};

}  // namespace adoc
