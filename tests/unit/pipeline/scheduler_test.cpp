#include "pipeline/scheduler.hpp"

#include <gtest/gtest.h>

#include "support/pipeline_ends.hpp"

namespace adoc {
namespace {

using testkit::ScriptedPolicy;
using Wait = Scheduler::Wait;

constexpr std::size_t kBlockBytes = 200'000;
constexpr std::size_t kSampleBytes = 1 << 20;

class SchedulerTest : public testing::Test {
 protected:
  Scheduler scheduler(Policy& policy, std::size_t workers, std::size_t memory = SIZE_MAX) {
    return Scheduler({.ladder = ladder_,
                      .policy = policy,
                      .workers = workers,
                      .memory_bytes = memory,
                      .tries_levels = true});
  }

  /// Nothing has left, and all blocks wait behind this many bytes.
  static Scheduler::State state(std::uint64_t ahead = 0) {
    return {.bytes_ahead = [ahead](Scheduler::Ticket) { return std::optional(ahead); }};
  }

  template <typename Kind>
  static Kind as(const Scheduler::Job& job) {
    const Kind* kind = std::get_if<Kind>(&job);
    if (kind == nullptr) ADD_FAILURE() << "another job: " << job.index();
    return kind != nullptr ? *kind : Kind{};
  }

  /// The worker reads so much, makes all of it and lets its bytes be kept.
  Scheduler::Done make(Scheduler& scheduler, Scheduler::Worker worker,
                       std::size_t bytes = kBlockBytes) {
    const auto read = as<Scheduler::Read>(scheduler.next(worker, state()));
    static_cast<void>(scheduler.begin(read.ticket, {}, {.offset = offset_, .raw_bytes = bytes}));
    offset_ += bytes;
    return scheduler.done(read.ticket, {}, made(bytes));
  }

  static Scheduler::Made made(std::size_t bytes) {
    return {
        .raw_bytes = bytes, .wire_bytes = bytes / 2, .kept_bytes = bytes, .sample_bytes = bytes};
  }

