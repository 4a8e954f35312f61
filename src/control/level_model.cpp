#include "control/level_model.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace adoc {
namespace {

/// How much of the weight of what was seen is left when one more block of its kind is seen.
constexpr double kRemembers = 0.97;

/// Of what a block shrinks better than expected, the part that those of other levels are thought to
/// have in common with it: data change, and blocks get longer. And the part of that where nothing
/// was seen of its level yet: then it may as well be the level that is better.
constexpr double kCommon = 0.9;
constexpr double kCommonOfNew = 0.3;

/// Weight from which on what was seen of a level is what is expected of it.
constexpr double kTrusted = 0.3;

/// What is off by more than so many times the mean square of what usually is, is a surprise; how
/// much of that mean a block is; and the least that it is thought to be.
constexpr double kSurprising = 9;
constexpr double kSpreadGain = 0.2;
constexpr double kLeastSpread = 0.0025;
/// Of a byte, what is not worth to tell data apart: of what vanishes a short block takes several
/// times as much for each byte as a long one, since the first of its bytes are all that is sent.
constexpr double kNothing = 0.01;

constexpr double kHighestLogRatio = 14;

/// Weight of what is known beforehand, in blocks.
constexpr double kPriorWeight = 0.3;

/// What is seen at one level counts at the next ones, less with each: of ratios a little
/// everywhere, of speeds further than that and nowhere else.
constexpr double kNearLevels = 1.2;
constexpr double kEverywhere = 0.03;
constexpr double kWideLevels = 4;
constexpr double kWide = 0.3;

/// Part of that which is left where much was seen of the level itself: one may shrink some data
/// better than those to either side of it.
constexpr double kStillBorrowed = 0.1;

/// How much less one is in doubt about any level of a kind once another one was seen.
constexpr double kTellsAnyLevel = 0.2;

/// What a block twice as long gains, of the logarithm of the ratio at the densest level; how many
/// blocks, each as far from another as one is twice as long, that is worth; and the most.
constexpr double kUsualSlope = 0.035;
constexpr double kSlopeWeight = 6;
constexpr double kSteepestSlope = 0.4;
/// Of a block at another level than those before it.
constexpr double kOtherLevels = 0.3;

/// What was seen in an earlier transfer counts so much of what it counted then.
constexpr double kStillTrue = 0.8;
constexpr double kWorthTelling = 0.05;

/// A raw block tells nothing of how others shrink, but what was seen of those is older by it. They
/// are predicted anew after so many of them: on a fast link that is most of what it takes to
/// decide.
constexpr unsigned kRawBlocksTell = 4;

/// Of one block, for what is thought of the machine's speed.
constexpr double kMachineGain = 0.1;

/// Levels that look for what repeats only where they have found nothing pass over long repetitions,
/// all as fast: seconds per byte, with the read.
constexpr double kPassingSeconds = 0.1e-9;
/// What they then leave of a byte is hardly more than a frame, whichever of them it is.
constexpr double kHardlyMoreThanFrame = 0.002;
/// A kind of so little entropy is most likely that: so as long as there is doubt it is tried, at a
/// level that takes less than this even if it is not.
constexpr std::size_t kLastRepetitiveKind = 1;
constexpr double kSoonTriedSeconds = 1e-9;

/// The entropy of a kind is of a sample, and as coarse as this.
constexpr double kKindBits = 0.5;

struct Usual {
  int setting = 0;
  double megabytes_per_second = 0;
  double strength = 0;
  double lengthens = 0;
};

// Orders of magnitude of any machine of today: what is wrong with them is learned with the first
// blocks. Between two settings all columns are interpolated.
constexpr std::array kZstd{
    Usual{-63, 1800, 0.18, 0}, Usual{-20, 1100, 0.38, 0}, Usual{-7, 750, 0.52, 0},
    Usual{-4, 650, 0.62, 0},   Usual{-1, 560, 0.72, 0},   Usual{1, 480, 0.83, 0.2},
    Usual{3, 300, 0.86, 0.7},  Usual{5, 170, 0.90, 0.85}, Usual{7, 110, 0.92, 1},
    Usual{9, 80, 0.93, 1},     Usual{12, 20, 0.945, 1},   Usual{13, 14, 0.96, 1},
    Usual{15, 10, 0.985, 1},   Usual{16, 7, 0.99, 1},     Usual{19, 4, 1.0, 1}};
constexpr std::array kLz4{Usual{-63, 3500, 0.25, 0}, Usual{-15, 1700, 0.38, 0},
                          Usual{-3, 1100, 0.5, 0},   Usual{1, 900, 0.55, 0},
                          Usual{3, 120, 0.68, 0},    Usual{12, 12, 0.72, 0}};
constexpr std::array kZlib{Usual{1, 110, 0.75, 0}, Usual{3, 75, 0.79, 0}, Usual{6, 30, 0.86, 0},
                           Usual{9, 10, 0.88, 0}};
/// Measured beside zstd 19 on the data of codec/README.md, blocks of 1 MiB to 15.
constexpr std::array kBzip3{Usual{1, 14, 1.0, 1}, Usual{4, 13, 1.04, 1}, Usual{15, 11, 1.08, 1}};
constexpr std::array kRaw{Usual{0, 10'000, 0, 0}};

std::span<const Usual> usual(CodecId codec) {
  switch (codec) {
    case CodecId::zstd:
      return kZstd;
    case CodecId::lz4:
      return kLz4;
    case CodecId::zlib:
      return kZlib;
    case CodecId::bzip3:
      return kBzip3;
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
      .strength = std::lerp(low.strength, high.strength, part),
      .lengthens = std::lerp(low.lengthens, high.lengthens, part)};
}

/// Log of the ratio at the densest level, by order-0 entropy alone and a little for repetitions.
double usual_log_ratio(std::size_t kind) {
  if (kind == LevelModel::kRandomKind) return 0;
  const double entropy = std::max(0.5, static_cast<double>(kind) / 2);
  return 1.1 * std::log(8 / entropy) + 0.1;
}

/// Whether it codes single bytes by how often they are, too. Others only find what repeats.
bool codes_entropy(const Rung& rung) {
  return rung.codec != CodecId::raw && rung.codec != CodecId::lz4 && rung.setting > 0;
}

/// Whether it passes over what it has found to repeat, and has no index of each byte of it.
bool passes_over(const Rung& rung) {
  return (rung.codec == CodecId::lz4 && rung.setting < 3) ||
         (rung.codec == CodecId::zstd && rung.setting <= 4);
}

/// Whether long repetitions cost it no more than a few bytes for each of its frames, however long.
/// Matches of lz4 have a byte for each 255 of theirs.
bool vanishes_alike(const Rung& rung) { return rung.codec == CodecId::zstd && passes_over(rung); }

/// What that alone gives, at least.
double entropy_log_ratio(std::size_t kind) {
  if (kind == LevelModel::kRandomKind) return 0;
  return std::max(0.0, std::log(8 / ((static_cast<double>(kind) + 0.5) * kKindBits)));
}

double doublings(double bytes, double own_bytes) {
  return std::log2(std::min(bytes, own_bytes) / LevelModel::kShortBytes);
}

}  // namespace

double Prediction::wire_per_byte(double block_bytes) const noexcept {
  if (log_ratio <= 0) return 1;
  return std::exp(-std::max(0.0, log_ratio + log_ratio_slope * doublings(block_bytes, own_bytes)));
}

LevelModel::LevelModel(const Ladder& ladder) {
  const auto levels = static_cast<std::size_t>(ladder.top()) + 1;
  for (int level = 0; level <= ladder.top(); ++level) {
    const Usual row = usual(ladder[level]);
    priors_.push_back({.log_seconds = -std::log(row.megabytes_per_second * 1e6),
                       .strength = row.strength,
                       .lengthens = row.lengthens,
                       .own_bytes = static_cast<double>(block_shape(ladder[level]).block_bytes),
                       .codes_entropy = codes_entropy(ladder[level]),
                       .passes_over = passes_over(ladder[level]),
                       .vanishes_alike = vanishes_alike(ladder[level]),
                       .tried_soon = row.megabytes_per_second * 1e6 * kSoonTriedSeconds > 1});
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

double LevelModel::usual_log_seconds(std::size_t level, double wire_per_byte) const {
  const Prior& prior = priors_[level];
  const double hard = wire_per_byte / kLongRepetitions;
  if (!prior.passes_over || hard >= 1) return prior.log_seconds;
  return std::log(std::lerp(kPassingSeconds, std::exp(prior.log_seconds), hard));
}

void LevelModel::learn(const Measured& block) {
  Kind& known = kinds_[block.kind];
  const auto at = static_cast<std::size_t>(block.level);
  const double log_speed = std::log(std::max(block.seconds_per_byte, 1e-12)) -
                           usual_log_seconds(at, block.wire_per_byte);
  const double log_ratio =
      std::min(kHighestLogRatio, -std::log(std::max(block.wire_per_byte, 1e-9)));
  const double length = doublings(block.bytes, priors_[at].own_bytes);
  const double all_slope = slope(block.kind);
  // Against what was seen there, if anything was: what is off with predictions is no news.
  const Seen& before = known.seen[at];
  const double common =
      block.again
          ? 0
          : kCommon * std::lerp(kCommonOfNew, 1.0, before.weight / (before.weight + kPriorWeight));
  double news = log_ratio;
  if (before.weight >= kTrusted) {
    const double apart = (length - before.doublings) * priors_[at].lengthens;
    known.length_squares += apart * apart;
    known.length_products += apart * (log_ratio - before.log_ratio);
    news -= before.log_ratio + all_slope * apart;
    const double expected = block.wire_per_byte * std::exp(news);
    if (!block.again)
      follow_spread(known, std::log((expected + kNothing) / (block.wire_per_byte + kNothing)));
  } else {
    news += std::log(of(block.kind)[at].wire_per_byte(block.bytes));
    // Some of that is the level's own.
    const double apart = (length - mean_doublings(known)) * priors_[at].lengthens;
    known.length_squares += kOtherLevels * apart * apart;
    known.length_products += kOtherLevels * apart * (news + all_slope * apart);
  }
  // Blocks grow as a transfer goes on: a long one tells more than several short ones before it.
  constexpr double kKept = 1 - 1 / Experience::kMostWeight;
  known.bytes = known.bytes * kKept + block.bytes;
  known.mean_bytes += (block.bytes - known.mean_bytes) * block.bytes / known.bytes;
  known.length_squares *= kRemembers;
  known.length_products *= kRemembers;
  for (Seen& seen : known.seen) {
    seen.weight *= kRemembers;
    seen.bytes *= kRemembers;
  }
  Seen& seen = known.seen[at];
  seen.weight = std::min(Experience::kMostWeight,
                         seen.weight + std::min(1.0, block.bytes / known.mean_bytes));
  seen.bytes = seen.bytes * kKept + block.bytes;
  const double gain = block.bytes / seen.bytes;
  seen.log_speed += (log_speed - seen.log_speed) * gain;
  seen.log_ratio += (log_ratio - seen.log_ratio) * gain;
  seen.doublings += (length - seen.doublings) * gain;
  if (block.level == 0) {
    known.stale = known.stale || ++known.raw_since == kRawBlocksTell;
    if (!known.stale) predict_raw(known);
    return;
  }
  known.stale = true;
  machine_ += (log_speed - machine_) * kMachineGain;
  const double changed = common * news * block.bytes / known.bytes / priors_[at].strength;
  for (std::size_t other = 1; other < priors_.size(); ++other)
    if (other != at)
      known.seen[other].log_ratio = std::clamp(
          known.seen[other].log_ratio + changed * priors_[other].strength, 0.0, kHighestLogRatio);
}

// What is further off than blocks of the kind ever were is other data that look the same: of what
// was seen at other levels nothing is true any more.
void LevelModel::follow_spread(Kind& known, double off) {
  const double most = kSurprising * known.spread;
  const double square = off * off;
  if (square > most) {
    const double left = (most / square) * (most / square);
    known.bytes *= left;
    known.length_squares *= left;
    known.length_products *= left;
    for (Seen& seen : known.seen) {
      seen.weight *= left;
      seen.bytes *= left;
    }
  }
  known.spread += (std::clamp(square, kLeastSpread, 2 * known.spread) - known.spread) * kSpreadGain;
}

// In blocks as long as they are lately: short ones that were, when they were seen, as long as any
// tell little of those.
double LevelModel::weight_of(const Kind& known, const Seen& seen) {
  return known.mean_bytes > 0 ? std::min(seen.weight, seen.bytes / known.mean_bytes) : 0;
}

void LevelModel::tell(Experience& experience) const {
  experience.machine = machine_;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Kind& known = kinds_[kind];
    Experience::Kind told{.kind = kind,
                          .mean_bytes = known.mean_bytes,
                          .length_squares = known.length_squares,
                          .length_products = known.length_products,
                          .spread = known.spread};
    for (std::size_t level = 0; level < priors_.size(); ++level) {
      const Seen& seen = known.seen[level];
      const double weight = weight_of(known, seen);
      if (weight < kWorthTelling) continue;
      told.levels.push_back({.level = static_cast<int>(level),
                             .weight = weight,
                             .log_speed = seen.log_speed,
                             .log_ratio = seen.log_ratio,
                             .doublings = seen.doublings});
    }
    if (!told.levels.empty()) experience.kinds.push_back(std::move(told));
  }
}

void LevelModel::start_from(const Experience& experience) {
  machine_ = experience.machine;
  for (const Experience::Kind& told : experience.kinds) {
    Kind& known = kinds_[told.kind];
    known.stale = true;
    known.mean_bytes = told.mean_bytes;
    known.bytes = told.mean_bytes * kStillTrue;
    known.length_squares = told.length_squares * kStillTrue;
    known.length_products = told.length_products * kStillTrue;
    known.spread = std::max(told.spread, kLeastSpread);
    for (const Experience::Level& level : told.levels)
      known.seen[static_cast<std::size_t>(level.level)] = {
          .weight = level.weight * kStillTrue,
          .bytes = level.weight * kStillTrue * told.mean_bytes,
          .log_speed = level.log_speed,
          .log_ratio = level.log_ratio,
          .doublings = level.doublings};
  }
}

double LevelModel::mean_doublings(const Kind& known) const {
  double weights = 0;
  double sum = 0;
  for (std::size_t level = 1; level < priors_.size(); ++level) {
    const double weight = known.seen[level].weight * priors_[level].lengthens;
    weights += weight;
    sum += weight * known.seen[level].doublings;
  }
  return weights > 0 ? sum / weights : 0;
}

double LevelModel::slope(std::size_t kind) const {
  const Kind& known = kinds_[kind];
  const double usual = kUsualSlope * usual_log_ratio(kind);
  const double seen =
      (known.length_products + kSlopeWeight * usual) / (known.length_squares + kSlopeWeight);
  return std::clamp(seen, 0.0, kSteepestSlope);
}

const std::vector<Prediction>& LevelModel::of(std::size_t kind) {
  if (kinds_[kind].stale) predict(kind);
  return kinds_[kind].predictions;
}

void LevelModel::predict_raw(Kind& known) const {
  const Seen& raw = known.seen[0];
  known.predictions[0] = {
      .seconds_per_byte = std::exp(priors_[0].log_seconds +
                                   raw.log_speed * raw.weight / (raw.weight + kPriorWeight)),
      .own_bytes = priors_[0].own_bytes,
      .doubt = 0,
      .speed_doubt = 0,
      .untried = 0};
}

void LevelModel::predict(std::size_t kind) {
  Kind& known = kinds_[kind];
  known.stale = false;
  known.raw_since = 0;
  predict_raw(known);
  const double all_slope = slope(kind);
  // Of short blocks.
  const auto log_ratio_of = [&](std::size_t level) {
    const Seen& seen = known.seen[level];
    return seen.log_ratio - all_slope * priors_[level].lengthens * seen.doublings;
  };
  // How well the kind can be compressed at all.
  double strengths = kPriorWeight;
  double ratio = kPriorWeight * usual_log_ratio(kind);
  for (std::size_t level = 1; level < priors_.size(); ++level) {
    const Seen& seen = known.seen[level];
    const double strength = priors_[level].strength;
    strengths += seen.weight * strength * strength;
    if (seen.weight > 0) ratio += seen.weight * strength * log_ratio_of(level);
  }
  ratio /= strengths;
  // Each level: what differs from that, there and nearby.
  double lighter = 0;
  double lighter_strength = 1;
  for (std::size_t level = 1; level < priors_.size(); ++level) {
    const double own = weight_of(known, known.seen[level]);
    const double untried = kPriorWeight / (kPriorWeight + own);
    const double borrowed = std::lerp(kStillBorrowed, 1.0, untried);
    double near = kPriorWeight;
    double sum = kPriorWeight * borrowed;
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
      const double part = distance == 0 ? counts : counts * borrowed;
      sum += part;
      denser += part * (log_ratio_of(other) - priors_[other].strength * ratio);
      const double speed_counts = seen.weight * speed_nearness_[distance];
      wide += speed_counts;
      slower += speed_counts * seen.log_speed;
      all += seen.weight;
    }
    Prediction& prediction = known.predictions[level];
    double log_ratio = priors_[level].strength * ratio + denser / sum;
    // What was seen lately may shrink better than what was seen before. One that was not tried
    // since is no worse for that than the level below it, nor than what single bytes gain if those
    // below do not code them.
    const double at_least = std::max(lighter * priors_[level].strength / lighter_strength,
                                     priors_[level].codes_entropy ? entropy_log_ratio(kind) : 0);
    if (log_ratio < at_least) {
      const double tried = known.seen[level].weight;
      log_ratio = std::lerp(at_least, log_ratio, tried / (tried + kPriorWeight));
    }
    lighter = log_ratio;
    lighter_strength = priors_[level].strength;
    prediction.log_ratio = log_ratio;
    prediction.log_ratio_slope = all_slope * priors_[level].lengthens;
    prediction.own_bytes = priors_[level].own_bytes;
    prediction.own_wire_per_byte = prediction.wire_per_byte(prediction.own_bytes);
    prediction.doubt = kPriorWeight / (near + kTellsAnyLevel * all);
    double log_seconds = usual_log_seconds(level, prediction.own_wire_per_byte) + slower / wide;
    if (kind <= kLastRepetitiveKind && priors_[level].tried_soon)
      log_seconds = std::lerp(log_seconds, std::min(log_seconds, std::log(kPassingSeconds)),
                              prediction.doubt * prediction.doubt);
    prediction.seconds_per_byte = std::exp(log_seconds);
    prediction.speed_doubt = kPriorWeight / wide;
    prediction.untried = untried;
    prediction.log_ratio_error = std::sqrt(known.spread * untried);
  }
  vanish_alike(known);
}

// That most levels have seen none of it for a while is no reason to take a dense one: its tables
// would be all that is made.
void LevelModel::vanish_alike(Kind& known) const {
  const auto weight = [&](std::size_t level) {
    return priors_[level].vanishes_alike ? known.seen[level].weight : 0;
  };
  std::size_t most_seen = 0;
  for (std::size_t level = 1; level < priors_.size(); ++level)
    if (weight(level) > weight(most_seen)) most_seen = level;
  const Prediction& seen = known.predictions[most_seen];
  if (seen.own_wire_per_byte > kHardlyMoreThanFrame) return;
  for (std::size_t level = 1; level < priors_.size(); ++level) {
    if (!priors_[level].vanishes_alike) continue;
    Prediction& other = known.predictions[level];
    other.log_ratio = std::lerp(other.log_ratio, seen.log_ratio, other.untried);
    other.log_ratio_slope = std::lerp(other.log_ratio_slope, seen.log_ratio_slope, other.untried);
    other.own_wire_per_byte = other.wire_per_byte(other.own_bytes);
  }
}

}  // namespace adoc
