#include "control/auto_policy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace adoc {
namespace {

/// A block is never more than this part of all before it, so that short files are learned from too;
/// nor longer than this, unless the link has enough to do meanwhile.
constexpr double kFirstBlockBytes = 64 << 10;
constexpr double kGrowth = 4;
constexpr double kBlockSeconds = 0.25;

/// But it may be as long as what takes its thread this, where the link is known to take twice as
/// long for it as all threads: the longer a block, the better it shrinks.
constexpr double kSoonOverSeconds = 50e-3;
constexpr double kClearlySlower = 2;

/// What is left of a block that was cut is taken in pieces of this: that the link waits may be over
/// soon.
constexpr double kAfterCutBytes = 256 << 10;

/// Blocks that the shares of the kinds are averaged over.
constexpr double kShareBlocks = 16;

/// Longer than this, and than a quarter of what the threads may give it at once, a queue has more
/// than what the link needs while the next blocks are made.
constexpr double kQueueSeconds = 2e-3;
constexpr double kQueueBlocks = 0.25;
constexpr double kFirstQueueBytes = 32 << 10;

/// So much that could be sent, while the system has next to nothing to send, waits for a processor,
/// which it is left for at most so long. Before the link is known what it shows is worth more.
constexpr std::uint64_t kStarvedBytes = 512 << 10;
constexpr std::uint64_t kFirstStarvedBytes = 48 << 10;
constexpr std::uint64_t kNextToNothing = 64 << 10;
constexpr double kGiveWaySeconds = 2e-3;

/// A link that is not known by then, or on which nothing arrives for so long, is slow. What the
/// system does not take yet is enough for it, and what would be made before it is known for how
/// slow would be made in haste.
constexpr double kSoonKnownSeconds = 5e-3;
constexpr double kStuckSeconds = 1e-3;
constexpr double kUnknownReadyBytes = 16 << 10;
constexpr double kUnknownSeconds = 20e-3;

/// As long as the link is only remembered, no more is made ahead of it than it should take in this,
/// within bounds; nor is a raw block longer than half the upper one, since what of it is being sent
/// cannot be made anew.
constexpr double kKeptReadySeconds = 5e-3;
constexpr double kLeastKeptReadyBytes = 128 << 10;
constexpr double kMostKeptReadyBytes = 512 << 10;
constexpr double kMostKeptRawBytes = kMostKeptReadyBytes / 2;

/// As long as it is only guessed to be faster than it was, no more than it should take in that much
/// if it is not, for at most so long: by then it has taken enough to tell. And no block is longer
/// than what it would then take this for.
constexpr double kGuessedSeconds = 100e-3;
constexpr double kGuessedBlockSeconds = 50e-3;

/// A block at a level that is dense because the link is remembered as slow is not cut before so
/// much of it was sent that buffers on the way cannot have taken it.
constexpr std::size_t kUncutBytes = 256 << 10;
/// Nor before more was made of it, up to this, than the link should have sent by then if it is so
/// much faster than remembered: what it waits in between says nothing.
constexpr std::size_t kMostUncutBytes = 1 << 20;
constexpr double kUncutRate = 1.25;

/// Over a link that is remembered, a level that is no more in doubt than this may have blocks of
/// its own length from the first on, or, where the link does not take longer than the threads, such
/// as take their thread this: the last ones of a short file are for all threads.
constexpr double kLittleDoubt = 0.5;
constexpr double kSurelySeconds = 2e-3;

/// What shrinks to less than this, a packet of a slow level, leaves when all of it is made, and not
/// meanwhile: of longer blocks than that the other side has its share too late.
constexpr double kLeastStreamedBytes = 8 << 10;
constexpr double kLongestVanishingBytes = 512 << 10;

/// What is made for a link that is faster is not kept to be made anew: it is soon gone.
constexpr double kKeepingRate = 250e6;
/// Nor what shrinks to less than this: 4 MB of it take 10 Mbit/s no longer than what may wait
/// anyway.
constexpr double kVanishing = 0.01;
constexpr double kUnknownKeptBytes = 1 << 20;

/// A transfer of less tells nothing of levels that would be worth what it makes older.
constexpr double kTellingBytes = 1 << 20;

/// The densest level before any was tried; from each that was, the next may be so much denser.
constexpr int kFirstTop = 7;
constexpr int kClimb = 7;

/// The receiver is taken for what limits, or no longer, from these shares on; what is held of the
/// link then is divided by e in the first time and multiplied in the second.
constexpr double kStalls = 0.5;
constexpr double kFlows = 0.2;
constexpr double kYieldSeconds = 0.1;
constexpr double kReturnSeconds = 0.1;
constexpr double kLeastReceiverFactor = 1e-5;

}  // namespace