  const Ladder ladder_ = Ladder::named("zlib");
  std::uint64_t offset_ = 0;
};

TEST_F(SchedulerTest, OneWorkerReadsAtATime) {
  // Goal: the next one reads once the level of the block before is known, or, of a raw block, once
  // it is made; so blocks leave in the order in which they were read.
  ScriptedPolicy policy({1, 0, 1});
  Scheduler scheduler = this->scheduler(policy, 2);
  const auto first = as<Scheduler::Read>(scheduler.next(0, state()));
  EXPECT_EQ(as<Wait>(scheduler.next(1, state())), Wait::for_reader);
  static_cast<void>(scheduler.begin(first.ticket, {}, {.raw_bytes = kBlockBytes}));
  EXPECT_TRUE(scheduler.can_read());
  const auto raw = as<Scheduler::Read>(scheduler.next(1, state()));
  static_cast<void>(scheduler.begin(raw.ticket, {}, {.raw_bytes = 8'192}));
  EXPECT_FALSE(scheduler.can_read());
  static_cast<void>(scheduler.done(first.ticket, {}, made(kBlockBytes)));
  EXPECT_EQ(as<Wait>(scheduler.next(0, state())), Wait::for_reader);
  static_cast<void>(scheduler.done(raw.ticket, {}, made(8'192)));
  EXPECT_EQ(as<Scheduler::Read>(scheduler.next(1, state())).bytes, 204'800U);
}

TEST_F(SchedulerTest, AWorkerThatWasCutGoesOnWhateverOthersDo) {
  // Goal: it holds the lane that all others are behind.
  ScriptedPolicy policy({1});
  Scheduler scheduler = this->scheduler(policy, 2);
  const auto job = as<Scheduler::Read>(scheduler.next(0, state()));
  static_cast<void>(scheduler.begin(job.ticket, {}, {.raw_bytes = kBlockBytes}));
  EXPECT_FALSE(as<Scheduler::Read>(scheduler.next(1, state())).rest);
  const Scheduler::Done done = scheduler.done(job.ticket, {}, made(kBlockBytes / 4));
  EXPECT_TRUE(done.result.cut);
  EXPECT_FALSE(done.keep) << "of what is one of several blocks nothing is made anew";
  const auto rest = as<Scheduler::Read>(scheduler.next(0, {.room = false}));
  EXPECT_TRUE(rest.rest);
  static_cast<void>(scheduler.begin(rest.ticket, {}, {.raw_bytes = kBlockBytes - kBlockBytes / 4}));
  EXPECT_FALSE(scheduler.done(rest.ticket, {}, made(kBlockBytes - kBlockBytes / 4)).result.cut);
  EXPECT_EQ(as<Wait>(scheduler.next(0, state())), Wait::for_reader);
}

TEST_F(SchedulerTest, WithoutRoomAWorkerWaitsAndOthersForIt) {
  // Goal: the law hears of a FIFO that was full as of one that grows.
  ScriptedPolicy policy({1});
  Scheduler scheduler = this->scheduler(policy, 2);
  EXPECT_EQ(as<Wait>(scheduler.next(0, {.room = false})), Wait::for_room);
  EXPECT_EQ(as<Wait>(scheduler.next(1, state())), Wait::for_reader);
  EXPECT_GT(make(scheduler, 0).result.fifo_after, 0U);
  EXPECT_EQ(make(scheduler, 0).result.fifo_after, 0U);
}

TEST_F(SchedulerTest, BlocksAreLearnedOfByTheTicketOfTheirChoice) {
  // Goal: two that look the same and have the same level end in another order than they began, and
  // the policy still knows which is which.
  struct Counting final : Policy {
    Plan plan(const LinkState&) override { return {.block_bytes = kBlockBytes}; }
    Choice choose(const LinkState&, const Look&, std::size_t) override {
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
    tickets.push_back(as<Scheduler::Read>(scheduler.next(worker, state())).ticket);
    static_cast<void>(scheduler.begin(tickets.back(), {}, {.raw_bytes = kBlockBytes}));
  }
  static_cast<void>(scheduler.done(tickets[1], {}, made(kBlockBytes)));
  static_cast<void>(scheduler.done(tickets[0], {}, made(kBlockBytes)));
  EXPECT_EQ(policy.learned, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_THROW(static_cast<void>(scheduler.done(tickets[0], {}, made(kBlockBytes))), Error);
}

TEST_F(SchedulerTest, WhatIsKeptWaitsOrIsLetGo) {
  // Goal: of a run that is made anew the first may have left meanwhile; what is kept of others is
  // bounded by the memory, and what leaves is let go.
  constexpr std::size_t kMemory = 16 * 3 * kBlockBytes;
  ScriptedPolicy policy({1});
  policy.keeps = true;
  Scheduler scheduler = this->scheduler(policy, 1, kMemory);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(make(scheduler, 0).keep);
  const auto let_go = scheduler.let_go();
  EXPECT_EQ(let_go.size(), 1U) << "there is memory for three";
  policy.when_waiting = [](std::span<const WaitingBlock> waiting) -> std::optional<Remake> {
    EXPECT_EQ(waiting.size(), 3U);
    EXPECT_EQ(waiting[0].ahead_bytes, 77U);
    EXPECT_EQ(waiting[2].ahead_bytes, 77U + kBlockBytes);
    EXPECT_FALSE(waiting[0].follows);
    EXPECT_TRUE(waiting[1].follows);
    return Remake{.first = 1, .count = 2, .choice = {.level = 5}};
  };
  const auto job = as<Scheduler::Recompress>(scheduler.next(0, state(77)));
  policy.when_waiting = nullptr;
  ASSERT_EQ(job.run.size(), 2U);
  const Scheduler::Order order = scheduler.begin_run(job.ticket, 1);
  EXPECT_EQ(order.choice.level, 5);
  EXPECT_EQ(order.number, 4U);
  const Scheduler::Done done = scheduler.done(job.ticket, {}, made(kBlockBytes));
  EXPECT_EQ(done.result.instead_of.raw_bytes, kBlockBytes);
  EXPECT_EQ(scheduler.blocks_at_level()[1], 3U);
  EXPECT_EQ(scheduler.blocks_at_level()[5], 1U);
  Scheduler::State all_left = state();
  all_left.bytes_ahead = [](Scheduler::Ticket) { return std::nullopt; };
  const auto read = as<Scheduler::Read>(scheduler.next(0, all_left));
  scheduler.cancel(read.ticket, {});
  EXPECT_EQ(scheduler.let_go().size(), 1U) << "the one that was not made anew";
}

TEST_F(SchedulerTest, MemoryThatOthersUseLeavesLighterLevels) {
  // Goal: a worker whose level does not fit takes the densest that does, and raw always does.
  ScriptedPolicy policy({9});
  const Rung densest = ladder_[9];
  Scheduler scheduler = this->scheduler(policy, 2, compressor_bytes(densest) + (4 << 20));
  const auto first = as<Scheduler::Read>(scheduler.next(0, state()));
  EXPECT_EQ(scheduler.begin(first.ticket, {}, {.raw_bytes = kBlockBytes}).choice.level, 9);
  Scheduler none = this->scheduler(policy, 1, 1);
  const auto read = as<Scheduler::Read>(none.next(0, state()));
  const Scheduler::Order order = none.begin(read.ticket, {}, {.raw_bytes = kBlockBytes});
  EXPECT_EQ(order.choice.level, 0);
  EXPECT_EQ(order.choice.reason, "memory");
}

TEST_F(SchedulerTest, WhatWasReadForADenserLevelBecomesSeveralBlocks) {
  // Goal: none of them is longer than what is usual for its level, and none is made anew alone.
  ScriptedPolicy policy({9});
  policy.keeps = true;
  Scheduler scheduler = this->scheduler(policy, 1, 1);
  const std::size_t usual = block_shape(ladder_[0]).block_bytes;
  const auto read = as<Scheduler::Read>(scheduler.next(0, state()));
  const auto order = scheduler.begin(read.ticket, {}, {.raw_bytes = 2 * usual});
  EXPECT_EQ(order.raw_bytes, usual);
  const Scheduler::Done done = scheduler.done(read.ticket, {}, made(usual));
  EXPECT_FALSE(done.result.cut);
  EXPECT_FALSE(done.keep);
  EXPECT_TRUE(as<Scheduler::Read>(scheduler.next(0, state())).rest);
}

TEST_F(SchedulerTest, TheLawWaitsNoLongerThanItsPatience) {
  // Goal: at level 0 the communication thread goes first while the FIFO is long, for as long as
  // packets have earned, and time is what the state says.
  struct Law final : Policy {
    Plan plan(const LinkState&) override { return {.block_bytes = 8'192, .gives_way = true}; }
    Choice choose(const LinkState&, const Look&, std::size_t) override { return {.level = 1}; }
    void learn(const LinkState&, const BlockResult&) override {}
  } policy;
  Scheduler scheduler = this->scheduler(policy, 1);
  const auto block = [&](const Scheduler::Job& job) {
    const auto read = as<Scheduler::Read>(job);
    static_cast<void>(scheduler.begin(read.ticket, {}, {.raw_bytes = 8'192}));
    Scheduler::Made made = this->made(8'192);
    made.compress_seconds = 1e-3;
    static_cast<void>(scheduler.done(read.ticket, {}, made));
  };
  block(scheduler.next(0, state()));
  Scheduler::State full = state();
  full.link.fifo_packets = 8;
  const auto yield = as<Scheduler::Yield>(scheduler.next(0, full));
  EXPECT_DOUBLE_EQ(yield.seconds, 1e-3);
  EXPECT_EQ(yield.fifo_packets, 7U);
  full.link.seconds = 0.4e-3;
  block(scheduler.next(0, full));
  EXPECT_NEAR(as<Scheduler::Yield>(scheduler.next(0, full)).seconds, 1.6e-3, 1e-9)
      << "what was not used is saved";
}

TEST_F(SchedulerTest, AtTheEndTheLastWorkerIsToldAndLevelsAreTriedOneAtATime) {
  // Goal: exactly one is the last; what is tried is learned of until the end, and not after it.
  ScriptedPolicy policy({1});
  policy.keeps = true;
  policy.when_idle = [](std::size_t bytes) {
    EXPECT_EQ(bytes, kSampleBytes);
    return std::optional(Trial{.level = 9, .most_seconds = 1});
  };
  Scheduler scheduler = this->scheduler(policy, 2);
  EXPECT_TRUE(make(scheduler, 0, kSampleBytes).sample);
  scheduler.cancel(as<Scheduler::Read>(scheduler.next(0, state())).ticket, {});
  EXPECT_EQ(as<Wait>(scheduler.next(1, state())), Wait::for_queue);
  EXPECT_EQ(as<Wait>(scheduler.next(0, state())), Wait::all_made);
  const auto trial = as<Scheduler::TryLevel>(scheduler.next(1, state()));
  EXPECT_EQ(trial.trial.level, 9);
  EXPECT_EQ(as<Wait>(scheduler.next(0, state())), Wait::for_queue);
  static_cast<void>(scheduler.done(trial.ticket, {}, made(kSampleBytes)));
  EXPECT_TRUE(policy.learned.back().trial);
  EXPECT_EQ(scheduler.blocks_at_level()[9], 0U);
  const auto late = as<Scheduler::TryLevel>(scheduler.next(0, state()));
  scheduler.end();
  static_cast<void>(scheduler.done(late.ticket, {}, made(kSampleBytes)));
  EXPECT_EQ(policy.learned.size(), 2U);
}

}  // namespace
}  // namespace adoc
