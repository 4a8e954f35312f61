#include "control/auto/auto_policy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "control/auto/params.hpp"

namespace adoc {
namespace {

using namespace params;

/// Whether what is made of a block may leave before the rest is made.
bool streams(const Rung& rung) { return !is_dense(rung.codec); }

/// Of a block that has been in the making for so long: the mean over those of its possible times
/// that are longer. What takes longer than all of them is thought to take as long once more.
double seconds_left(const Expected& its, double stretch, double begun_seconds) {
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < its.work.size(); ++i) {
    const double left = stretch * its.work[i] - begun_seconds;
    if (left <= 0) continue;
    sum += kPointWeights[i] * left;
    weight += kPointWeights[i];
  }
  return weight > 0 ? sum / weight : begun_seconds;
}

}  // namespace

AutoPolicy::AutoPolicy(const Setup& setup)
    : setup_(setup),
      data_(setup.ladder, setup.prior, setup.path_metrics.classes),
      link_(setup.path_metrics.log_rate_deviation > 0
                ? RateBelief(setup.path_metrics.log_rate, setup.path_metrics.log_rate_deviation)
                : RateBelief()),
      receiver_(setup.prior.decompress_seconds, setup.path_metrics.receiver),
      contention_(setup.path_metrics.contention),
      known_(static_cast<std::size_t>(setup.ladder.last()) + 1),
      seen_bytes_(setup.path_metrics.bytes) {
  setup_.range =
      within_memory(setup_.range, setup_.ladder, setup_.block_bytes, setup_.memory_bytes);
  for (int level = setup_.range.min; level <= setup_.range.max; ++level)
    searches_ = searches_ || block_shape(setup_.ladder[level]).matches;
}

// What the link waits for is not searched, nor is what has a prefix. And who allows no level that
// is always searched has no memory for it.
template <typename With>
void AutoPolicy::for_each_way(const LinkState& link, const With& with) const {
  const int top = top_level(setup_.range, setup_.ladder, link.takes_dense);
  for (int level = setup_.range.min; level <= top; ++level) {
    const BlockShape shape = block_shape(setup_.ladder[level]);
    const bool may_search = searches_ && !link.rest && shape.prefix_bytes == 0;
    if (!may_search || !shape.matches) with(level, false);
    if (may_search) with(level, true);
  }
}

double AutoPolicy::own_bytes(int level) const {
  return static_cast<double>(block_shape(setup_.ladder[level]).block_bytes);
}

void AutoPolicy::see(const LinkState& link) {
  link_.see(link);
  receiver_.see(link);
  sending_seconds_ = kSendingSeconds + link.carrying_seconds_per_byte;
}

double AutoPolicy::processors() const {
  return static_cast<double>(setup_.threads) / contention_.factor();
}

// The link takes what waits on its way and here, and then one block after the other, each when it
// is made.
double AutoPolicy::slack(const LinkState& link, double rate) const {
  const double away = static_cast<double>(link.overdue_bytes) / rate;
  if (link.rest) return away + static_cast<double>(link.ready_bytes) / rate;
  double seconds = away + static_cast<double>(link.queued_bytes) / rate;
  for (const Begun& block : begun_) {
    const double left = std::max(0.0, block.begin + block.seconds - link.seconds);
    if (block.streams)
      seconds = std::max(left, seconds + block.wire_left(link.seconds) / rate);
    else
      seconds = std::max(left, seconds) + block.wire / rate;
  }
  return seconds;
}