AutoPolicy::AutoPolicy(const Setup& setup)
    : setup_(setup),
      model_(setup.ladder),
      top_(std::clamp(kFirstTop, setup.range.min, setup.range.max)),
      rate_(setup.experience ? LinkRate(setup.experience->link_rate) : LinkRate()),
      receiver_(setup.ladder,
                setup.experience ? setup.experience->receiver : Experience::Receiver{}),
      tried_(static_cast<std::size_t>(setup.ladder.top()) + 1),
      lengths_(static_cast<std::size_t>(setup.ladder.top()) + 1, kFirstBlockBytes) {
  for (int level = 0; level <= setup.ladder.top(); ++level)
    table_bytes_.push_back(static_cast<double>(table_bytes(setup.ladder[level])));
  if (!setup.experience) return;
  model_.start_from(*setup.experience);
  kind_ = setup.experience->last_kind;
  for (const Experience::Kind& kind : setup.experience->kinds)
    for (const Experience::Level& level : kind.levels) may_climb_from(level.level);
}

std::optional<Experience> AutoPolicy::experience() const {
  auto rate = rate_.lately();
  // What went over the link may be too little to tell of it, for a level that shrinks data by much
  // or keeps it waiting; of the level it tells.
  if (!rate && setup_.experience && read_bytes_ >= kTellingBytes)
    rate = setup_.experience->link_rate;
  if (!rate) return std::nullopt;
  Experience experience{.link_rate = *rate, .receiver = receiver_.pace(), .last_kind = kind_};
  model_.tell(experience);
  return experience;
}

// What a level does that is far from any tried is a guess, and a guess at a dense level is dear.
void AutoPolicy::may_climb_from(int level) {
  top_ = std::clamp(level + kClimb, top_, std::max(top_, setup_.range.max));
}

void AutoPolicy::see(const LinkState& link) {
  rate_.see(link, !hindrance_.hinders());
  receiver_.see(link);
  sending_seconds_ = kSendingSeconds + link.carrying_seconds_per_byte * hindrance_.slower();
  const double elapsed = link.seconds - seen_seconds_;
  seen_seconds_ = link.seconds;
  const double stalled = link.receiver.stalled_share;
  if (stalled > kStalls)
    receiver_factor_ =
        std::max(kLeastReceiverFactor, receiver_factor_ * std::exp(-elapsed / kYieldSeconds));
  else if (stalled < kFlows)
    receiver_factor_ = std::min(1.0, receiver_factor_ * std::exp(elapsed / kReturnSeconds));
}

// Of which the threads have the use, all together; what is learned of levels is the time of one.
double AutoPolicy::processors() const {
  return static_cast<double>(setup_.threads) / hindrance_.pauses();
}

// Of a thread, by the clock.
double AutoPolicy::seconds_per_byte(const Prediction& prediction) const {
  return prediction.seconds_per_byte * hindrance_.factor();
}

// A rate that takes most of all processors to send is theirs rather than the link's.
double AutoPolicy::link_rate() const {
  const double rate = rate_.bytes_per_second();
  const double load = rate * (kHandlingSeconds + sending_seconds_) / processors();
  return rate * (1 + load * load * load * load);
}

Plan AutoPolicy::plan(const LinkState& link) {
  see(link);
  Plan plan{.block_bytes = block_bytes(link)};
  const std::uint64_t ready = link.ready_bytes - link.unsent_bytes;
  // What is remembered may be of a link that was faster, and what is guessed of one that is not.
  double enough = kNever;
  double longest = kUnknownSeconds;
  if (!rate_.known()) {
    const bool slow = link.seconds > kSoonKnownSeconds || rate_.stuck_seconds() > kStuckSeconds;
    if (slow) enough = kUnknownReadyBytes;
  } else if (rate_.kept()) {
    enough = std::clamp(kKeptReadySeconds * link_rate(), kLeastKeptReadyBytes, kMostKeptReadyBytes);
  } else if (const auto seen = rate_.less_than_guessed()) {
    enough = std::max(kKeptReadySeconds * *seen, kLeastKeptReadyBytes);
    longest = kGuessedSeconds;
  }
  if (static_cast<double>(ready) > enough) {
    plan.lets_send_seconds = longest;
    plan.lets_send_bytes = static_cast<std::size_t>(enough);
    return plan;
  }
  // Who makes raw blocks hardly keeps a processor from the sending thread.
  const bool computes = !rate_.known() || level_ != 0;
  const std::uint64_t starved = rate_.known() ? kStarvedBytes : kFirstStarvedBytes;
  if (computes && link.unsent_bytes < kNextToNothing && ready > starved) {
    plan.lets_send_seconds = kGiveWaySeconds;
    plan.lets_send_bytes = starved / 2;
  }
  return plan;
}

