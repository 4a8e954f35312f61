#include "control/auto/auto_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "control/auto/params.hpp"

namespace adoc {
namespace {

using namespace params;

/// What is far ahead is thought of in blocks of this length.
constexpr double kLongBytes = 1 << 20;

/// While it is not known, what is to come is no less than this many first blocks.
constexpr double kLeastHorizonBytes = 4 * kFirstBytes;

/// A transfer of less tells nothing of a path.
constexpr double kLeastTellingBytes = 256 << 10;

/// What an earlier transfer had seen counts as no more than this.
constexpr double kMostRememberedBytes = 64 << 20;

}  // namespace

AutoPolicy::AutoPolicy(const Setup& setup)
    : setup_(setup),
      data_(setup.ladder, setup.prior,
            setup.path_metrics ? setup.path_metrics->classes : std::vector<PathMetrics::Class>{}),
      link_(setup.path_metrics
                ? RateBelief(setup.path_metrics->log_rate, setup.path_metrics->log_rate_deviation)
                : RateBelief()),
      receiver_(setup.prior.receiver_seconds,
                setup.path_metrics ? setup.path_metrics->receiver : PathMetrics::Receiver{}),
      known_(static_cast<std::size_t>(setup.ladder.top()) + 1),
      seen_bytes_(setup.path_metrics ? std::min(setup.path_metrics->bytes, kMostRememberedBytes)
                                     : 0) {}

void AutoPolicy::see(const LinkState& link) {
  link_.see(link, !contention_.paused());
  receiver_.see(link);
  sending_seconds_ =
      kSendingSeconds + link.carrying_seconds_per_byte * contention_.processor_factor();
}

double AutoPolicy::processors() const {
  return static_cast<double>(setup_.threads) / contention_.factor();
}

void AutoPolicy::find_cases(const LinkState& link, std::size_t kind) {
  double making = 0;
  auto ahead = static_cast<double>(link.queued_bytes);
  for (const Begun& block : begun_) {
    const double left = std::max(0.0, block.begin + block.seconds - link.seconds);
    making = std::max(making, left);
    if (block.seconds > 0) ahead += block.wire * std::min(1.0, left / block.seconds);
  }
  const double horizon = std::max(seen_bytes_, kLeastHorizonBytes);
  cases_.clear();
  for (const RateBelief::Point& point : link_.rate().points()) {
    demands_.clear();
    for (int level = setup_.range.min; level <= setup_.range.max; ++level) {
      const Expected& its = expected({.kind = kind, .level = level, .bytes = kLongBytes});
      const double wire = its.mean_wire / kLongBytes;
      demands_.push_back(
          {.processors = (its.mean_work / kLongBytes + sending_seconds_ * wire) / processors(),
           .channel = std::max(wire / point.rate, receiver_.seconds_per_byte(level, wire))});
    }
    const Prices prices = balance(demands_, ahead / point.rate / horizon);
    cases_.push_back({.weight = point.weight / prices.cost,
                      .rate = point.rate,
                      .slack = link.rest ? static_cast<double>(link.ready_bytes) / point.rate
                                         : std::max(making, ahead / point.rate),
                      .prices = prices});
  }
}

// To expect takes longer than all else, and while blocks go raw nothing new is learned of levels.
const Expected& AutoPolicy::expected(const Candidate& candidate) {
  if (known_kind_ != candidate.kind || known_version_ != data_.version()) {
    for (auto& lengths : known_) lengths.clear();
    known_kind_ = candidate.kind;
    known_version_ = data_.version();
  }
  auto& lengths = known_[static_cast<std::size_t>(candidate.level)];
  const auto found = std::find_if(lengths.begin(), lengths.end(),
                                  [&](const Known& its) { return its.bytes == candidate.bytes; });
  if (found != lengths.end()) return found->expected;
  lengths.push_back({.bytes = candidate.bytes,
                     .expected = data_.expected(candidate.kind, candidate.level, candidate.bytes)});
  return lengths.back().expected;
}

double AutoPolicy::cost(const Candidate& candidate) {
  const Expected its = expected(candidate);
  const double work = (its.low_work + sending_seconds_ * its.low_wire) / processors();
  const double receiver =
      candidate.bytes * receiver_.seconds_per_byte(candidate.level, its.low_wire / candidate.bytes);
  const double stretch = contention_.factor();
  double sum = 0;
  for (const Case& may : cases_) {
    const double channel = std::max(its.low_wire / may.rate, receiver);
    const auto late = [&](double seconds) {
      return std::max(0.0, stretch * seconds - may.slack - channel);
    };
    const double lateness =
        late(its.work[0]) / 6 + late(its.work[1]) * 2 / 3 + late(its.work[2]) / 6;
    sum += may.weight * (may.prices.processors * work + may.prices.channel * (channel + lateness));
  }
  return sum / candidate.bytes;
}

AutoPolicy::Candidate AutoPolicy::best_of(const LinkState& link, std::size_t kind,
                                          double given_bytes) {
  find_cases(link, kind);
  const double longest = std::max(kFirstBytes, kGrowth * seen_bytes_);
  Candidate best;
  double least = std::numeric_limits<double>::infinity();
  for (int level = setup_.range.min; level <= setup_.range.max; ++level) {
    const auto own = static_cast<double>(block_shape(setup_.ladder[level]).block_bytes);
    for (double bytes = given_bytes > 0 ? given_bytes : kFirstBytes;
         given_bytes > 0 || (bytes <= own && bytes <= longest); bytes *= 2) {
      const Candidate candidate{.kind = kind, .level = level, .bytes = bytes};
      const double its = cost(candidate);
      if (its <= least) {
        least = its;
        best = candidate;
      }
      if (given_bytes > 0) break;
    }
  }
  return best;
}

std::string_view AutoPolicy::reason(const Candidate& chosen) {
  if (link_.rate().log_deviation() > kUnsure) return "rate unknown";
  return data_.has_seen(chosen.kind, chosen.level) ? "least cost" : "untried level";
}

Plan AutoPolicy::plan(const LinkState& link) {
  see(link);
  Plan plan{.block_bytes = static_cast<std::size_t>(kFirstBytes)};
  planned_.reset();
  if (setup_.block_bytes != 0) {
    plan.block_bytes = setup_.block_bytes;
  } else if (data_.knows_any()) {
    planned_ = best_of(link, kind_, 0);
    plan.block_bytes = static_cast<std::size_t>(planned_->bytes);
  }
  // Waiting tells more of the link, which matters unless it is thought fast in any case.
  if (link_.rate().log_deviation() > kUnsure && !(planned_ && planned_->level == 0)) {
    plan.yield_seconds = kAheadSeconds;
    plan.yield_bytes = static_cast<std::size_t>(kAheadBytes);
  }
  return plan;
}

Choice AutoPolicy::choose(const LinkState& link, const SampleStats& stats, std::size_t raw_bytes) {
  see(link);
  kind_ = data_.class_of(stats);
  const auto raw = static_cast<double>(raw_bytes);
  const bool as_planned = planned_ && planned_->kind == kind_ && planned_->bytes == raw;
  const Candidate best = as_planned ? *planned_ : best_of(link, kind_, raw);
  planned_.reset();
  const std::string_view why = reason(best);
  const Expected its = data_.expected(kind_, best.level, raw);
  seen_bytes_ += raw;
  read_bytes_ += raw;
  begun_.push_back({.ticket = ++tickets_,
                    .begin = link.seconds,
                    .seconds = its.mean_work * contention_.factor(),
                    .wire = its.mean_wire});
  return {.level = best.level, .reason = why, .may_cut = true, .ticket = tickets_};
}

void AutoPolicy::learn(const LinkState& link, const BlockResult& result) {
  see(link);
  std::erase_if(begun_, [&](const Begun& block) { return block.ticket == result.ticket; });
  if (result.processor_seconds > 0) contention_.follow(link.seconds, result);
  receiver_.learn(result.level, static_cast<double>(result.raw_bytes),
                  static_cast<double>(result.wire_bytes));
  data_.learn(result, Contention::own_seconds(result));
}

std::optional<PathMetrics> AutoPolicy::path_metrics() const {
  if (read_bytes_ < kLeastTellingBytes) return std::nullopt;
  const RateBelief& rate = link_.rate_until_now();
  return PathMetrics{.log_rate = rate.log_mean(),
                     .log_rate_deviation = rate.log_deviation(),
                     .bytes = seen_bytes_,
                     .receiver = receiver_.pace(),
                     .classes = data_.classes(kind_)};
}

}  // namespace adoc
