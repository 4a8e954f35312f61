#include "control/auto/data_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "control/auto/params.hpp"
#include "wire/protocol.hpp"

namespace adoc {
namespace {

using namespace params;

constexpr double kOuterPoint = 1.7320508;  // deviations

/// A bound, to take its logarithm: what the shortest block has left of that of the ratio.
constexpr double kLeastOfLength = 0.3;

/// Bytes of the frame headers of a block: the protocol's, about.
constexpr double kFrameBytes = 60;

double mean_of(const Points& points) {
  return std::inner_product(points.begin(), points.end(), kPointWeights.begin(), 0.0);
}

double low_of(const Points& points, double mean) {
  Points squares{};
  for (std::size_t i = 0; i < 3; ++i) squares[i] = (points[i] - mean) * (points[i] - mean);
  return std::max(mean - kOptimism * std::sqrt(mean_of(squares)), std::ranges::min(points));
}

}  // namespace

DataModel::DataModel(const Ladder& ladder, LevelPrior prior,
                     const std::vector<PathMetrics::Class>& remembered)
    : ladder_(ladder), prior_(std::move(prior)), levels_(static_cast<std::size_t>(ladder.last())) {
  const auto recall = [](Class& kind, std::size_t variable, const PathMetrics::Estimate& its,
                         double noise = kSpeedNoise) {
    // What it was then is known no better than from one block of now.
    kind.belief.observe({.first = variable}, its.mean, its.variance + noise * noise);
  };
  for (const PathMetrics::Class& its : remembered) {
    Class kind = new_class({.entropy_bits = its.entropy_bits, .random = its.random});
    for (const PathMetrics::Level& level : its.levels) {
      recall(kind, speed_of(level.level), level.log_seconds);
      recall(kind, strength_of(level.level), level.strength);
      kind.seen[static_cast<std::size_t>(level.level)] = true;
    }
    recall(kind, length_loss(), its.length_loss, kLengthLoss);
    classes_.push_back(std::move(kind));
  }
}

std::size_t DataModel::speed_of(int level) const noexcept {
  return static_cast<std::size_t>(level) - 1;
}

std::size_t DataModel::strength_of(int level) const noexcept {
  return levels_ + static_cast<std::size_t>(level) - 1;
}

std::size_t DataModel::class_of(const SampleStats& stats) {
  std::size_t best = classes_.size();
  double nearest = 2 * kEntropyNoise;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    const double off = std::abs(classes_[i].entropy_bits - stats.entropy_bits);
    if (classes_[i].random != stats.random || off > nearest) continue;
    nearest = off;
    best = i;
  }
  if (best < classes_.size()) return best;
  classes_.push_back(new_class(stats));
  return classes_.size() - 1;
}

DataModel::Class DataModel::new_class(const SampleStats& stats) const {
  Class kind{.entropy_bits = stats.entropy_bits,
             .random = stats.random,
             .belief = prior_.levels,
             .seen = std::vector<bool>(levels_ + 1)};
  // What levels do to bytes that are nearly all the same is not on the line through the samples.
  const Gaussian::Sum entropy{.first = 2 * levels_};
  const double least = prior_.levels.mean(entropy) - 4 * kEntropyNoise;
  kind.belief.observe(entropy, std::max(stats.entropy_bits, least), kEntropyNoise * kEntropyNoise);
  if (stats.random)
    for (int level = 1; level <= ladder_.last(); ++level)
      kind.belief.observe({.first = strength_of(level)}, std::log(kNothing), 0.1);
  return kind;
}

std::vector<PathMetrics::Class> DataModel::classes(std::size_t first) const {
  std::vector<PathMetrics::Class> all;
  for (const Class& kind : classes_) {
    const auto estimate = [&kind](std::size_t variable) {
      return PathMetrics::Estimate{.mean = kind.belief.mean(variable),
                                   .variance = kind.belief.variance(variable)};
    };
    PathMetrics::Class its{.entropy_bits = kind.entropy_bits,
                           .random = kind.random,
                           .length_loss = estimate(length_loss())};
    for (int level = 1; level <= ladder_.last(); ++level)
      if (kind.seen[static_cast<std::size_t>(level)])
        its.levels.push_back({.level = level,
                              .log_seconds = estimate(speed_of(level)),
                              .strength = estimate(strength_of(level))});
    all.push_back(std::move(its));
  }
  if (first < all.size()) std::swap(all[0], all[first]);
  return all;
}

