#pragma once

#include <algorithm>
#include <limits>
#include <list>
#include <optional>
#include <vector>

#include "support/sim.hpp"

/// What a simulated transfer is made of.
namespace adoc::sim {

struct Block {
  const Kind* kind = nullptr;
  Look look{};
  Choice choice{};
  double begin = 0;
  double raw = 0;
  double rest = 0;           // of what was read, behind this block, after a cut
  double wire = 0;           // when it is done
  double work = 0;           // core seconds in all
  double compress_work = 0;  // of these, without reading
  double worked = 0;
  double waited = 0;  // wall clock, for room in the FIFO
  double fifo_before = 0;
  TakenBack instead_of{};
  bool streams = true;
  bool open = true;

  [[nodiscard]] double produced() const {
    if (!open) return wire;
    return streams && work > 0 ? wire * std::min(1.0, worked / work) : 0;
  }
};

struct Worker {
  std::optional<std::list<Block>::iterator> block{};
  double yields_until = -1;  // at level 0 under the paper's law
};

struct Decompressor {
  double work = 0;  // core seconds left; then the disk
  double written_at = 0;
  double wire = 0;
  double raw = 0;
  enum class State { idle, decompressing, writing } state = State::idle;
};

/// What the receiver tells the sender now and then.
class Reporter {
 public:
  [[nodiscard]] double next() const noexcept { return next_; }

  /// Time passes, in which it cannot read, or waits for something to read.
  void passes(double dt, bool stalls, bool waits, const std::vector<Decompressor>& decompressors) {
    if (stalls) stalled_ += dt;
    if (waits) waited_ += dt;
    bool writes = false;
    for (const Decompressor& d : decompressors) {
      if (d.state == Decompressor::State::decompressing) so_far_.decompressing_seconds += dt;
      writes = writes || d.state == Decompressor::State::writing;
    }
    if (writes) so_far_.writing_seconds += dt;
  }
  void wrote(double raw) { so_far_.written_bytes += raw; }

  [[nodiscard]] ReceiverReport report() {
    // One that hardly ever waits does not keep up.
    if (waited_ < kWaitingShare * kSeconds) stalled_ = kSeconds - waited_;
    so_far_.stalled_share = stalled_ / kSeconds;
    so_far_.seconds = next_;
    stalled_ = waited_ = 0;
    next_ += kSeconds;
    return so_far_;
  }

 private:
  // As in the receiving session.
  static constexpr double kSeconds = 20e-3;
  static constexpr double kWaitingShare = 0.1;

  ReceiverReport so_far_{};
  double stalled_ = 0;
  double waited_ = 0;
  double next_ = kSeconds;
};

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr double kTiny = 1e-12;

/// At this rate; never for what has no way to go.
inline double time_to(double distance, double rate) {
  return rate > kTiny && distance > 0 ? distance / rate : kNever;
}

/// The level to which each of the demands is met when they share this many cores fairly.
inline double fair_share(std::vector<double>& demands, double cores) {
  std::sort(demands.begin(), demands.end());
  double left = cores;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const double share = left / static_cast<double>(demands.size() - i);
    if (demands[i] > share) return share;
    left -= demands[i];
  }
  return 1;
}

}  // namespace adoc::sim