void AutoPolicy::find_cases(const LinkState& link, std::size_t kind, double read_bytes) {
  auto ahead = static_cast<double>(link.queued_bytes);
  for (const Begun& block : begun_) ahead += block.wire_left(link.seconds);
  left_bytes_.reset();
  if (link.left_bytes) left_bytes_ = static_cast<double>(*link.left_bytes) + read_bytes;
  double horizon = std::max(seen_bytes_, kLeastHorizonBytes);
  const double to_come = left_bytes_ ? std::max(1.0, *left_bytes_) : horizon;
  horizon = std::min(horizon, to_come);
  cases_.clear();
  if (later()) {
    // Nothing waits for a block, and a second to compress is worth one to send.
    cases_.push_back({.weight = 1,
                      .rate = setup_.later_rate,
                      .slack = std::numeric_limits<double>::infinity(),
                      .prices = {.cost = 1 / setup_.later_rate}});
    return;
  }
  double link_price = 0;
  for (const RateBelief::Point& point : link_.rate().points()) {
    demands_.clear();
    for_each_way(link, [&](int level, bool search) {
      const double bytes = own_bytes(level);
      const Expected& its =
          expected({.kind = kind, .level = level, .bytes = bytes, .search = search});
      const double wire = its.mean_wire / bytes;
      demands_.push_back(
          {.processors = (its.mean_work / bytes + sending_seconds_ * wire) / processors(),
           .channel = std::max(wire / point.rate, receiver_seconds(level, bytes, wire) / bytes)});
    });
    Prices prices = balance(demands_, ahead / point.rate / horizon);
    prices.processors = std::max(prices.processors, kLeastPrice);
    prices.channel = 1 - prices.processors;
    link_price += point.weight * prices.channel;
    cases_.push_back({.weight = point.weight / (kStartSeconds + prices.cost * to_come),
                      .rate = point.rate,
                      .slack = slack(link, point.rate),
                      .prices = prices});
  }
  link_price_ = link_price;
}

// A byte less on the wire is worth something where the link limits, and not where the receiver
// does. A second there costs as much as one here at least: who limits next shows when it does.
FilterPrices AutoPolicy::filter_prices(const Candidate& chosen) {
  const double wire = expected(chosen).mean_wire;
  const double receiver = receiver_seconds(chosen.level, chosen.bytes, wire / chosen.bytes);
  FilterPrices prices{.stored_byte = 0};
  for (const Case& may : cases_) {
    const double here = may.weight * may.prices.processors / processors();
    const double channel = may.weight * may.prices.channel;
    const bool link_limits = wire / may.rate >= receiver;
    prices.second += here;
    prices.receiver_second += link_limits ? here : std::max(here, channel);
    prices.stored_byte += sending_seconds_ * here + (link_limits ? channel / may.rate : 0);
  }
  return prices;
}

// To expect takes longer than all else, and while blocks go raw nothing new is learned of levels.
const Expected& AutoPolicy::expected(const Candidate& candidate) {
  if (known_version_ != data_.version())
    for (auto& known : known_) known.clear();
  known_version_ = data_.version();
  auto& known = known_[static_cast<std::size_t>(candidate.level)];
  for (const auto& [asked, answer] : known)
    if (asked == candidate) return answer;
  const auto& [kind, level, bytes, search] = candidate;
  return known.emplace_back(candidate, data_.expected(kind, level, bytes, search)).second;
}

// A dense block takes about as long there as here, which is known before it is what limits. Of who
// reads later nothing is known.
double AutoPolicy::receiver_seconds(int level, double bytes, double wire_per_byte) const {
  if (later()) return 0;
  const double shown = receiver_.seconds_per_byte(level, wire_per_byte);
  if (streams(setup_.ladder[level])) return bytes * shown;
  const double one_thread = receiver_.decompressing_seconds_per_byte(level, wire_per_byte);
  return bytes * std::max(shown, one_thread / receiver_.threads());
}

// `delay(case, channel)`: what it costs that others wait for a block which takes the channel so
// many seconds.
template <typename Delay>
double AutoPolicy::cost_with(const Candidate& candidate, double work, const Delay& delay) {
  const Expected& its = expected(candidate);
  work = (work + sending_seconds_ * its.low_wire) / processors();
  const double wire = its.low_wire / candidate.bytes;
  const double receiver = receiver_seconds(candidate.level, candidate.bytes, wire);
  double sum = 0;
  for (const Case& may : cases_) {
    const double channel = std::max(its.low_wire / may.rate, receiver);
    sum += may.weight *
           (may.prices.processors * work + may.prices.channel * channel + delay(may, channel));
  }
  return sum / candidate.bytes;
}