void DataModel::learn(const BlockResult& block) {
  auto raw = static_cast<double>(block.raw_bytes);
  if (raw < kTellingBlockBytes) return;
  double copied = 0;
  if (block.matched_bytes) {
    copied = static_cast<double>(*block.matched_bytes);
    matched_ += (copied / raw - matched_) * -std::expm1(-raw / kMatchedMemoryBytes);
    matched_ = std::max(matched_, kLeastMatched);
    ++version_;
  }
  // The belief is of the bytes that are compressed.
  if (block.level == 0 || raw - copied < kTellingBlockBytes || block.processor_seconds <= 0) return;
  Class& kind = classes_[class_of(block.stats)];
  ++version_;
  kind.seen[static_cast<std::size_t>(block.level)] = true;
  kind.belief.widen(kDataDrift, prior_.levels);
  // What a level that is always searched takes for a byte that it compresses has the search in it.
  const double searched =
      block_shape(ladder_[block.level]).matches || !block.matched_bytes ? copied : raw;
  const double seconds =
      std::max(block.processor_seconds / 4,
               block.processor_seconds - kBlockSeconds - kSearchSeconds * searched);
  const double halved = halvings(block.level, raw);
  raw -= copied;
  const double wire = std::max(1.0, static_cast<double>(block.wire_bytes));
  const double log_ratio = std::max(0.0, std::log(raw / wire));
  const double noise = kRatioNoise / (log_ratio + kRatioNoise);
  // The logarithm of what is left of the strength is linear near what is thought of the loss.
  const double loss = kind.belief.mean(length_loss());
  const double left = std::max(kLeastOfLength, 1 - loss * halved);
  const double slope = left > kLeastOfLength ? -halved / left : 0;
  const Gaussian::Sum strength{
      .first = strength_of(block.level), .second = length_loss(), .second_factor = slope};
  const double value = std::log(log_ratio + kNothing) - std::log(left) + slope * loss;
  const double off = value - kind.belief.mean(strength);
  const double unexplained =
      off * off / (kSurprise * kSurprise) - (kind.belief.variance(strength) + noise * noise);
  // New memory and threads that have to be woken add up to some 50 us, much for a short block.
  const double log_seconds = std::log(seconds / raw);
  const bool slow = log_seconds > kind.belief.mean(speed_of(block.level));
  const double speed_noise = kSpeedNoise + (slow ? kBlockSeconds / 2 / seconds : 0);
  // A block of one repeated string is fast, which says nothing of blocks that are not.
  if (unexplained <= 0 || off < 0)
    kind.belief.observe({.first = speed_of(block.level)}, log_seconds, speed_noise * speed_noise);
  if (unexplained > 0)
    kind.belief.widen(std::min(1.0, unexplained / prior_.levels.variance(strength)), prior_.levels);
  kind.belief.observe(strength, value, noise * noise);
}

double DataModel::halvings(int level, double raw_bytes) const {
  const auto own = static_cast<double>(block_shape(ladder_[level]).block_bytes);
  return std::max(0.0, std::log2(own / raw_bytes));
}

// A denser level shrinks data no less. Where data are unlike all samples, the speeds of levels that
// were tried may make an untried one look as if it did.
double DataModel::thought_strength(std::size_t kind, int level, double deviation) const {
  const double own = classes_[kind].belief.mean(strength_of(level));
  if (has_seen(kind, level)) return own;
  double lighter = own;
  for (int i = 1; i < level; ++i)
    if (has_seen(kind, i)) lighter = std::max(lighter, classes_[kind].belief.mean(strength_of(i)));
  return lighter > own + kSurprise / 2 * deviation ? lighter : own;
}

Expected DataModel::expected(std::size_t kind, int level, double raw_bytes, bool search) const {
  const double copied = search ? raw_bytes * matched_ : 0;
  const double compressed = raw_bytes - copied;
  // What a level that is always searched takes for a byte that it compresses has the search in it.
  const double searched = search && !block_shape(ladder_[level]).matches ? raw_bytes : copied;
  const double handling = kBlockSeconds + kHandlingSeconds * raw_bytes + kSearchSeconds * searched;
  const double stored = compressed + kFrameBytes;
  if (level == 0) return {{handling, handling, handling}, handling, handling, stored, stored};
  const Gaussian& belief = classes_[kind].belief;
  const double speed = belief.mean(speed_of(level));
  const double speed_deviation = std::sqrt(std::max(0.0, belief.variance(speed_of(level))));
  const double own_deviation = std::sqrt(std::max(0.0, belief.variance(strength_of(level))));
  // Longer blocks are never worse, whatever changing data make it look like.
  const double loss = std::max(0.0, belief.mean(length_loss()));
  const double factor = std::max(kLeastOfLength, 1 - loss * halvings(level, raw_bytes));
  const double strength = thought_strength(kind, level, own_deviation);
  Points work{};
  Points wire{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double at = (static_cast<double>(i) - 1) * kOuterPoint;
    work[i] = handling + compressed * std::exp(speed + at * speed_deviation);
    const double ratio_log = std::max(0.0, std::exp(strength + at * own_deviation) - kNothing);
    wire[i] = kFrameBytes + compressed * std::exp(-factor * ratio_log);
  }
  const double mean_work = mean_of(work);
  const double mean_wire = mean_of(wire);
  return {work, mean_work, low_of(work, mean_work), mean_wire, low_of(wire, mean_wire)};
}

}  // namespace adoc
