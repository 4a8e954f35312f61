#pragma once

/// Everything that is tuned in the policy `auto`: each with its unit and where it comes from.
/// "Fitted": by tests/bench/policy_score on its fitting seeds. What follows from another is
/// calculated from it.
namespace adoc::params {

// What levels do to data (data_model.hpp). Logarithms are natural.

/// Of the time that a block takes, the deviation of its logarithm that says nothing of the next.
inline constexpr double kSpeedNoise = 0.12;
/// The same of its ratio.
inline constexpr double kRatioNoise = 0.03;
/// Of the logarithm of the ratio, for each time that a block is half as long as its level wants:
/// mean, and as much for the deviation, over kinds of data.
inline constexpr double kLengthLoss = 0.03;
/// Bits; what the entropy of a sample is off by as a measure of what levels do. Blocks whose
/// samples differ by more than two of it are of different classes of data. Four of it are two
/// deviations of the prior's samples: what a sample is further below their mean counts as that.
inline constexpr double kEntropyNoise = 0.5;
/// Deviations; a block whose ratio is off by more says that less is known than was thought. An
/// untried level that is thought weaker than a lighter one by half of it is thought no weaker.
inline constexpr double kSurprise = 3;
/// Of the prior's covariance; what each block adds, since data change.
inline constexpr double kDataDrift = 5e-4;
/// Deviations; by so much a level is thought better than expected, so that it is tried.
inline constexpr double kOptimism = 0.75;
/// Of the bytes in which matches far before are searched, the part that is copied: what is thought
/// at first, and at the least; and the bytes in which it is learned by 1/e, a few blocks.
inline constexpr double kLeastMatched = 0.005;
inline constexpr double kMatchedMemoryBytes = 8 << 20;
/// Seconds of a processor, for a byte that is searched: what perf says of MatchFinder::find() and
/// what comes of it, in a transfer of binaries.
inline constexpr double kSearchSeconds = 2e-9;
/// Rungs; the rests of levels, beside the factor in common, go together by 1/e if so far apart:
/// those of speeds, and of strengths. Fitted.
inline constexpr double kSpeedCorrelation = 3;
inline constexpr double kStrengthCorrelation = 20;

// The rate of the link (rate_belief.hpp, link_model.hpp).

/// Nothing is known of a link: mean and deviation of the logarithm, around 48 MB/s, from modems to
/// the memory of one machine.
inline constexpr double kPriorLogMean = 17.69;
inline constexpr double kPriorDeviation = 2;
/// Of the logarithm of a measured rate.
inline constexpr double kRateNoise = 0.1;
/// The chance that a measurement says nothing of the rate, since others had the processor or the
/// link, and that a path is another one than the one that is remembered.
inline constexpr double kException = 0.02;
/// Of the logarithm, a second: how far rates wander.
inline constexpr double kRateDrift = 0.25;
/// A second: how often a link becomes another one.
inline constexpr double kRateJumps = 0.1;
/// Bytes; the steps in which arrivals are seen: what a system sends at once.
inline constexpr double kArrivalBytes = 64 << 10;
/// Seconds; states that follow sooner tell nothing new, nor does a receiver that worked for less.
inline constexpr double kLeastSeconds = 0.1e-3;
/// Bytes that a shaper lets pass at once: they are of the same kind.
inline constexpr double kBurstBytes = 2 * kArrivalBytes;
/// Seconds; in this time a thread that was woken gets a processor, even if others compute on all.
inline constexpr double kWakeSeconds = 5e-3;
/// Seconds; a measurement ends after this time at the latest; averages are of it.
inline constexpr double kWindowSeconds = 200e-3;
/// Seconds of the link, and what the next block takes to be made: no more is made ahead of it.
inline constexpr double kMostAheadSeconds = 0.5;
/// Of the logarithm of the rate, the deviation above which nothing is made ahead of the link.
inline constexpr double kUnsure = 0.5;

// The receiver (receiver_model.hpp).

/// It limits if it did not read for this part of an interval, in which nothing is learned of the
/// link; or if its threads, or its disk, were at work for this part of it, as they are not at the
/// end of a slow link, and more waits than it wrote meanwhile. And it does when it did the time
/// before as well.
inline constexpr double kLimitingShare = 0.1;
/// Seconds in which it is forgotten by e how slow it was, while it does not limit, and how long its
/// threads took to decompress.
inline constexpr double kReceiverForgetSeconds = 2;

// What work costs.

/// Seconds of a processor, for each block.
inline constexpr double kBlockSeconds = 60e-6;
/// Seconds of a processor, for a raw byte to be read, checked and queued.
inline constexpr double kHandlingSeconds = 0.17e-9;
/// Seconds of a processor, for a byte to be sent.
inline constexpr double kSendingSeconds = 0.4e-9;
/// The same, for a byte to be received, and for a raw one to be checked and written: 0.22 and 0.30
/// ns where both ends have one machine (tests/support/sim.hpp).
inline constexpr double kReceivingSeconds = kSendingSeconds / 2;
inline constexpr double kStoringSeconds = 2 * kHandlingSeconds;

/// Of the price of a second of processors and one of the channel: also what idles is worth
/// something to others. So nothing is searched for where the link is fast and little is found.
inline constexpr double kLeastPrice = 0.01;

// Blocks.

/// Bytes of the first block, and the least of any.
inline constexpr double kFirstBytes = 32 << 10;
/// Of all bytes before it, a block takes no more than this part.
inline constexpr double kGrowth = 0.5;
/// While little is known, what the link has not yet taken is let go first, to so many bytes or
/// kGrowth of what has arrived, and for at most as long as a measurement takes.
inline constexpr double kAheadBytes = kFirstBytes / 4;
/// Seconds that the shortest transfer takes: what is lost beside them nobody notices. Fitted, of 1,
/// 4 and 12 ms.
inline constexpr double kStartSeconds = 1e-3;
/// Bytes; where nobody knows what is to come, it is thought to be no less.
inline constexpr double kLeastHorizonBytes = 4 * kFirstBytes;
/// Bytes; a shorter block is mostly headers and first use, a shorter transfer shows nothing of a
/// path.
inline constexpr double kTellingBlockBytes = kFirstBytes / 8;
inline constexpr double kTellingTransferBytes = 8 * kFirstBytes;

}  // namespace adoc::params