// The longer a block, the better it shrinks, so its length and its level are one choice.
std::size_t AutoPolicy::block_bytes(const LinkState& link) {
  const double ahead = reach(link);
  find_lengths(ahead);
  if (setup_.block_bytes != 0) return setup_.block_bytes;
  const double longest =
      std::max(kFirstBlockBytes, kGuessedBlockSeconds * rate_.less_than_guessed().value_or(kNever));
  if (after_cut_) return static_cast<std::size_t>(std::min(kAfterCutBytes, longest));
  Terms terms = this->terms();
  terms.reach = ahead;
  double length = kFirstBlockBytes;
  double least = kNever;
  for (int level = setup_.range.min; level <= top_; ++level) {
    const auto at = static_cast<std::size_t>(level);
    terms.raw = lengths_[at];
    const double of_a_byte = cost(kind_, at, terms, least * terms.raw) / terms.raw;
    if (of_a_byte >= least) continue;
    length = terms.raw;
    least = of_a_byte;
  }
  return static_cast<std::size_t>(std::min(length, longest));
}

// `ahead` is in how many seconds the link comes to the block.
void AutoPolicy::find_lengths(double ahead) {
  const double rate = link_rate();
  for (std::size_t level = 0; level <= static_cast<std::size_t>(top_); ++level) {
    const Prediction& p = model_.of(kind_)[level];
    // The link sends what waits, then the block while it is being compressed.
    const double link_seconds = p.own_wire_per_byte / rate;
    const double thread_seconds = seconds_per_byte(p);
    const double slower = thread_seconds - link_seconds;
    const double in_time = slower > 0 ? ahead / slower : kNever;
    double grown = read_bytes_ / kGrowth;
    const double threads_seconds = thread_seconds / static_cast<double>(setup_.threads);
    const bool surely = rate_.remembered() && p.doubt < kLittleDoubt;
    if (rate_.known() && link_seconds > kClearlySlower * threads_seconds)
      grown = std::max(grown, surely ? p.own_bytes : kSoonOverSeconds / thread_seconds);
    else if (surely)
      grown = std::max(grown, kSurelySeconds / thread_seconds);
    const bool streams = p.own_wire_per_byte * p.own_bytes >= kLeastStreamedBytes;
    const double longest = streams ? p.own_bytes : std::min(p.own_bytes, kLongestVanishingBytes);
    const double sendable = rate_.kept() && level == 0 ? kMostKeptRawBytes : kNever;
    const double bytes =
        std::min({std::max(kBlockSeconds / thread_seconds, in_time), longest, grown, sendable});
    lengths_[level] = std::max(kFirstBlockBytes, bytes);
  }
}

Choice AutoPolicy::choose(const LinkState& link, const Look& look, std::size_t raw_bytes) {
  see(link);
  const auto raw = static_cast<double>(raw_bytes);
  kind_ = LevelModel::kind_of(look);
  const double gain = read_bytes_ == 0 ? 1 : 1 / kShareBlocks;
  for (double& share : shares_) share *= 1 - gain;
  shares_[kind_] += gain;
  ++seen_[kind_];
  read_bytes_ += raw;

  // What is left of a block that was cut is what the link waits for, whatever is behind it.
  const double ahead = std::exchange(after_cut_, false) ? 0 : reach(link);
  // A queue that is longer than it needs to be is for whatever made it so to mend, and one that is
  // half full in any case. But it may be long because the sending thread stands still, too.
  const double fill =
      hindrance_.hinders() ? 0 : static_cast<double>(link.queued_bytes) / needed_queue(raw);
  follow_prices(link.seconds);
  Terms terms = this->terms(std::max(1.0, fill * fill));
  terms.raw = raw;
  terms.reach = ahead;
  level_ = best_level(kind_, terms);
  const std::uint64_t ticket = begin(link, raw);
  return {.level = static_cast<int>(level_),
          .reason = reason(link, look),
          .may_cut = true,
          .uncut = uncut(),
          .keeps = !look.random && keeps() && !vanishes(raw),
          .ticket = ticket};
}

