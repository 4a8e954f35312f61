#include "io/channel_window.hpp"

#include <algorithm>

#include "io/channel_record.hpp"

namespace adoc {

namespace {

constexpr double kLeastBytes = 16 << 10;
constexpr double kMostBytes = 64 << 20;

// With their headers records fill the pages of a pipe, which holds 16 of them, however empty.
constexpr std::size_t kPage = 4 << 10;
constexpr std::size_t kMostPages = 16;
constexpr std::size_t kFirstRecord = 1 << 10;
constexpr double kRecordSeconds = 5e-3;

// BBR's gains: 2/ln 2 doubles the rate with each round; then a quarter more than the link holds
// finds out when it has got faster.
constexpr double kStartGain = 2.89;
constexpr double kGain = 1.25;
/// Less than the gain, so that a link that takes all of it counts as one that gets faster.
constexpr double kGrowth = 1.15;
constexpr int kRoundsWithoutGrowth = 3;

/// A rate is measured only while this part of the window or more is in use.
constexpr double kInUse = 0.5;

/// For how long the shortest round trip counts, as with BBR, and what is as short.
constexpr std::chrono::seconds kRoundTripPeriod{10};
constexpr double kAboutAsShort = 1.05;
/// How long nothing waits then, at least; else two round trips.
constexpr double kDrainSeconds = 0.05;
constexpr double kDrainRoundTrips = 2;

/// On the way are processes that wait for a processor, some for one that compresses here. What they
/// have not dealt with yet does not wait for the link, and must not be missing there: so much is on
/// its way without being counted as waiting.
constexpr double kAwakeSeconds = 5e-3;
constexpr double kMostAwakeBytes = 1 << 20;

/// More than what several of them take. With TCP (tcp_delivery.cpp) only the kernels answer.
constexpr double kQueueSeconds = 20e-3;

/// What arrives at that rate while somebody on the way waits for a processor.
double dealt_with(double bytes_per_second) noexcept {
  return std::min(bytes_per_second * kAwakeSeconds, kMostAwakeBytes);
}

double seconds(Clock::duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

ChannelWindow::ChannelWindow() : samples_(kMostSamples) {}

void ChannelWindow::sent(std::uint64_t total, Clock::time_point now) {
  if (on_the_way() == 0) {
    // Time in which there was nothing on its way tells nothing.
    arrived_at_ = now;
    arrived_sent_at_ = now;
  }
  const bool has_room =
      static_cast<double>(total - arrived_) < kInUse * static_cast<double>(bytes());
  if ((has_room && !held_up_) || drains_) limited_until_ = total;
  held_up_ = false;
  sent_ = total;
  if (count_ == kMostSamples) {
    last().total = total;
    return;
  }
  ++count_;
  last() = {.total = total,
            .at = now,
            .arrived = arrived_,
            .arrived_at = arrived_at_,
            .arrived_sent_at = arrived_sent_at_,
            .limited = arrived_ < limited_until_};
}

void ChannelWindow::take_back(std::uint64_t total) noexcept {
  sent_ = total;
  if (count_ == 0) return;
  const std::uint64_t before =
      count_ == 1 ? arrived_ : samples_[(first_ + count_ - 2) % kMostSamples].total;
  if (before < total)
    last().total = total;  // it had joined another one
  else
    --count_;
}

void ChannelWindow::arrived(std::uint64_t total, Clock::time_point now) {
  arrived_ = total;
  const Sample* latest = nullptr;
  while (count_ > 0 && samples_[first_].total <= total) {
    latest = &samples_[first_];
    first_ = (first_ + 1) % kMostSamples;
    --count_;
  }
  if (latest != nullptr) {
    learn_round_trip(seconds(now - latest->at), now);
    learn_rate(*latest, now);
    arrived_sent_at_ = latest->at;
  }
  arrived_at_ = now;
}

void ChannelWindow::learn_round_trip(double round_trip, Clock::time_point now) {
  latest_round_trip_ = round_trip;
  if (round_trip_ == 0 || round_trip <= kAboutAsShort * round_trip_) {
    round_trip_ = round_trip_ == 0 ? round_trip : std::min(round_trip, round_trip_);
    short_at_ = now;
    drains_ = false;
  } else if (drains_) {
    shortest_of_drain_ = std::min(shortest_of_drain_, round_trip);
    if (now < drained_at_) return;
    round_trip_ = shortest_of_drain_;
    short_at_ = now;
    drains_ = false;
  } else if (now - short_at_ > kRoundTripPeriod) {
    drains_ = true;
    shortest_of_drain_ = round_trip;
    const double length = std::max(kDrainSeconds, kDrainRoundTrips * round_trip);
    drained_at_ =
        now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(length));
  }
}

void ChannelWindow::learn_rate(const Sample& sample, Clock::time_point now) {
  // Neither faster than it was sent, nor than it arrived: acknowledgements come in bursts.
  const double interval =
      std::max(seconds(now - sample.arrived_at), seconds(sample.at - sample.arrived_sent_at));
  if (interval <= 0) return;
  const double rate = static_cast<double>(arrived_ - sample.arrived) / interval;
  if (sample.limited && rate <= bytes_per_second()) return;
  rates_.front() = std::max(rates_.front(), rate);
  if (arrived_ >= round_end_) end_round();
}

void ChannelWindow::end_round() {
  round_end_ = sent_;
  const double rate = bytes_per_second();
  if (rate >= kGrowth * rate_before_) {
    rounds_without_growth_ = 0;
    rate_before_ = rate;
  } else {
    rounds_without_growth_ = std::min(rounds_without_growth_ + 1, kRoundsWithoutGrowth);
    rate_before_ = std::min(rate_before_, rate);
  }
  std::rotate(rates_.begin(), rates_.end() - 1, rates_.end());
  rates_.front() = 0;
}

bool ChannelWindow::starts() const noexcept {
  return rounds_without_growth_ < kRoundsWithoutGrowth;
}

double ChannelWindow::bytes_per_second() const noexcept { return std::ranges::max(rates_); }

/// Of this round and the one before: a link that got slower shows that here first.
double ChannelWindow::lately() const noexcept {
  const double rate = std::max(rates_[0], rates_[1]);
  return rate > 0 ? rate : bytes_per_second();
}

std::uint64_t ChannelWindow::bytes() const noexcept {
  const double rate = bytes_per_second();
  const double link = rate * round_trip_;
  const double gain = starts() ? kStartGain : kGain;
  const double waiting = std::max(static_cast<double>(waiting_bytes_), dealt_with(gain * rate));
  const double window = drains_ ? link / 2 : gain * link + waiting;
  return static_cast<std::uint64_t>(std::clamp(window, kLeastBytes, kMostBytes));
}

std::uint64_t ChannelWindow::room() const noexcept {
  const std::uint64_t window = bytes();
  return on_the_way() + kPage <= window ? window - on_the_way() : 0;
}

std::size_t ChannelWindow::record_bytes() const noexcept {
  // A slow link needs long for the first one, which would count for the shortest round trip.
  if (sent_ == 0) return kFirstRecord - ChannelRecord::kHeaderBytes;
  const double pages = bytes_per_second() * kRecordSeconds / double{kPage};
  return static_cast<std::size_t>(std::clamp(pages, 1.0, double{kMostPages})) * kPage -
         ChannelRecord::kHeaderBytes;
}

std::uint64_t ChannelWindow::sent_since(Clock::time_point then) const noexcept {
  std::size_t older = count_;
  while (older > 0 && samples_[(first_ + older - 1) % kMostSamples].at > then) --older;
  return older == 0 ? on_the_way() : sent_ - samples_[(first_ + older - 1) % kMostSamples].total;
}

std::uint64_t ChannelWindow::waiting(Clock::time_point now) const noexcept {
  const double rate = lately();
  const auto link = static_cast<std::uint64_t>(rate * round_trip_ + dealt_with(rate));
  const auto awake = std::chrono::duration<double>(round_trip_ + kAwakeSeconds);
  const std::uint64_t young = sent_since(now - std::chrono::duration_cast<Clock::duration>(awake));
  return on_the_way() - std::min(on_the_way(), std::max(link, young));
}

double ChannelWindow::queue_seconds(Clock::time_point now) const noexcept {
  const double rate = lately();
  if (rate == 0 || latest_round_trip_ / 2 <= round_trip_) return 0;
  const double unexplained =
      latest_round_trip_ - round_trip_ - static_cast<double>(waiting(now)) / rate;
  return unexplained > kQueueSeconds ? unexplained : 0;
}

}  // namespace adoc
