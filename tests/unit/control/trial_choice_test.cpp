#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <vector>

#include "control/policy.hpp"
#include "unit/control/auto_ladder.hpp"

namespace adoc {
namespace {

using testkit::kAutoLadder;

/// Mean squares of what log ratios of blocks that look the same were off by.
constexpr double kHardlyDiffer = 0.0025;
constexpr double kDiffer = 0.02;

struct Step {
  int level = 0;
  std::size_t bytes = 0;
};

/// One block at the level and of the length that the policy chooses: what is compressed shrinks so
/// many times, in so many nanoseconds a byte, and has arrived when it is learned of.
template <typename NanosecondsAt>
Step send_block(Policy& policy, LinkState& link, const Look& look, std::size_t shrinks,
                NanosecondsAt nanoseconds) {
  const std::size_t bytes = policy.plan(link).block_bytes;
  const int level = policy.choose(link, look, bytes).level;
  const double seconds = nanoseconds(level) * 1e-9 * static_cast<double>(bytes);
  const std::size_t wire = level == 0 ? bytes : bytes / shrinks;
  link.sent_bytes = link.arrived_bytes += wire;
  policy.learn(link, {.level = level,
                      .look = look,
                      .raw_bytes = bytes,
                      .wire_bytes = wire,
                      .compress_seconds = seconds,
                      .processor_seconds = seconds});
  return {.level = level, .bytes = bytes};
}

/// A policy that knows a link of 10 Mbit/s, and has sent a block of 4 MB at some level over it,
/// which was soon made and takes seconds to leave.
class SlowLink {
 public:
  explicit SlowLink(const Experience& experience = {.link_rate = 1.25e6, .last_kind = 14})
      : policy_(make_policy({}, kAutoLadder, 2, experience)) {
    look_.entropy_bits = 7;
    static_cast<void>(policy_->plan({}));
    const int level = policy_->choose({}, look_, kBytes).level;
    made(level, {.raw_bytes = kBytes, .wire_bytes = 3'600'000, .compress_seconds = 0.02});
  }

  [[nodiscard]] std::optional<Trial> trial() { return policy_->trial(link_, look_, kBytes); }
  void tried(int level, double ratio) {
    made(level, {.raw_bytes = kBytes,
                 .wire_bytes = static_cast<std::size_t>(kBytes / ratio),
                 .compress_seconds = level < 16 ? 0.05 : 0.5,
                 .trial = true});
  }
  /// Of the next transfer's first block.
  [[nodiscard]] int next_level() const {
    const auto next = make_policy({}, kAutoLadder, 2, policy_->experience());
    static_cast<void>(next->plan({}));
    return next->choose({}, look_, kBytes).level;
  }
  [[nodiscard]] Experience experience() const { return policy_->experience().value(); }

  static constexpr std::size_t kBytes = 4 << 20;
  LinkState link_{.seconds = 1, .ready_bytes = 3'000'000, .queued_bytes = 3'000'000};
  Look look_{};

 private:
  void made(int level, BlockResult result) {
    result.level = level;
    result.look = look_;
    result.processor_seconds = result.compress_seconds;
    policy_->learn(link_, result);
  }