Uncut AutoPolicy::uncut() const {
  if (!rate_.kept()) return {};
  return {.bytes = kUncutBytes,
          .most_bytes = kMostUncutBytes,
          .at_once_bytes = LinkRate::kAtOnceBytes,
          .bytes_per_second = kUncutRate * rate_.bytes_per_second()};
}

// A link of which nothing is known may be a slow one, whatever it took at once; one that is never
// full is not.
bool AutoPolicy::keeps() const {
  if (rate_.kept()) return true;
  if (!rate_.known()) return read_bytes_ <= kUnknownKeptBytes;
  return rate_.bytes_per_second() < kKeepingRate;
}

// However slow the link, what there is to be saved by making it anew is less than what it costs to
// have the bytes of all of it in memory.
bool AutoPolicy::vanishes(double raw) {
  return model_.of(kind_)[level_].wire_per_byte(raw) < kVanishing;
}

std::uint64_t AutoPolicy::begin(const LinkState& link, double raw) {
  const Prediction& p = model_.of(kind_)[level_];
  used_bytes_ = std::max(used_bytes_, table_bytes_[level_] + raw);
  compressed_ = compressed_ || level_ != 0;
  begun_.push_back({.ticket = ++tickets_,
                    .level = static_cast<int>(level_),
                    .begin = link.seconds,
                    .seconds = seconds_per_byte(p) * raw,
                    .wire = p.wire_per_byte(raw) * raw});
  return tickets_;
}

std::string_view AutoPolicy::reason(const LinkState& link, const Look& look) const {
  const bool dearer = receiver_.ever_limited() && prices_.receiver > prices_.link;
  if (receiver_factor_ < 0.5 || dearer) return "receiver limits";
  if (look.random && level_ == 0) return "random";
  if (link.queued_bytes == 0) return "link idle";
  return "price";
}

void AutoPolicy::end(const BlockResult& result) {
  after_cut_ = after_cut_ || result.cut;
  if (result.instead_of.raw_bytes != 0) receiver_.take_back(result.instead_of);
  receiver_.learn(result.level, static_cast<double>(result.raw_bytes),
                  static_cast<double>(result.wire_bytes));
  std::erase_if(begun_, [&](const Begun& block) { return block.ticket == result.ticket; });
}

void AutoPolicy::learn(const LinkState& link, const BlockResult& result) {
  see(link);
  if (!result.trial) end(result);
  // What a few bytes take tells of the frame around them.
  if (result.raw_bytes < kLeastTelling) return;
  may_climb_from(result.level);
  if (static_cast<double>(result.raw_bytes) >= kLongBlockBytes)
    tried_[static_cast<std::size_t>(result.level)] = true;
  hindrance_.follow(link.seconds, result);
  const auto raw = static_cast<double>(result.raw_bytes);
  model_.learn({.kind = LevelModel::kind_of(result.look),
                .level = result.level,
                .bytes = raw,
                .seconds_per_byte = Hindrance::own_seconds(result) / raw,
                .wire_per_byte = static_cast<double>(result.wire_bytes) / raw,
                .again = result.trial});
}

// What the link sends in a while, and what the threads may give it all at once.
double AutoPolicy::needed_queue(double raw) {
  if (!rate_.known()) return kFirstQueueBytes * static_cast<double>(setup_.threads);
  const double blocks =
      static_cast<double>(setup_.threads) * raw * model_.of(kind_)[level_].wire_per_byte(raw);
  return std::min(kQueueSeconds * link_rate() + kQueueBlocks * blocks, setup_.fifo_bytes / 2);
}

AutoPolicy::Ahead AutoPolicy::ahead(const LinkState& link) const {
  Ahead ahead{.bytes = static_cast<double>(link.queued_bytes)};
  for (const Begun& block : begun_) {
    const double left = std::max(0.0, block.begin + block.seconds - link.seconds);
    ahead.making_seconds = std::max(ahead.making_seconds, left);
    if (block.seconds > 0) ahead.bytes += block.wire * left / block.seconds;
  }
  return ahead;
}

// Not before all that is ahead is ready, nor before all of that is sent, and what waits in a queue
// on its way before it.
double AutoPolicy::reach(const LinkState& link) const {
  const Ahead ahead = this->ahead(link);
  const double rate = link_rate();
  const auto on_its_way = static_cast<double>(link.sent_bytes - link.arrived_bytes);
  return std::max(ahead.making_seconds,
                  ahead.bytes / rate + std::min(link.queue_seconds, on_its_way / rate));
}

}  // namespace adoc
