#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "control/auto_policy.hpp"

/// What becomes of bytes that were made into a block before.
namespace adoc {
namespace {

/// Where the queue is longer than this, it is looked at whether what waits in it should be made
/// anew: if that saves so much time, and such a part of what it takes. It becomes one block, of no
/// more than this.
constexpr double kLongQueueSeconds = 30e-3;
constexpr double kWorthSeconds = 4e-3;
constexpr double kWorthPart = 0.2;
constexpr double kMostRemadeBytes = 4 << 20;
constexpr std::size_t kAlikeKinds = 2;  ///< what is further off is no block of the same data

/// How many times more a level that was not tried itself may shrink than predicted, where nothing
/// is risked by it, of the logarithm of the ratio; and how long before the link has sent all the
/// trial is to be over: the time for it, and a part of all that is left, as the link may be faster.
constexpr double kTrialHope = 1;
constexpr double kTrialHopeNextToTried = 0.5;
constexpr double kTrialEndsSeconds = 50e-3;
constexpr double kTrialPart = 0.8;
/// One that is less untried than this was seen lately. It may shrink better by so many standard
/// errors; where that gains less than this part of what the block costs, as for any level where
/// blocks hardly differ, nothing is learned in the time that it takes.
constexpr double kSeenLately = 0.4;
constexpr double kTrialErrors = 4;
constexpr double kWorthKnowingPart = 0.14;

bool alike(std::size_t kind, std::size_t other) noexcept {
  return std::max(kind, other) - std::min(kind, other) <= kAlikeKinds;
}

}  // namespace

// To leave a run as it is costs what the link takes for it, to make it anew what any block costs.
std::optional<Remake> AutoPolicy::remake(const LinkState& link,
                                         std::span<const WaitingBlock> waiting) {
  see(link);
  const double rate = link_rate();
  if (static_cast<double>(link.queued_bytes) < kLongQueueSeconds * rate) return std::nullopt;
  follow_prices(link.seconds);
  Terms terms = this->terms();
  std::optional<Remake> best;
  double most = kWorthSeconds * terms.price;
  double wire = 0;
  double receiver = 0;
  double raw = 0;
  std::size_t end = waiting.size();
  const double longest =
      setup_.block_bytes != 0 ? static_cast<double>(setup_.block_bytes) : kMostRemadeBytes;
  for (std::size_t first = waiting.size(); first-- != 0;) {
    const WaitingBlock& block = waiting[first];
    const std::size_t kind = LevelModel::kind_of(block.look);
    if (first + 1 == end || !waiting[first + 1].follows ||
        !alike(kind, LevelModel::kind_of(waiting[first + 1].look)) ||
        terms.raw + static_cast<double>(block.raw_bytes) > longest) {
      end = first + 1;
      terms.raw = wire = receiver = 0;
    }
    terms.raw += static_cast<double>(block.raw_bytes);
    wire += static_cast<double>(block.wire_bytes);
    receiver += receiver_.seconds_per_byte(block.level, static_cast<double>(block.wire_bytes) /
                                                            static_cast<double>(block.raw_bytes)) *
                static_cast<double>(block.raw_bytes);
    terms.reach = static_cast<double>(link.unsent_bytes + block.ahead_bytes) / rate;
    const std::size_t level = best_level(kind, terms);
    // What was predicted for it and did not come true is not tried again.
    if (first + 1 == end && static_cast<int>(level) <= block.level) continue;
    const double stay = wire * sending_seconds_ / processors() + terms.price * wire / rate +
                        terms.receiver_price * receiver;
    const double gain = stay - cost(kind, level, terms);
    if (gain < most || gain < kWorthPart * stay) continue;
    most = gain;
    kind_ = kind;
    level_ = level;
    best = Remake{.first = first, .count = end - first, .look = block.look};
    best->choice = {
        .level = static_cast<int>(level), .reason = "again", .may_cut = true, .keeps = true};
    raw = terms.raw;
  }
  if (best) best->choice.ticket = begin(link, raw);
  return best;
}

bool AutoPolicy::being_made(int level) const {
  return std::ranges::any_of(begun_, [&](const Begun& block) { return block.level == level; });
}

// Of one codec, a level whose setting is next to that of one that was tried is hardly another one.
bool AutoPolicy::next_to_tried(int level) const {
  const auto next = [&](int other) {
    if (other < 0 || other > setup_.ladder.top() || !tried_[static_cast<std::size_t>(other)])
      return false;
    const Rung& rung = setup_.ladder[level];
    const Rung& tried = setup_.ladder[other];
    return rung.codec == tried.codec && std::abs(rung.setting - tried.setting) <= 1;
  };
  return next(level - 1) || next(level + 1);
}

// What the next blocks like it would otherwise be risked for. One that may not be over in time is
// not begun, as nobody would learn of it.
std::optional<Trial> AutoPolicy::trial(const LinkState& link, const Look& look,
                                       std::size_t raw_bytes) {
  see(link);
  // What the system was given counts as sent: who waits for the last of it has nothing to end. And
  // what is still being made may be in want of the processor.
  const Ahead ahead = this->ahead(link);
  const double sending = (ahead.bytes - static_cast<double>(link.unsent_bytes)) / link_rate();
  const double left = kTrialPart * sending - ahead.making_seconds - kTrialEndsSeconds;
  if (!rate_.known() || look.random || left <= 0) return std::nullopt;
  const std::size_t kind = LevelModel::kind_of(look);
  Terms terms = this->terms();
  terms.raw = static_cast<double>(raw_bytes);
  const double least = cost(kind, best_level(kind, terms), terms);
  double most = 0;
  std::optional<Trial> best;
  for (int level = setup_.range.min; level <= setup_.range.max; ++level) {
    const auto at = static_cast<std::size_t>(level);
    const Prediction& p = model_.of(kind)[at];
    const double takes = seconds_per_byte(p) * terms.raw;
    const double perhaps_more = takes * kCaution * p.speed_doubt;
    const double at_least = std::min(1.0, kLongBlockBytes / terms.raw);
    if (tried_[at] || being_made(level)) continue;
    if ((takes + perhaps_more) * at_least > left) continue;
    const bool seen = p.untried < kSeenLately;
    terms.hope = seen ? 0 : next_to_tried(level) ? kTrialHopeNextToTried : kTrialHope;
    terms.errors = seen ? kTrialErrors : 0;
    // That it may take longer than thought costs nothing here.
    terms.reach = perhaps_more;
    const double gain = least - cost(kind, at, terms, least);
    if (gain <= most * takes || (seen && gain < kWorthKnowingPart * least)) continue;
    most = gain / takes;
    best = Trial{.level = level, .most_seconds = left};
  }
  if (best) tried_[static_cast<std::size_t>(best->level)] = true;
  return best;
}

}  // namespace adoc
