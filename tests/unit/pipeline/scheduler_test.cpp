#include "pipeline/scheduler.hpp"

#include <gtest/gtest.h>

#include "pipeline/threads.hpp"
#include "support/pipeline_ends.hpp"

namespace adoc {
namespace {

using testkit::ScriptedPolicy;
using Wait = Scheduler::Wait;

constexpr std::size_t kBlockBytes = 200'000;

class SchedulerTest : public testing::Test {
 protected:
  Scheduler scheduler(Policy& policy, std::size_t workers, std::size_t memory = SIZE_MAX) {
    return Scheduler(
        {.ladder = ladder_, .policy = policy, .workers = workers, .memory_bytes = memory});
  }

  template <typename Kind>
  static Kind as(const Scheduler::Job& job) {
    const Kind* kind = std::get_if<Kind>(&job);
    if (kind == nullptr) ADD_FAILURE() << "another job: " << job.index();
    return kind != nullptr ? *kind : Kind{};
  }

  /// The worker reads a block and makes all of it.
  BlockResult make(Scheduler& scheduler, Scheduler::Worker worker) {
    const auto read = as<Scheduler::Read>(scheduler.next(worker, {}));
    static_cast<void>(scheduler.begin(read.ticket, {}, {.raw_bytes = kBlockBytes}));
    return scheduler.done(read.ticket, {}, made(kBlockBytes));
  }

  static Scheduler::Made made(std::size_t bytes) {
    return {.raw_bytes = bytes, .wire_bytes = bytes / 2};
  }

