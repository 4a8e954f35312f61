#include "cli/limits.hpp"

#include <algorithm>

namespace adoc::cli {
namespace {

/// While it sends, a thread that waits for the link needs a processor for less of the time than
/// the first, and one that waits for nothing else for more than the second.
constexpr double kWaitingForLink = 0.4;
constexpr double kWaitingForProcessor = 0.8;

/// A receiver that writes for so much of the time waits for that, and not for processors, if it
/// brings less than so many bytes a second to the files: memory takes more.
constexpr double kWritingShare = 0.5;
constexpr double kDiskBytesPerSecond = 400e6;

/// A receiver that has kept the link waiting for so much of its time is behind at the end, too.
constexpr double kBehindShare = 0.5;

/// A round trip; on a shorter one any buffer is large enough, and a window is closed because nobody
/// reads.
constexpr double kNearSeconds = 5e-3;

/// Gives of `left` what there is, at most so much.
double part_of(double& left, double wanted) noexcept {
  const double taken = std::clamp(wanted, 0.0, left);
  left -= taken;
  return taken;
}

struct Interval {
  const Observation& from;
  const Observation& to;
  double seconds;

  /// A share of the interval, at least 0.
  [[nodiscard]] double share(double Observation::*member) const noexcept {
    return std::max(0.0, to.*member - from.*member) / seconds;
  }
  [[nodiscard]] double ratio(double Observation::*part, double Observation::*all) const noexcept {
    const double whole = to.*all - from.*all;
    return whole > 0 ? std::clamp((to.*part - from.*part) / whole, 0.0, 1.0) : 0;
  }
};

bool waits_for_disk(const Interval& time) noexcept {
  const double writing = time.to.writing_seconds - time.from.writing_seconds;
  const double told = time.to.receiver_seconds - time.from.receiver_seconds;
  if (told <= 0 || writing < kWritingShare * told) return false;
  const auto bytes = static_cast<double>(time.to.written_bytes - time.from.written_bytes);
  return bytes < kDiskBytesPerSecond * writing;
}

/// All is sent: whether it is still at work on what has arrived, and does not just flush it.
bool is_behind(const Observation& seen) noexcept {
  const Observation begin;
  const Interval all{begin, seen, seen.time_seconds};
  return seen.receiver_stalled_seconds > kBehindShare * seen.receiver_seconds &&
         !waits_for_disk(all);
}

/// There is something to send.
void share_sending(const Interval& time, double sending, LimitShares& shares) noexcept {
  shares.of(Limit::bandwidth) += part_of(sending, time.share(&Observation::held_back_seconds));
  const double stalled = part_of(
      sending,
      sending * time.ratio(&Observation::receiver_stalled_seconds, &Observation::receiver_seconds));
  const Limit behind = waits_for_disk(time) ? Limit::disk : Limit::receiver;
  shares.of(behind) += stalled;
  const double busy =
      time.ratio(&Observation::sending_processor_seconds, &Observation::sending_seconds);
  const double here = (busy - kWaitingForLink) / (kWaitingForProcessor - kWaitingForLink);
  shares.of(Limit::sender) += part_of(sending, sending * std::clamp(here, 0.0, 1.0));
  const double closed = part_of(sending, time.share(&Observation::receive_window_seconds));
  const bool is_near = time.to.round_trip_seconds < kNearSeconds;
  shares.of(!is_near ? Limit::buffer : behind) += closed;
  shares.of(Limit::buffer) += part_of(sending, time.share(&Observation::send_buffer_seconds));
  shares.of(Limit::link) += sending;
}

/// There is nothing to send.
void share_starving(const Interval& time, double starving, LimitShares& shares) noexcept {
  shares.of(is_behind(time.to) ? Limit::receiver : Limit::disk) +=
      part_of(starving, time.share(&Observation::finishing_seconds));
  double answers = part_of(starving, time.share(&Observation::answer_seconds));
  shares.of(Limit::disk) += part_of(answers, time.share(&Observation::commit_seconds));
  shares.of(Limit::source) += part_of(answers, time.share(&Observation::walking_seconds));
  shares.of(Limit::answers) += answers;
  shares.of(Limit::source) += part_of(starving, time.share(&Observation::source_seconds));
  shares.of(Limit::sender) += starving;
}

}  // namespace

std::string_view in_words(Limit limit) noexcept {
  constexpr std::array<std::string_view, kLimits> kWords{
      "link",       "--bwlimit", "socket buffer", "processors here", "processors there",
      "disk there", "source",    "round trips"};
  return kWords[static_cast<std::size_t>(limit)];
}

std::string_view key_of(Limit limit) noexcept {
  constexpr std::array<std::string_view, kLimits> kKeys{
      "link", "bandwidth", "buffer", "sender", "receiver", "disk", "source", "answers"};
  return kKeys[static_cast<std::size_t>(limit)];
}

bool LimitShares::any() const noexcept {
  return std::ranges::any_of(share, [](double one) { return one > 0; });
}

Limit LimitShares::largest() const noexcept {
  return static_cast<Limit>(std::ranges::max_element(share) - share.begin());
}

LimitShares limits_between(const Observation& from, const Observation& to) noexcept {
  LimitShares shares;
  const Interval time{from, to, to.time_seconds - from.time_seconds};
  if (time.seconds <= 0) return shares;
  double starving = 1;
  const double sending = part_of(starving, time.share(&Observation::sending_seconds));
  share_sending(time, sending, shares);
  share_starving(time, starving, shares);
  return shares;
}

}  // namespace adoc::cli