  std::unique_ptr<Policy> policy_;
};

TEST(AutoPolicyTest, TriesLevelsWhileASlowLinkSends) {
  // Goal: each that may be denser, once, in the time that there surely is, even if the link is a
  // fifth faster than thought; and the best of them is what the next transfer begins with.
  SlowLink slow;
  std::vector<int> levels;
  while (const auto trial = slow.trial()) {
    EXPECT_GT(trial->most_seconds, 1);
    EXPECT_LT(trial->most_seconds, 3'000'000 / 1.25e6 / 1.2);
    levels.push_back(trial->level);
    ASSERT_LE(levels.size(), 21U);
    slow.tried(trial->level, trial->level == 17 ? 1.5 : 1.16);
  }
  EXPECT_GE(levels.size(), 5U);
  EXPECT_EQ(std::set<int>(levels.begin(), levels.end()).size(), levels.size());
  EXPECT_EQ(std::ranges::count(levels, 17), 1);
  EXPECT_EQ(slow.next_level(), 17);
}

TEST(AutoPolicyTest, TriesOtherLevelsBeforeThoseNextToOneThatWasTried) {
  // Goal: what is most likely to do the same waits: the first trials are of settings apart.
  SlowLink slow;
  std::vector<Rung> rungs;
  while (rungs.size() < 3) {
    const auto trial = slow.trial();
    ASSERT_TRUE(trial);
    slow.tried(trial->level, 1.16);
    const Rung& rung = kAutoLadder[trial->level];
    for (const Rung& other : rungs)
      EXPECT_TRUE(rung.codec != other.codec || std::abs(rung.setting - other.setting) > 1)
          << rung.setting << " and " << other.setting;
    rungs.push_back(rung);
  }
}

TEST(AutoPolicyTest, DoesNotTryAgainWhatTheLastTransferSaw) {
  // Goal: where blocks hardly differ, the time that a transfer has is for what is not known yet.
  SlowLink slow;
  std::set<int> seen;
  for (int i = 0; i < 14; ++i) {
    const auto trial = slow.trial();
    ASSERT_TRUE(trial);
    seen.insert(trial->level);
    slow.tried(trial->level, 1.16);
  }
  Experience experience = slow.experience();
  experience.kinds.front().spread = kHardlyDiffer;
  SlowLink next(experience);
  int others = 0;
  while (const auto trial = next.trial()) {
    EXPECT_FALSE(seen.contains(trial->level)) << trial->level;
    next.tried(trial->level, 1.16);
    ASSERT_LE(++others, 21);
  }
  EXPECT_GT(others, 0);
}

TEST(AutoPolicyTest, TriesAgainWhatMayHaveBeenSeenOnABadDay) {
  // Goal: where blocks of a level differ by more than what it was seen to be worse by, one block
  // of it does not settle that; where they hardly do, it does, and time is for other levels.
  static constexpr int kSeen = 17;
  const auto tries = [](double spread) {
    Experience experience{.link_rate = 1.25e6, .last_kind = 14};
    experience.kinds.push_back({.kind = 14, .mean_bytes = SlowLink::kBytes, .spread = spread});
    for (int level = 1; level <= 20; ++level)
      experience.kinds.back().levels.push_back(
          {.level = level, .weight = 2, .log_ratio = level == kSeen ? 0.02 : 0.15, .doublings = 5});
    SlowLink next(experience);
    std::set<int> tried;
    while (const auto trial = next.trial()) {
      tried.insert(trial->level);
      next.tried(trial->level, 1.16);
    }
    return tried.contains(kSeen);
  };
  EXPECT_TRUE(tries(kDiffer));
  EXPECT_FALSE(tries(kHardlyDiffer));
}

TEST(AutoPolicyTest, TriesNothingThatNobodyWouldWaitFor) {
  // Goal: not what the link would be kept waiting for, nor of what does not shrink.
  SlowLink soon;
  soon.link_.ready_bytes = soon.link_.queued_bytes = 50'000;
  EXPECT_FALSE(soon.trial());
  SlowLink sent;
  sent.link_.unsent_bytes = sent.link_.queued_bytes;
  EXPECT_FALSE(sent.trial());
  SlowLink random;
  random.look_.random = true;
  EXPECT_FALSE(random.trial());
}

/// A policy that knows a link of 10 Mbit/s, after ten blocks over it that shrink by so much.
struct Shrinking {
  explicit Shrinking(double ratio) {
    for (int i = 0; i < 10; ++i) {
      link.seconds += 0.01;
      static_cast<void>(policy->plan(link));
      choice = policy->choose(link, {}, kBytes);
      policy->learn(link, {.level = choice.level,
                           .raw_bytes = kBytes,
                           .wire_bytes = static_cast<std::size_t>(kBytes / ratio),
                           .compress_seconds = 1e-3,
                           .processor_seconds = 1e-3});
    }
  }