  const Ladder ladder_ = Ladder::named("zlib");
};

TEST_F(SchedulerTest, OneWorkerReadsAtATime) {
  // Goal: the next one reads once the level of the block before is known, or, of a raw block, once
  // it is made; so blocks leave in the order in which they were read.
  ScriptedPolicy policy({1, 0, 1});
  Scheduler scheduler = this->scheduler(policy, 2);
  const auto first = as<Scheduler::Read>(scheduler.next(0, {}));
  EXPECT_EQ(as<Wait>(scheduler.next(1, {})), Wait::for_reader);
  static_cast<void>(scheduler.begin(first.ticket, {}, {.raw_bytes = kBlockBytes}));
  EXPECT_TRUE(scheduler.can_read());
  const auto raw = as<Scheduler::Read>(scheduler.next(1, {}));
  static_cast<void>(scheduler.begin(raw.ticket, {}, {.raw_bytes = 8'192}));
  EXPECT_FALSE(scheduler.can_read());
  scheduler.done(first.ticket, {}, made(kBlockBytes));
  EXPECT_EQ(as<Wait>(scheduler.next(0, {})), Wait::for_reader);
  scheduler.done(raw.ticket, {}, made(8'192));
  EXPECT_EQ(as<Scheduler::Read>(scheduler.next(1, {})).bytes, 204'800U);
}

TEST_F(SchedulerTest, NothingIsBegunBehindABlockThatIsMadeAlone) {
  // Goal: where the policy waits for what a block tells, no other processor goes on meanwhile.
  struct Alone final : Policy {
    Plan plan(const LinkState&) override { return {.block_bytes = kBlockBytes}; }
    Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
      return {.level = 1, .alone = ++chosen <= 2};
    }
    void learn(const LinkState&, const BlockResult&) override {}
    int chosen = 0;
  } policy;
  Scheduler scheduler = this->scheduler(policy, 2);
  for (int block = 0; block < 2; ++block) {
    const auto alone = as<Scheduler::Read>(scheduler.next(0, {}));
    static_cast<void>(scheduler.begin(alone.ticket, {}, {.raw_bytes = kBlockBytes}));
    EXPECT_EQ(as<Wait>(scheduler.next(1, {})), Wait::for_reader);
    EXPECT_FALSE(scheduler.can_read());
    scheduler.done(alone.ticket, {}, made(kBlockBytes));
  }
  const auto third = as<Scheduler::Read>(scheduler.next(0, {}));
  static_cast<void>(scheduler.begin(third.ticket, {}, {.raw_bytes = kBlockBytes}));
  EXPECT_EQ(as<Scheduler::Read>(scheduler.next(1, {})).bytes, kBlockBytes);
}

TEST_F(SchedulerTest, WhatTheSystemHasYetToSendIsAheadOfABlockToo) {
  // Goal: a yield waits for the link, and not only for the queue in front of the system; so it does
  // for what has left the machine and waits elsewhere.
  struct Yielding final : Policy {
    Plan plan(const LinkState&) override {
      return {.block_bytes = kBlockBytes, .yield_seconds = 1, .yield_bytes = 1'000};
    }
    Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
      return {.level = 1};
    }
    void learn(const LinkState&, const BlockResult&) override {}
  } policy;
  Scheduler scheduler = this->scheduler(policy, 1);
  for (const LinkState& ahead : {LinkState{.unsent_bytes = 1'001, .ready_bytes = 1'001},
                                 LinkState{.ready_bytes = 1, .overdue_bytes = 1'000}}) {
    EXPECT_EQ(as<Scheduler::Yield>(scheduler.next(0, {.link = ahead})).ready_bytes, 1'000U);
    const auto job = as<Scheduler::Read>(scheduler.next(0, {.link = ahead}));
    static_cast<void>(scheduler.begin(job.ticket, {}, {.raw_bytes = kBlockBytes}));
    scheduler.done(job.ticket, {}, made(kBlockBytes));
  }
}

TEST_F(SchedulerTest, AWorkerThatWasCutGoesOnWhateverOthersDo) {
  // Goal: it holds the lane that all others are behind.
  ScriptedPolicy policy({1});
  Scheduler scheduler = this->scheduler(policy, 2);
  const auto job = as<Scheduler::Read>(scheduler.next(0, {}));
  static_cast<void>(scheduler.begin(job.ticket, {}, {.raw_bytes = kBlockBytes}));
  EXPECT_FALSE(as<Scheduler::Read>(scheduler.next(1, {})).rest);
  EXPECT_TRUE(scheduler.done(job.ticket, {}, made(kBlockBytes / 4)).cut);
  const auto rest = as<Scheduler::Read>(scheduler.next(0, {.room = false}));
  EXPECT_TRUE(rest.rest);
  static_cast<void>(scheduler.begin(rest.ticket, {}, {.raw_bytes = kBlockBytes - kBlockBytes / 4}));
  EXPECT_FALSE(scheduler.done(rest.ticket, {}, made(kBlockBytes - kBlockBytes / 4)).cut);
  ASSERT_EQ(policy.seen.size(), 2U);
  EXPECT_FALSE(policy.seen[0].rest);
  EXPECT_TRUE(policy.seen[1].rest) << "and the policy knows that nothing is ahead of it";
  EXPECT_EQ(as<Wait>(scheduler.next(0, {})), Wait::for_reader);
}

TEST_F(SchedulerTest, WithoutRoomAWorkerWaitsAndOthersForIt) {
  // Goal: the law hears of a FIFO that was full as of one that grows.
  ScriptedPolicy policy({1});
  Scheduler scheduler = this->scheduler(policy, 2);
  EXPECT_EQ(as<Wait>(scheduler.next(0, {.room = false})), Wait::for_room);
  EXPECT_EQ(as<Wait>(scheduler.next(1, {})), Wait::for_reader);
  EXPECT_GT(make(scheduler, 0).fifo_after, 0U);
  EXPECT_EQ(make(scheduler, 0).fifo_after, 0U);
}

TEST_F(SchedulerTest, BlocksAreLearnedOfByTheTicketOfTheirChoice) {
  // Goal: two that look the same and have the same level end in another order than they began, and
  // the policy still knows which is which.
  struct Counting final : Policy {
    Plan plan(const LinkState&) override { return {.block_bytes = kBlockBytes}; }
    Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
      return {.level = 1, .ticket = ++chosen};
    }
    void learn(const LinkState&, const BlockResult& result) override {
      learned.push_back(result.ticket);
    }
    std::uint64_t chosen = 0;
    std::vector<std::uint64_t> learned;
  } policy;
  Scheduler scheduler = this->scheduler(policy, 2);
  std::vector<Scheduler::Ticket> tickets;
  for (const Scheduler::Worker worker : {0U, 1U}) {
    tickets.push_back(as<Scheduler::Read>(scheduler.next(worker, {})).ticket);
    static_cast<void>(scheduler.begin(tickets.back(), {}, {.raw_bytes = kBlockBytes}));
  }
  scheduler.done(tickets[1], {}, made(kBlockBytes));
  scheduler.done(tickets[0], {}, made(kBlockBytes));
  EXPECT_EQ(policy.learned, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_THROW(scheduler.done(tickets[0], {}, made(kBlockBytes)), Error);
}

TEST_F(SchedulerTest, WhatIsGivenUpIsMadeAnewAndHasItsMemoryUntilItIsThrough) {
  // Goal: all of it is the worker's next block, and nothing as large is begun beside the work that
  // was left alone.
  struct GivesUp final : Policy {
    Plan plan(const LinkState& link) override {
      takes_dense.push_back(link.takes_dense);
      return {.block_bytes = kBlockBytes};
    }
    Choice choose(const LinkState& link, const SampleStats&, std::size_t) override {
      takes_dense.push_back(link.takes_dense);
      return {.level = 1, .ticket = ++tickets};
    }
    void learn(const LinkState&, const BlockResult& result) override { learned = result.ticket; }
    bool gives_up(const LinkState&, std::uint64_t ticket) override { return ticket == 1; }
    std::uint64_t tickets = 0;
    std::uint64_t learned = 0;
    std::vector<bool> takes_dense;
  } policy;
  const std::size_t memory = compressor_bytes(ladder_[1], 0) + 2 * kBlockBytes;
  Scheduler scheduler = this->scheduler(policy, 1, memory);
  const LinkState link{.takes_dense = true};
  const auto first = as<Scheduler::Read>(scheduler.next(0, {.link = link}));
  EXPECT_EQ(scheduler.begin(first.ticket, link, {.raw_bytes = kBlockBytes}).choice.level, 1);
  EXPECT_TRUE(scheduler.gives_up(first.ticket, link));

  const auto rest = as<Scheduler::Read>(scheduler.next(0, {.link = link, .left_alone = true}));
  EXPECT_TRUE(rest.rest);
  EXPECT_EQ(scheduler.begin(rest.ticket, link, {.raw_bytes = kBlockBytes}).choice.level, 0);
  EXPECT_FALSE(scheduler.gives_up(rest.ticket, link));
  EXPECT_FALSE(scheduler.done(rest.ticket, link, made(kBlockBytes)).cut);
  EXPECT_EQ(policy.learned, 2U);

  const auto later = as<Scheduler::Read>(scheduler.next(0, {.link = link}));
  EXPECT_FALSE(later.rest);
  EXPECT_EQ(scheduler.begin(later.ticket, link, {.raw_bytes = kBlockBytes}).choice.level, 1);
  EXPECT_EQ(policy.takes_dense, std::vector<bool>({true, true, false, false, true, true}));
}

TEST_F(SchedulerTest, MemoryThatOthersUseLeavesLighterLevels) {
  // Goal: a worker whose level does not fit takes the densest that does, and raw always does.
  ScriptedPolicy policy({9});
  const Rung densest = ladder_[9];
  Scheduler scheduler = this->scheduler(policy, 2, compressor_bytes(densest) + (4 << 20));
  const auto first = as<Scheduler::Read>(scheduler.next(0, {}));
  EXPECT_EQ(scheduler.begin(first.ticket, {}, {.raw_bytes = kBlockBytes}).choice.level, 9);
  Scheduler none = this->scheduler(policy, 1, 1);
  const auto read = as<Scheduler::Read>(none.next(0, {}));
  const Scheduler::Order order = none.begin(read.ticket, {}, {.raw_bytes = kBlockBytes});
  EXPECT_EQ(order.choice.level, 0);
  EXPECT_EQ(order.choice.reason, "memory");
}

TEST_F(SchedulerTest, WhatWasReadForADenserLevelBecomesSeveralBlocks) {
  // Goal: none of them is longer than what is usual for its level.
  ScriptedPolicy policy({9});
  Scheduler scheduler = this->scheduler(policy, 1, 1);
  const std::size_t usual = block_shape(ladder_[0]).block_bytes;
  const auto read = as<Scheduler::Read>(scheduler.next(0, {}));
  const auto order = scheduler.begin(read.ticket, {}, {.raw_bytes = 2 * usual});
  EXPECT_EQ(order.raw_bytes, usual);
  EXPECT_FALSE(scheduler.done(read.ticket, {}, made(usual)).cut);
  EXPECT_TRUE(as<Scheduler::Read>(scheduler.next(0, {})).rest);
}

TEST_F(SchedulerTest, WhatIsLongerThanABlockMayBeBecomesSeveral) {
  // Goal: all of what was read is made, in blocks of at most so many bytes.
  ScriptedPolicy policy({1});
  Scheduler scheduler = this->scheduler(policy, 1, SIZE_MAX);
  std::size_t left = 1'000;
  for (const std::size_t wanted : {400U, 400U, 200U}) {
    const auto read = as<Scheduler::Read>(scheduler.next(0, {}));
    EXPECT_EQ(read.rest, left != 1'000U);
    const auto order = scheduler.begin(read.ticket, {}, {.raw_bytes = left, .most_bytes = 400});
    EXPECT_EQ(order.raw_bytes, wanted);
    EXPECT_FALSE(scheduler.done(read.ticket, {}, made(wanted)).cut);
    left -= wanted;
  }
  EXPECT_FALSE(as<Scheduler::Read>(scheduler.next(0, {})).rest);
}

TEST_F(SchedulerTest, TheLawWaitsNoLongerThanItsPatience) {
  // Goal: at level 0 the communication thread goes first while the FIFO is long, for as long as
  // packets have earned, and time is what the state says.
  struct Law final : Policy {
    Plan plan(const LinkState&) override { return {.block_bytes = 8'192, .paper_yield = true}; }
    Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
      return {.level = 1};
    }
    void learn(const LinkState&, const BlockResult&) override {}
  } policy;
  Scheduler scheduler = this->scheduler(policy, 1);
  const auto block = [&](const Scheduler::Job& job) {
    const auto read = as<Scheduler::Read>(job);
    static_cast<void>(scheduler.begin(read.ticket, {}, {.raw_bytes = 8'192}));
    Scheduler::Made made = this->made(8'192);
    made.compress_seconds = 1e-3;
    scheduler.done(read.ticket, {}, made);
  };
  block(scheduler.next(0, {}));
  Scheduler::State full;
  full.link.fifo_packets = 8;
  const auto yield = as<Scheduler::Yield>(scheduler.next(0, full));
  EXPECT_DOUBLE_EQ(yield.seconds, 1e-3);
  EXPECT_EQ(yield.fifo_packets, 7U);
  full.link.seconds = 0.4e-3;
  block(scheduler.next(0, full));
  EXPECT_NEAR(as<Scheduler::Yield>(scheduler.next(0, full)).seconds, 1.6e-3, 1e-9)
      << "what was not used is saved";
}

TEST_F(SchedulerTest, AtTheEndExactlyOneWorkerIsTheLast) {
  // Goal: it is the one that ends when nothing is being made any more, and what the others had of
  // the memory is free for what it still makes.
  const Ladder ladder = Ladder::named("zstd");
  const int top = ladder.top();
  const auto bytes = [&](int level) {
    return compressor_bytes(ladder[level]) + block_memory(ladder[level], 0);
  };
  ScriptedPolicy policy({top});
  Scheduler scheduler(
      {.ladder = ladder, .policy = policy, .workers = 3, .memory_bytes = bytes(top) + bytes(1)});
  make(scheduler, 0);
  const auto read = as<Scheduler::Read>(scheduler.next(1, {}));
  EXPECT_LT(scheduler.begin(read.ticket, {}, {.raw_bytes = kBlockBytes}).choice.level, top);
  scheduler.done(read.ticket, {}, made(kBlockBytes / 2));
  scheduler.cancel(as<Scheduler::Read>(scheduler.next(2, {})).ticket);
  EXPECT_FALSE(as<Scheduler::Ended>(scheduler.next(2, {})).last);
  EXPECT_FALSE(as<Scheduler::Ended>(scheduler.next(0, {})).last);
  const auto rest = as<Scheduler::Read>(scheduler.next(1, {}));
  EXPECT_TRUE(rest.rest);
  EXPECT_EQ(scheduler.begin(rest.ticket, {}, {.raw_bytes = kBlockBytes / 2}).choice.level, top);
  scheduler.done(rest.ticket, {}, made(kBlockBytes / 2));
  EXPECT_TRUE(as<Scheduler::Ended>(scheduler.next(1, {})).last);
}

}  // namespace
}  // namespace adoc