double AutoPolicy::cost_in_time(const Candidate& candidate) {
  return cost_with(candidate, expected(candidate).low_work, [](const Case&, double) { return 0; });
}

double AutoPolicy::cost(const Candidate& candidate) {
  const Expected its = expected(candidate);
  const double stretch = contention_.factor();
  const bool leaves_early = streams(setup_.ladder[candidate.level]);
  const double undone = seconds_to_undo(candidate);
  return cost_with(candidate, its.low_work, [&](const Case& may, double channel) {
    const double in_time = may.slack + (leaves_early ? channel : 0);
    double late = 0;
    for (std::size_t i = 0; i < its.work.size(); ++i)
      late += kPointWeights[i] * std::max(0.0, stretch * its.work[i] - in_time);
    return may.prices.channel * late + at_end(candidate, undone, may);
  });
}

// Its work is done in any case, whether or not what comes of it is used.
double AutoPolicy::cost_left(const Candidate& candidate, double begun_seconds) {
  const double left = seconds_left(expected(candidate), contention_.factor(), begun_seconds);
  const double undone = seconds_to_undo(candidate);
  return cost_with(candidate, 0, [&](const Case& may, double) {
    return may.prices.channel * left + at_end(candidate, undone, may);
  });
}

double AutoPolicy::seconds_to_undo(const Candidate& candidate) {
  if (streams(setup_.ladder[candidate.level])) return 0;
  const double wire = expected(candidate).low_wire / candidate.bytes;
  return candidate.bytes * receiver_.decompressing_seconds_per_byte(candidate.level, wire);
}

// The last block is still to be decompressed when all have arrived. Where nobody knows how much is
// to come, a block is the last one as likely as its part of all so far is large.
double AutoPolicy::at_end(const Candidate& candidate, double seconds, const Case& may) const {
  if (!left_bytes_) return seconds * candidate.bytes / (candidate.bytes + seen_bytes_);
  const double rest = std::max(0.0, *left_bytes_ - candidate.bytes);
  return std::max(0.0, seconds - may.prices.cost * rest);
}

AutoPolicy::Candidate AutoPolicy::best_of(const LinkState& link, std::size_t kind,
                                          double given_bytes) {
  find_cases(link, kind, given_bytes);
  const double longest = std::max(kFirstBytes, kGrowth * seen_bytes_);
  Candidate best;
  double least = std::numeric_limits<double>::infinity();
  for_each_way(link, [&](int level, bool search) {
    const double first = given_bytes > 0 ? given_bytes : kFirstBytes;
    double last = first;
    if (given_bytes <= 0)
      while (2 * last <= std::min(own_bytes(level), longest)) last *= 2;
    // A shorter block takes no less for a byte, and being late only adds.
    if (cost_in_time({.kind = kind, .level = level, .bytes = last, .search = search}) > least)
      return;
    for (double bytes = first; bytes <= last; bytes *= 2) {
      const Candidate candidate{.kind = kind, .level = level, .bytes = bytes, .search = search};
      const double its = cost(candidate);
      if (its > least) continue;
      least = its;
      best = candidate;
    }
  });
  return best;
}

std::string_view AutoPolicy::reason(const Candidate& chosen) {
  if (!knows_rate()) return "rate unknown";
  return data_.has_seen(chosen.kind, chosen.level) ? "least cost" : "untried level";
}

Plan AutoPolicy::plan(const LinkState& link) {
  see(link);
  Plan plan{.block_bytes = static_cast<std::size_t>(kFirstBytes), .filter_prices = filter_prices_};
  planned_.reset();
  if (setup_.block_bytes != 0) {
    plan.block_bytes = setup_.block_bytes;
  } else if (data_.knows_any()) {
    planned_ = best_of(link, kind_, 0);
    plan.block_bytes = static_cast<std::size_t>(planned_->bytes);
  }
  if (knows_rate()) {
    if (planned_ && !link.rest && !later()) stay_near(link, plan);
  } else if (!planned_ || planned_->level != 0) {
    // Waiting tells more of the link, which matters unless it is thought fast in any case. As a
    // sender of TCP does in its slow start, it is let have more ahead of it the more has arrived.
    const auto arrived = static_cast<double>(link.arrived_bytes);
    plan.yield_seconds = kWindowSeconds;
    plan.yield_bytes = static_cast<std::size_t>(std::max(kAheadBytes, kGrowth * arrived));
  }
  return plan;
}