  static constexpr std::size_t kBytes = 1 << 20;
  std::unique_ptr<Policy> policy = make_policy({}, kAutoLadder, 2, Experience{.link_rate = 1.25e6});
  LinkState link{};
  Choice choice{};
};

TEST(AutoPolicyTest, DoesNotKeepTheBytesOfWhatVanishes) {
  // Goal: what shrinks by hundreds is not worth its memory, and other data over the same link are.
  EXPECT_TRUE(Shrinking(2).choice.keeps);
  EXPECT_FALSE(Shrinking(200).choice.keeps);
}

TEST(AutoPolicyTest, WhatVanishesGoesInBlocksThatTheOtherSideHasInTime) {
  // Goal: a block that shrinks to less than a packet leaves when all of it is made, so it is not as
  // long as those of which the link has something to send meanwhile.
  Shrinking vanishing(2600);
  EXPECT_LE(vanishing.policy->plan(vanishing.link).block_bytes, 512 << 10);
  Shrinking other(2);
  EXPECT_GT(other.policy->plan(other.link).block_bytes, 512 << 10);
}

TEST(AutoPolicyTest, WhatVanishedInTheLastTransferGoesInLongBlocksAtOnce) {
  // Goal: what is remembered has blocks of its full length before anything is read.
  const auto next = make_policy({}, kAutoLadder, 2, Shrinking(2600).policy->experience());
  EXPECT_GT(next->plan({}).block_bytes, 256 << 10);
}

TEST(AutoPolicyTest, ABlockOverARememberedLinkIsCutOnceItShowsThatTheLinkIsFaster) {
  // Goal: what is made no faster than the link is remembered to send says nothing of it, what is
  // made faster and has left does; and of a link that is not remembered any wait does.
  const auto first = [](const std::optional<Experience>& experience) {
    const auto policy = make_policy({}, kAutoLadder, 2, experience);
    static_cast<void>(policy->plan({}));
    return policy->choose({}, {}, 4 << 20).uncut;
  };
  const Uncut slow = first(Experience{.link_rate = 1e6});
  EXPECT_TRUE(slow.covers(200'000, 0.01));
  EXPECT_TRUE(slow.covers(600'000, 0.5));
  EXPECT_FALSE(slow.covers(600'000, 0.3));
  EXPECT_FALSE(slow.covers(2 << 20, 2));
  EXPECT_FALSE(first(std::nullopt).covers(0, 0.01));
}

TEST(AutoPolicyTest, WhatVanishesHereAndThereNeedsNoLargerBuffersThanTheRest) {
  // Goal: zeros in a tar, over a link for which the rest goes raw, are in blocks no longer than
  // that, also where they are compressed.
  const std::size_t longest = block_shape(kAutoLadder[0]).block_bytes;
  const auto policy = make_policy({}, kAutoLadder, 2, Experience{.link_rate = 3e9});
  LinkState link{.queued_bytes = 1 << 20};
  int compressed = 0;
  for (int i = 0; i < 200; ++i) {
    link.seconds += 1e-3;
    const bool zeros = i % 20 >= 17;
    Look look{};
    look.entropy_bits = zeros ? 0 : 6;
    const Step step = send_block(*policy, link, look, zeros ? 4'000 : 2, [&](int level) {
      if (level == 0) return 0.1;
      if (!zeros) return 2.0;
      return kAutoLadder[level].codec == CodecId::zstd ? 0.05 : 0.3;
    });
    EXPECT_LE(step.bytes, longest) << i;
    compressed += kAutoLadder[step.level].codec == CodecId::zstd;
  }
  EXPECT_GT(compressed, 10);
}

TEST(AutoPolicyTest, AFewZerosAreNotWorthTheFirstCompressor) {
  // Goal: where the rest goes raw, and the link limits nothing, a few MB of zeros in a tar do too;
  // where there is more of them, they are compressed.
  const auto compressed_zeros = [](int first, int count) {
    const auto policy = make_policy({}, kAutoLadder, 2, Experience{.link_rate = 19e9});
    LinkState link{.queued_bytes = 1 << 20};
    int compressed = 0;
    for (int i = 0; i < 100; ++i) {
      link.seconds += 0.3e-3;
      const bool zeros = i >= first && i < first + count;
      Look look{};
      look.entropy_bits = zeros ? 0 : 6;
      const Step step = send_block(*policy, link, look, zeros ? 4'000 : 2,
                                   [](int level) { return level == 0 ? 0.1 : 0.2; });
      compressed += zeros && step.level != 0;
    }
    return compressed;
  };
  EXPECT_EQ(compressed_zeros(28, 5), 0);
  EXPECT_GT(compressed_zeros(28, 50), 30);
  EXPECT_GT(compressed_zeros(0, 100), 90);
}

TEST(AutoPolicyTest, WhatVanishesDoesNotTryCompressorsWhoseMemoryTakesLonger) {
  // Goal: where all levels take next to nothing, none is tried whose tables, which have to be made
  // first, take a processor longer than several blocks; whatever the link.
  for (const double rate : {1.25e6, 12.5e6, 125e6, 1.25e9}) {
    const auto policy = make_policy({}, kAutoLadder, 2, Experience{.link_rate = rate});
    LinkState link{};
    std::set<std::size_t> tables;
    for (int i = 0; i < 200; ++i) {
      link.seconds += 1e-4;
      const std::size_t bytes = policy->plan(link).block_bytes;
      const int level = policy->choose(link, {}, bytes).level;
      const Rung& rung = kAutoLadder[level];
      tables.insert(table_bytes(rung));
      const double seconds = 0.1e-9 * static_cast<double>(bytes);
      const std::size_t wire = rung.codec == CodecId::raw   ? bytes
                               : rung.codec == CodecId::lz4 ? bytes / 190
                                                            : bytes / 4'000 + 230;
      link.sent_bytes = link.arrived_bytes += wire;
      policy->learn(link, {.level = level,
                           .raw_bytes = bytes,
                           .wire_bytes = wire,
                           .compress_seconds = seconds,
                           .processor_seconds = seconds});
    }
    EXPECT_LT(*tables.rbegin(), 1U << 20) << rate;
  }
}

TEST(AutoPolicyTest, WhatVanishesInOneTransferAfterAnotherStaysWithSmallCompressors) {
  // Goal: that a dense level was tried once, and that what was seen of light ones is forgotten, are
  // no reason to take it for what no level leaves anything of.
  constexpr int kOnceTried = 10;
  Experience experience{.link_rate = 1.25e6};
  experience.kinds.push_back({.kind = 0, .mean_bytes = 524'288, .spread = 0.0025});
  experience.kinds.back().levels.push_back({.level = kOnceTried,
                                            .weight = 4,
                                            .log_speed = 0.8,
                                            .log_ratio = std::log(524'288 / 355.0),
                                            .doublings = 2});
  for (int transfer = 0; transfer < 3; ++transfer) {
    const auto policy = make_policy({}, kAutoLadder, 2, experience);
    LinkState link{};
    for (int block = 0; block < 8; ++block) {
      link.seconds += 3e-4;
      const std::size_t bytes = policy->plan(link).block_bytes;
      const int level = policy->choose(link, {}, bytes).level;
      EXPECT_LT(table_bytes(kAutoLadder[level]), 256U << 10) << transfer << ", " << block;
      const std::size_t wire = bytes / 4'000 + 230;
      link.sent_bytes = link.arrived_bytes += wire;
      policy->learn(link, {.level = level,
                           .raw_bytes = bytes,
                           .wire_bytes = wire,
                           .compress_seconds = 0.2e-9 * static_cast<double>(bytes),
                           .processor_seconds = 0.2e-9 * static_cast<double>(bytes)});
    }
    experience = policy->experience().value();
  }
}

}  // namespace
}  // namespace adoc
