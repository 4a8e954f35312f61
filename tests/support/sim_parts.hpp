#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <optional>
#include <random>
#include <vector>

#include "control/auto/params.hpp"
#include "pipeline/scheduler.hpp"
#include "support/data_path.hpp"
#include "support/sim.hpp"

/// What a simulated transfer is made of.
namespace adoc::sim {

/// Of a processor, for each block that is made or decompressed: threads are woken, packets queued.
/// A raw one is sent by the thread that reads it.
inline constexpr double kBlockOverheadSeconds = 60e-6;
inline constexpr double kRawBlockOverheadSeconds = 10e-6;
[[nodiscard]] inline double overhead_seconds(int level) {
  return level == 0 ? kRawBlockOverheadSeconds : kBlockOverheadSeconds;
}

/// As in the communication stage: what the system may hold unsent.
inline constexpr double kFirstKernelBytes = 128 << 10;
inline constexpr double kLeastKernelBytes = 32 << 10;
inline constexpr double kMostKernelBytes = 2 << 20;

struct Block {
  const Kind* kind = nullptr;
  SampleStats stats{};
  Choice choice{};
  double begin = 0;
  double offset = 0;  // in the data
  double raw = 0;
  double rest = 0;           // of what was read, behind this block, after a cut
  double wire = 0;           // when it is done
  double work = 0;           // core seconds in all
  double compress_work = 0;  // of these, without reading
  double worked = 0;
  double waited = 0;  // wall clock, for room in the FIFO
  bool streams = true;
  bool open = true;
  Scheduler::Ticket ticket = 0;

  [[nodiscard]] double produced() const {
    if (!open) return wire;
    return streams && work > 0 ? wire * std::min(1.0, worked / work) : 0;
  }

  /// To what of it was made; tells what is left, of the raw bytes.
  double shorten() {
    const double share = worked / work;
    const double left = std::floor(raw * (1 - share));
    raw -= left;
    wire *= share;
    compress_work *= share;
    work = worked;
    return left;
  }
};

/// Gives blocks what they come to, with noise.
class BlockMaker {
 public:
  explicit BlockMaker(const Setup& setup)
      : setup_(setup), random_(setup.seed), path_(setup.data_seed) {}

  SampleStats sample_stats(const Kind& kind) {
    SampleStats stats = kind.stats;
    stats.entropy_bits = std::clamp(stats.entropy_bits + noise(kind.entropy_noise), 0.0, 8.0);
    return stats;
  }

  /// `raw` bytes, which begin at `offset` in the data.
  Block make(const Kind& kind, const SampleStats& stats, double offset, double raw,
             const Choice& choice) {
    Block block{.kind = &kind, .stats = stats, .choice = choice, .offset = offset, .raw = raw};
    const int level = choice.level;
    const LevelModel& model = kind.levels[static_cast<std::size_t>(level)];
    block.wire = wire_bytes(kind, *setup_.ladder, level, raw);
    if (level != 0 && block.wire < raw) {
      const double shift = kind.scatter * path_.mean(offset, offset + raw);
      block.wire = raw * std::pow(block.wire / raw, std::exp(shift));
      block.wire = std::min(raw, block.wire * std::exp(noise(setup_.ratio_noise)));
    }
    block.wire += kFrameBytes;
    const bool search = choice.search && !block_shape((*setup_.ladder)[level]).matches;
    block.compress_work = overhead_seconds(level) + (search ? params::kSearchSeconds * raw : 0) +
                          raw / model.compress_rate * std::exp(noise(setup_.speed_noise));
    block.work = block.compress_work;
    const Rung& rung = (*setup_.ladder)[level];
    block.streams = rung.codec == CodecId::raw ||
                    (rung.codec != CodecId::lz4 && rung.setting > 0 && !is_dense(rung.codec));
    return block;
  }

 private:
  static constexpr double kFrameBytes = 60;

  double noise(double deviation) {
    return deviation == 0 ? 0 : std::normal_distribution<double>(0, deviation)(random_);
  }

  const Setup& setup_;
  std::mt19937_64 random_;
  DataPath path_;
};

struct Worker {
  std::optional<std::list<Block>::iterator> block{};
  std::optional<std::list<Block>::iterator> lane{};  // where what a cut has left is to be made
  std::optional<Scheduler::Yield> yield{};
  std::optional<Scheduler::Wait> wait{};
  double until = 0;  // of what it yields for
  bool ended = false;
};

struct Decompressor {
  double work = 0;  // core seconds left; then the disk
  double written_at = 0;
  double wire = 0;
  double raw = 0;
  double begin = 0;
  enum class State { idle, decompressing, writing } state = State::idle;
};

/// What the receiver tells the sender now and then.
class Reporter {
 public:
  explicit Reporter(std::size_t threads) { so_far_.threads = threads; }

  [[nodiscard]] double next() const noexcept { return next_; }

  /// Time passes, in which it cannot read, or waits for something to read.
  void passes(double dt, bool stalls, bool waits, const std::vector<Decompressor>& decompressors) {
    if (stalls) stalled_ += dt;
    if (waits) waited_ += dt;
    bool writes = false;
    for (const Decompressor& d : decompressors)
      writes = writes || d.state == Decompressor::State::writing;
    if (writes) so_far_.writing_seconds += dt;
  }
  void decompressed(double seconds) { so_far_.decompressing_seconds += seconds; }
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