// What is made long before the link comes to it keeps nobody waiting less, and is no longer right
// when the link has changed.
void AutoPolicy::stay_near(const LinkState& link, Plan& plan) {
  const double work = expected(*planned_).mean_work * contention_.factor();
  const double rate = std::exp(link_.rate().log_mean());
  const double most = rate * (work + kMostAheadSeconds);
  const double ready = static_cast<double>(link.ready_bytes - link.unsent_bytes);
  if (ready <= most) return;
  plan.yield_seconds = (ready - most) / rate;
  plan.yield_bytes = static_cast<std::size_t>(most) + link.unsent_bytes + link.overdue_bytes;
}

// Where there are many processors they would otherwise all make their first blocks, which may be
// most of a short file, before the first of them has arrived.
bool AutoPolicy::waits_for_begun() {
  if (knows_rate()) return false;
  double making = 0;
  for (const Begun& block : begun_) making += block.made.bytes;
  return making > kGrowth * (read_bytes_ - making);
}

Choice AutoPolicy::choose(const LinkState& link, const SampleStats& stats, std::size_t raw_bytes) {
  see(link);
  kind_ = data_.class_of(stats);
  const auto raw = static_cast<double>(raw_bytes);
  const bool as_planned = planned_ && planned_->kind == kind_ && planned_->bytes == raw;
  const Candidate best = as_planned ? *planned_ : best_of(link, kind_, raw);
  planned_.reset();
  filter_prices_ = filter_prices(best);
  const std::string_view why = reason(best);
  const Expected its = expected(best);
  seen_bytes_ += raw;
  read_bytes_ += raw;
  begun_.push_back({.ticket = ++tickets_,
                    .begin = link.seconds,
                    .seconds = its.mean_work * contention_.factor(),
                    .wire = its.mean_wire,
                    .streams = streams(setup_.ladder[best.level]),
                    .made = best});
  return {.level = best.level,
          .reason = why,
          .may_cut = !later(),
          .alone = waits_for_begun(),
          .search = best.search,
          .ticket = tickets_};
}

void AutoPolicy::learn(const LinkState& link, const BlockResult& result) {
  see(link);
  std::erase_if(begun_, [&](const Begun& block) { return block.ticket == result.ticket; });
  if (result.processor_seconds > 0) contention_.follow(link.seconds, result);
  receiver_.learn(result.level, static_cast<double>(result.raw_bytes),
                  static_cast<double>(result.wire_bytes));
  data_.learn(result);
}

bool AutoPolicy::gives_up(const LinkState& link, std::uint64_t ticket) {
  see(link);
  const auto found = std::ranges::find(begun_, ticket, &Begun::ticket);
  if (later() || found == begun_.end() || found->streams) return false;
  const Begun block = *found;
  LinkState instead = link;
  instead.rest = true;
  instead.takes_dense = false;
  const Candidate best = best_of(instead, block.made.kind, block.made.bytes);
  if (cost_left(block.made, link.seconds - block.begin) <= cost(best)) return false;
  seen_bytes_ -= block.made.bytes;
  read_bytes_ -= block.made.bytes;
  begun_.erase(found);
  return true;
}

std::optional<PathMetrics> AutoPolicy::path_metrics() const {
  if (later() || read_bytes_ < kTellingTransferBytes) return std::nullopt;
  return PathMetrics{.log_rate = link_.rate().log_mean(),
                     .log_rate_deviation = link_.rate().log_deviation(),
                     .bytes = seen_bytes_,
                     .contention = contention_.factor(),
                     .receiver = receiver_.pace(),
                     .classes = data_.classes(kind_)};
}

}  // namespace adoc
