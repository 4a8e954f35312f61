#include "control/level_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace adoc {
namespace {

/// How much of the weight of what was seen is left when one more block of its kind is seen; and the
/// most blocks of a usual length that a level's figures are the average of.
constexpr double kRemembers = 0.97;
constexpr double kMostWeight = 5;

/// Of what a block shrinks better than predicted, the part that those of other levels are thought
/// to have in common with it: data change, and blocks get longer.
constexpr double kCommon = 0.7;

/// Weight from which on what was seen of a level is what is expected of it.
constexpr double kTrusted = 0.5;

constexpr double kHighestLogRatio = 14;

/// Weight of what is known beforehand, in blocks.
constexpr double kPriorWeight = 0.3;

/// What is seen at one level counts at the next ones, less with each: of ratios a little
/// everywhere, of speeds further than that and nowhere else.
constexpr double kNearLevels = 1.5;
constexpr double kEverywhere = 0.03;
constexpr double kWideLevels = 4;
constexpr double kWide = 0.3;

/// How much less one is in doubt about any level of a kind once another one was seen.
constexpr double kTellsAnyLevel = 0.2;

/// Of one block, for what is thought of the machine's speed.
constexpr double kMachineGain = 0.1;

struct Usual {
  int setting = 0;
  double megabytes_per_second = 0;
  double strength = 0;
};

// Orders of magnitude of any machine of today: what is wrong with them is learned with the first
// blocks. Between two settings both columns are interpolated.
constexpr std::array kZstd{Usual{-63, 1800, 0.18}, Usual{-20, 1100, 0.38}, Usual{-7, 750, 0.52},
                           Usual{-4, 650, 0.62},   Usual{-1, 560, 0.72},   Usual{1, 480, 0.83},
                           Usual{3, 300, 0.86},    Usual{5, 170, 0.90},    Usual{7, 110, 0.92},
                           Usual{9, 80, 0.93},     Usual{12, 20, 0.945},   Usual{13, 14, 0.96},
                           Usual{15, 10, 0.985},   Usual{16, 7, 0.99},     Usual{19, 4, 1.0}};
constexpr std::array kLz4{Usual{-63, 3500, 0.25}, Usual{-15, 1700, 0.38}, Usual{-3, 1100, 0.5},
                          Usual{1, 900, 0.55},    Usual{3, 120, 0.68},    Usual{12, 12, 0.72}};
constexpr std::array kZlib{Usual{1, 110, 0.75}, Usual{3, 75, 0.79}, Usual{6, 30, 0.86},
                           Usual{9, 10, 0.88}};
constexpr std::array kRaw{Usual{0, 10'000, 0}};

std::span<const Usual> usual(CodecId codec) {
  switch (codec) {
    case CodecId::zstd:
      return kZstd;
    case CodecId::lz4:
      return kLz4;
    case CodecId::zlib:
      return kZlib;
    case CodecId::raw:
      break;
  }
  return kRaw;
}

Usual usual(const Rung& rung) {
  const auto table = usual(rung.codec);
  if (rung.setting <= table.front().setting) return table.front();
  if (rung.setting >= table.back().setting) return table.back();
  const auto above =
      std::upper_bound(table.begin(), table.end(), rung.setting,
                       [](int setting, const Usual& row) { return setting < row.setting; });
  const Usual& high = *above;
  const Usual& low = *std::prev(above);
  const double part =
      static_cast<double>(rung.setting - low.setting) / (high.setting - low.setting);
  return {
      .setting = rung.setting,
      .megabytes_per_second = low.megabytes_per_second *
                              std::pow(high.megabytes_per_second / low.megabytes_per_second, part),
      .strength = std::lerp(low.strength, high.strength, part)};
}

constexpr std::size_t kRandomKind = LevelModel::kKinds - 1;

/// Log of the ratio at the densest level, by order-0 entropy alone and a little for repetitions.
double usual_log_ratio(std::size_t kind) {
  if (kind == kRandomKind) return 0;
  const double entropy = std::max(0.5, static_cast<double>(kind) / 2);
  return 1.1 * std::log(8 / entropy) + 0.1;
}

}  // namespace

LevelModel::LevelModel(const Ladder& ladder) {
  const auto levels = static_cast<std::size_t>(ladder.top()) + 1;
  for (int level = 0; level <= ladder.top(); ++level) {
    const Usual row = usual(ladder[level]);
    priors_.push_back(
        {.log_speed = -std::log(row.megabytes_per_second * 1e6), .strength = row.strength});
  }
  for (std::size_t distance = 0; distance < levels; ++distance) {
    const auto levels_away = static_cast<double>(distance);
    nearness_.push_back(std::exp(-levels_away / kNearLevels) + kEverywhere);
    speed_nearness_.push_back(std::exp(-levels_away / kNearLevels) +
                              kWide * std::exp(-levels_away / kWideLevels));
  }
  for (Kind& kind : kinds_) {
    kind.seen.resize(levels);
    kind.predictions.resize(levels);
  }
}

std::size_t LevelModel::kind_of(const Look& look) noexcept {
  if (look.random) return kRandomKind;
  return static_cast<std::size_t>(std::lround(std::clamp(look.entropy_bits, 0.0, 8.0) * 2));
}

void LevelModel::learn(const Measured& block) {
  Kind& known = kinds_[block.kind];
  const auto at = static_cast<std::size_t>(block.level);
  const double log_speed =
      std::log(std::max(block.seconds_per_byte, 1e-12)) - priors_[at].log_speed;
  const double log_ratio =
      std::min(kHighestLogRatio, -std::log(std::max(block.wire_per_byte, 1e-9)));
  // Against what was seen there, if anything was: what is off with predictions is no news.
  const double expected = known.seen[at].weight >= kTrusted
                              ? known.seen[at].log_ratio
                              : -std::log(of(block.kind)[at].wire_per_byte);
  const double news = log_ratio - expected;
  // Blocks grow as a transfer goes on: a long one tells more than several short ones before it.
  constexpr double kKept = 1 - 1 / kMostWeight;
  known.bytes = known.bytes * kKept + block.bytes;
  known.mean_bytes += (block.bytes - known.mean_bytes) * block.bytes / known.bytes;
  for (Seen& seen : known.seen) {
    seen.weight *= kRemembers;
    seen.bytes *= kRemembers;
  }
  Seen& seen = known.seen[at];
  seen.weight = std::min(kMostWeight, seen.weight + std::min(1.0, block.bytes / known.mean_bytes));
  seen.bytes = seen.bytes * kKept + block.bytes;
  const double gain = block.bytes / seen.bytes;
  seen.log_speed += (log_speed - seen.log_speed) * gain;
  seen.log_ratio += (log_ratio - seen.log_ratio) * gain;
  known.stale = true;
  if (block.level == 0) return;
  machine_ += (log_speed - machine_) * kMachineGain;
  const double common = kCommon * news * block.bytes / known.bytes / priors_[at].strength;
  for (std::size_t other = 1; other < priors_.size(); ++other)
    if (other != at)
      known.seen[other].log_ratio = std::clamp(
          known.seen[other].log_ratio + common * priors_[other].strength, 0.0, kHighestLogRatio);
}

const std::vector<Prediction>& LevelModel::of(std::size_t kind) {
  if (kinds_[kind].stale) predict(kind);
  return kinds_[kind].predictions;
}

void LevelModel::predict(std::size_t kind) {
  Kind& known = kinds_[kind];
  known.stale = false;
  const Seen& raw = known.seen[0];
  known.predictions[0] = {
      .seconds_per_byte =
          std::exp(priors_[0].log_speed + raw.log_speed * raw.weight / (raw.weight + kPriorWeight)),
      .wire_per_byte = 1,
      .doubt = 0,
      .speed_doubt = 0};
  // How well the kind can be compressed at all.
  double strengths = kPriorWeight;
  double ratio = kPriorWeight * usual_log_ratio(kind);
  for (std::size_t level = 1; level < priors_.size(); ++level) {
    const Seen& seen = known.seen[level];
    const double strength = priors_[level].strength;
    strengths += seen.weight * strength * strength;
    ratio += seen.weight * strength * seen.log_ratio;
  }
  ratio /= strengths;
  // Each level: what differs from that, there and nearby.
  double lighter = 0;
  double lighter_strength = 1;
  for (std::size_t level = 1; level < priors_.size(); ++level) {
    double near = kPriorWeight;
    double denser = 0;
    double wide = kPriorWeight;
    double slower = kPriorWeight * machine_;
    double all = 0;
    for (std::size_t other = 1; other < priors_.size(); ++other) {
      const Seen& seen = known.seen[other];
      if (seen.weight < 1e-3) continue;
      const std::size_t distance = level > other ? level - other : other - level;
      const double counts = seen.weight * nearness_[distance];
      near += counts;
      denser += counts * (seen.log_ratio - priors_[other].strength * ratio);
      const double speed_counts = seen.weight * speed_nearness_[distance];
      wide += speed_counts;
      slower += speed_counts * seen.log_speed;
      all += seen.weight;
    }
    Prediction& prediction = known.predictions[level];
    prediction.seconds_per_byte = std::exp(priors_[level].log_speed + slower / wide);
    double log_ratio = priors_[level].strength * ratio + denser / near;
    // What was seen lately may shrink better than what was seen before. One that was not tried
    // since is no worse for that than the level below it.
    const double at_least = lighter * priors_[level].strength / lighter_strength;
    if (log_ratio < at_least) {
      const double tried = known.seen[level].weight;
      log_ratio = std::lerp(at_least, log_ratio, tried / (tried + kPriorWeight));
    }
    lighter = log_ratio;
    lighter_strength = priors_[level].strength;
    prediction.wire_per_byte = std::min(1.0, std::exp(-log_ratio));
    prediction.doubt = kPriorWeight / (near + kTellsAnyLevel * all);
    prediction.speed_doubt = kPriorWeight / wide;
  }
}

}  // namespace adoc
