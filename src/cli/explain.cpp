#include "cli/explain.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <bit>

#include "cli/units.hpp"

namespace adoc::cli {
namespace {

/// Of what takes less, most is the start of programs and of TCP.
constexpr double kTooShortSeconds = 0.1;
/// What is worth a word beside the largest.
constexpr double kAlsoShare = 0.25;
/// What is worth a word unasked.
constexpr double kAdviceSeconds = 2;
constexpr double kAdviceShare = 0.25;
/// More than systems have by themselves.
constexpr std::uint64_t kLeastAdvisedBytes = 16 << 20;

double rate_of(double bytes, double seconds) { return seconds > 0 ? bytes / seconds : 0; }

std::string share_text(double share) { return fmt::format("{:.0f} %", share * 100); }

/// What it is, as the subject of a sentence.
std::string subject(Limit limit, const Outcome& outcome) {
  switch (limit) {
    case Limit::link:
      return "the link";
    case Limit::bandwidth:
      return "--bwlimit";
    case Limit::buffer:
      return outcome.sums.receive_window_seconds >= outcome.sums.send_buffer_seconds
                 ? "the receiver's socket buffer"
                 : "the sender's socket buffer";
    case Limit::sender:
      return "the processors of the sender";
    case Limit::receiver:
      return "the processors of the receiver";
    case Limit::disk:
      return "the receiver's disk";
    case Limit::source:
      return outcome.standard_input ? "standard input" : "reading the source";
    case Limit::answers:
      break;
  }
  return "waiting for the receiver's answers";
}

/// A clause on how it went while that was the limit.
std::string figure(Limit limit, const Outcome& outcome) {
  const Observation& sums = outcome.sums;
  const double sending = std::max(sums.sending_seconds - sums.held_back_seconds, 0.0);
  switch (limit) {
    case Limit::link:
      return fmt::format("which carried {}",
                         format_rate(rate_of(static_cast<double>(outcome.wire_bytes), sending)));
    case Limit::bandwidth:
      return fmt::format(
          "which allowed {}",
          format_rate(rate_of(static_cast<double>(sums.arrived_bytes), sums.time_seconds)));
    case Limit::buffer:
      return fmt::format("at a round trip of {:.1f} ms", sums.round_trip_seconds * 1e3);
    case Limit::sender:
      return "which the link waited for";
    case Limit::receiver:
      return "which decompress and write";
    case Limit::disk:
      return fmt::format("which took {}",
                         format_rate(rate_of(static_cast<double>(outcome.bytes), outcome.seconds)));
    case Limit::source:
      return fmt::format("which gave {}",
                         format_rate(rate_of(static_cast<double>(outcome.bytes), outcome.seconds)));
    case Limit::answers:
      break;
  }
  return fmt::format("at a round trip of {:.1f} ms", sums.round_trip_seconds * 1e3);
}

std::string advice(Limit limit, const Outcome& outcome) {
  const double ratio = ratio_of(outcome.bytes, outcome.wire_bytes);
  switch (limit) {
    case Limit::link:
      if (ratio > 1.05)
        return fmt::format(
            "Only a faster link would make it faster: what crosses it is compressed {:.2f} times "
            "already.",
            ratio);
      return outcome.random_share > 0.5
                 ? "Only a faster link would make it faster: the data does not shrink."
                 : "A faster link would make it faster, or a denser level: the data crossed it as "
                   "it is.";
    case Limit::bandwidth:
      return "A higher --bwlimit, or none, would make it faster.";
    case Limit::buffer:
      return outcome.sums.receive_window_seconds >= outcome.sums.send_buffer_seconds
                 ? "A larger socket buffer on the receiver would make it faster: sysctl "
                   "net.ipv4.tcp_rmem, its third number."
                 : "A larger socket buffer on the sender would make it faster: sysctl "
                   "net.ipv4.tcp_wmem, its third number.";
    case Limit::sender:
      return "More or faster processors on the sender would make it faster.";
    case Limit::receiver:
      return "More or faster processors on the receiver would make it faster.";
    case Limit::disk:
      return "A faster disk on the receiver would make it faster.";
    case Limit::source:
      return outcome.standard_input
                 ? "A program that writes its output faster would make it faster."
                 : "A faster disk on the sender would make it faster.";
    case Limit::answers:
      break;
  }
  return "A path with a shorter round trip would make it faster, or more data in one transfer.";
}

}  // namespace

Explanation explain(const Outcome& outcome) {
  if (outcome.failed && !(outcome.bytes > 0 && outcome.limits.any()))
    return {.limited = "The transfer failed before any contents had crossed.", .faster = {}};
  if (outcome.bytes == 0)
    return {.limited = "Nothing limited this transfer: no contents had to cross.",
            .faster = "Nothing would make it faster."};
  if (!outcome.failed && (outcome.seconds < kTooShortSeconds || !outcome.limits.any()))
    return {.limited = fmt::format("Nothing limited this transfer for long: it took {}.",
                                   format_seconds(outcome.seconds)),
            .faster = "Nothing would make it noticeably faster."};
  const Limit first = outcome.limits.largest();
  LimitShares others = outcome.limits;
  others.of(first) = 0;
  const Limit second = others.largest();
  std::string subject_first = subject(first, outcome);
  if (subject_first.front() != '-')
    subject_first.front() = static_cast<char>(subject_first.front() - 'a' + 'A');
  std::string limited = fmt::format("{}, {}, limited this transfer for {} of its {}", subject_first,
                                    figure(first, outcome), share_text(outcome.limits.of(first)),
                                    format_seconds(outcome.seconds));
  if (others.of(second) >= kAlsoShare)
    limited +=
        fmt::format(", and {} for {}", subject(second, outcome), share_text(others.of(second)));
  if (outcome.failed) return {.limited = limited + " until it failed.", .faster = {}};
  return {.limited = limited + ".", .faster = advice(first, outcome)};
}

std::string buffer_advice(const Observation& sums) {
  if (sums.time_seconds < kAdviceSeconds) return {};
  const double share = limits_between({}, sums).of(Limit::buffer);
  if (share < kAdviceShare) return {};
  const bool is_there = sums.receive_window_seconds >= sums.send_buffer_seconds;
  // Four times what was on its way, over each connection: it may well be twice as fast.
  const double on_the_way = rate_of(static_cast<double>(sums.arrived_bytes), sums.time_seconds) *
                            sums.round_trip_seconds /
                            static_cast<double>(std::max<std::uint64_t>(1, sums.streams));
  const auto bytes =
      std::bit_ceil(std::max(kLeastAdvisedBytes, static_cast<std::uint64_t>(4 * on_the_way)));
  return fmt::format(
      "the {}'s socket buffers limited this transfer for {} of its {}, at a round trip of {:.0f} "
      "ms: sysctl -w net.ipv4.{}=\"4096 {} {}\" there makes it faster",
      is_there ? "receiver" : "sender", share_text(share), format_seconds(sums.time_seconds),
      sums.round_trip_seconds * 1e3, is_there ? "tcp_rmem" : "tcp_wmem", is_there ? 131072 : 16384,
      bytes);
}

}  // namespace adoc::cli
