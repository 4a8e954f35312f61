#pragma once

/// Everything that is tuned in the policy `auto`: each with its unit and where it comes from.
/// "Fitted": by tests/bench/policy_score on its fitting seeds; "measured": by the command named.
namespace adoc::params {

// What levels do to data (data_model.hpp). Logarithms are natural.

/// Of the time that a block takes, the deviation of its logarithm that says nothing of the next.
inline constexpr double kSpeedNoise = 0.12;
/// Deviations; a block that is slower than thought by more is taken for an exception.
inline constexpr double kSlowOutlier = 1.5;
/// Of the prior's covariance; what each exception adds, since it may be the rule.
inline constexpr double kOutlierDrift = 0.05;
/// The same of its ratio.
inline constexpr double kRatioNoise = 0.03;
/// Times; kinds differ more than the samples that the prior was fitted to.
inline constexpr double kPriorInflation = 1.3;
/// Of the logarithm of the ratio, for each time that a block is half as long as its level wants:
/// mean and deviation over kinds of data.
inline constexpr double kLengthLoss = 0.03;
inline constexpr double kLengthLossDeviation = 0.03;
/// Bits; what the entropy of a sample is off by as a measure of what levels do.
inline constexpr double kEntropyNoise = 0.5;
/// Bits; blocks whose samples differ by more are of different classes of data.
inline constexpr double kClassBits = 1;
/// Deviations; an observation that is off by more says that less is known than was thought.
inline constexpr double kSurprise = 3;
/// Of the prior's covariance; what each block adds, since data change.
inline constexpr double kDataDrift = 5e-4;
/// Deviations; by so much a level is thought better than expected, so that it is tried.
inline constexpr double kOptimism = 0.75;

/// What an earlier transfer learned of a level: variance that is added, since data may be others.
inline constexpr double kRememberedVariance = 0.01;

// The rate of the link (rate_belief.hpp, link_model.hpp).

/// Of the logarithm of a measured rate.
inline constexpr double kRateNoise = 0.1;
/// The chance that a measurement says nothing of the rate: others had the processor, or the link.
inline constexpr double kRateOutlier = 0.02;
/// Of the logarithm, a second: how far rates wander.
inline constexpr double kRateDrift = 0.25;
/// A second: how often a link becomes another one.
inline constexpr double kRateJumps = 0.1;
/// Bytes; the steps in which arrivals are seen: what a system sends at once.
inline constexpr double kArrivalBytes = 64 << 10;
/// Bytes that a shaper lets pass at once.
inline constexpr double kBurstBytes = 128 << 10;
/// A measurement ends after so many steps and seconds, or after the longest time.
inline constexpr double kWindowSteps = 4;
inline constexpr double kWindowSeconds = 5e-3;
inline constexpr double kLongestWindowSeconds = 200e-3;
/// While little is known, what the link has not yet taken is let go first, to so many bytes and for
/// at most so many seconds.
inline constexpr double kAheadBytes = 8 << 10;
inline constexpr double kAheadSeconds = 20e-3;
/// Of the logarithm of the rate, the deviation above which nothing is made ahead of the link.
inline constexpr double kUnsure = 0.5;

/// Of an earlier transfer's rate: deviation of the logarithm that is added, and the chance that the
/// path is still the same.
inline constexpr double kRememberedDeviation = 0.2;
inline constexpr double kSamePath = 0.98;

// What work costs.

/// Seconds of a processor, for each block.
inline constexpr double kBlockSeconds = 60e-6;
/// Seconds of a processor, for a raw byte to be read, checked and queued.
inline constexpr double kHandlingSeconds = 0.17e-9;
/// Seconds of a processor, for a byte to be sent.
inline constexpr double kSendingSeconds = 0.4e-9;

// Blocks.

/// Bytes of the first block, and the least of any.
inline constexpr double kFirstBytes = 32 << 10;
/// Of all bytes before it, a block takes no more than this part.
inline constexpr double kGrowth = 0.5;

}  // namespace adoc::params
