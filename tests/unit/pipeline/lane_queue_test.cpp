#include "pipeline/lane_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/test_streams.hpp"
#include "support/threads_at_queues.hpp"

namespace adoc {
namespace {

using Queue = LaneQueue<std::string>;

using testkit::failure;
using testkit::in_thread;
using testkit::sleeps;

/// Takes all that can leave now, and releases it.
std::string drained(Queue& queue) {
  std::vector<std::string> items;
  static_cast<void>(queue.pop_some(items, 1'000));
  std::string all;
  for (const std::string& item : items) {
    all += item;
    queue.release();
  }
  return all;
}

TEST(LaneQueueTest, LanesLeaveInTheOrderInWhichTheyWereOpened) {
  // Goal: whatever the order in which they are filled and closed.
  Queue queue(100);
  const auto a = queue.open();
  const auto b = queue.open();
  const auto c = queue.open();
  queue.push(c, "c1");
  queue.push(b, "b1");
  queue.close(c);
  queue.push(b, "b2");
  queue.push(a, "a1");
  EXPECT_EQ(drained(queue), "a1") << "the first lane is still open";
  queue.close(b);
  queue.push(a, "a2");
  queue.close(a);
  EXPECT_EQ(drained(queue), "a2b1b2c1");
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(LaneQueueTest, AnItemOfItsOwnStandsBetweenTheLanesAroundIt) {
  // Goal: control frames keep their place among the blocks, and never wait.
  Queue queue(1);
  const auto a = queue.open();
  queue.push("then ");
  const auto b = queue.open();
  queue.push(b, "b");
  queue.push(a, "a ");
  queue.close(b);
  queue.push("end");
  queue.close(a);
  EXPECT_EQ(drained(queue), "a then bend");
}

TEST(LaneQueueTest, OfTheFirstLaneItemsLeaveWhileItIsOpen) {
  // Goal: the first packet of a block is on its way before the last one is made.
  Queue queue(9);
  const auto a = queue.open();
  const auto b = queue.open();
  queue.push(b, "b");
  std::vector<std::string> items;
  auto popping = in_thread([&] { return queue.pop_some(items, 1); });
  EXPECT_TRUE(sleeps(popping)) << "only the second lane has something";
  queue.push(a, "a");
  EXPECT_TRUE(popping.get());
  EXPECT_EQ(items, std::vector<std::string>{"a"});
  items.clear();
  popping = in_thread([&] { return queue.pop_some(items, 1); });
  EXPECT_TRUE(sleeps(popping));
  queue.close(a);
  EXPECT_TRUE(popping.get());
  EXPECT_EQ(items, std::vector<std::string>{"b"});
}

TEST(LaneQueueTest, OnlyTheFirstOpenLaneWaitsForRoom) {
  // Goal: the one that everybody waits for is never kept out by what others hold.
  Queue queue(2);
  const auto a = queue.open();
  const auto b = queue.open();
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(queue.push(b, "b"));
  EXPECT_FALSE(queue.push(a, "1"));
  EXPECT_FALSE(queue.push(a, "2"));
  auto pushing = in_thread([&] { return queue.push(a, "3"); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_EQ(queue.size(), 12U);
  EXPECT_EQ(drained(queue), "12");
  EXPECT_TRUE(pushing.get()) << "it had to wait";
  queue.close(a);
  // Now b is the first, with more than the capacity inside.
  auto another = in_thread([&] { return queue.push(b, "c"); });
  EXPECT_TRUE(sleeps(another));
  EXPECT_EQ(drained(queue), "3bbbbbbbbbb");
  EXPECT_TRUE(another.get());
  queue.close(b);
  EXPECT_EQ(drained(queue), "c");
}

TEST(LaneQueueTest, WeightlessAndTooHeavyItemsGetInAsWell) {
  // Goal: control frames pass a full queue, and no item is too heavy for ever.
  Queue queue(2);
  const auto a = queue.open();
  EXPECT_FALSE(queue.push(a, "heavy ", 50));
  EXPECT_FALSE(queue.push(a, "light ", 0));
  auto pushing = in_thread([&] { return queue.push(a, "heavy", 50); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_EQ(drained(queue), "heavy ");
  EXPECT_TRUE(pushing.get());
  EXPECT_EQ(queue.size(), 50U);
  EXPECT_EQ(drained(queue), "light heavy");
}

TEST(LaneQueueTest, AnItemWithoutWeightLeavesWithWhatComesNextInItsLane) {
  // Goal: whoever waits at the other end never does so behind the header of something.
  Queue queue(9);
  const auto a = queue.open();
  std::vector<std::string> items;
  queue.push(a, "head ", 0);
  auto popping = in_thread([&] { return queue.pop_some(items, 9); });
  EXPECT_TRUE(sleeps(popping));
  queue.push(a, "body ");
  EXPECT_TRUE(popping.get());
  EXPECT_EQ(items, (std::vector<std::string>{"head ", "body "}));
  queue.push(a, "end of one ", 0);
  queue.push(a, "head of the next ", 0);
  EXPECT_EQ(drained(queue), "end of one ");
  queue.close(a);
  EXPECT_EQ(drained(queue), "head of the next ");
}

TEST(LaneQueueTest, AWaitWithALimitTellsWhatEndedIt) {
  // Goal: nothing yet, something, and the end of all are told apart; a failure is thrown.
  Queue queue(9);
  std::vector<std::string> items;
  const auto pop = [&](std::chrono::milliseconds limit) {
    return queue.pop_some_until(items, 9, Clock::now() + limit);
  };
  constexpr std::chrono::seconds kLong{20};
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(pop(std::chrono::milliseconds(20)), Queue::Popped::none_yet);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(20));
  auto popping = in_thread([&] { return pop(kLong); });
  EXPECT_TRUE(sleeps(popping));
  queue.push("a");
  EXPECT_EQ(popping.get(), Queue::Popped::some);
  items.clear();
  popping = in_thread([&] { return pop(kLong); });
  EXPECT_TRUE(sleeps(popping));
  queue.close();
  EXPECT_EQ(popping.get(), Queue::Popped::ended);
  queue.fail(failure("x"));
  EXPECT_THROW(pop(kLong), std::runtime_error);
}

TEST(LaneQueueTest, TheLastItemClosesTheQueueBehindIt) {
  // Goal: nothing is ever waited for behind it, and lanes before it still come to their end first.
  Queue queue(9);
  const auto a = queue.open();
  queue.push_last("last");
  std::vector<std::string> items;
  auto popping = in_thread([&] { return queue.pop_some(items, 9); });
  EXPECT_TRUE(sleeps(popping));
  queue.push(a, "a ");
  queue.close(a);
  EXPECT_TRUE(popping.get());
  std::string all;
  for (const std::string& item : items) all += item;
  if (all == "a ") all += drained(queue);
  EXPECT_EQ(all, "a last");
  items.clear();
  EXPECT_FALSE(queue.pop_some(items, 9));
}

TEST(LaneQueueTest, OfWhatSaysAllThatCameBeforeOnlyTheLatestIsInside) {
  // Goal: whoever takes nothing does not make the queue grow, and what has left is said again.
  Queue queue(1);
  queue.push_latest("1");
  queue.push_latest("22");
  EXPECT_EQ(queue.bytes(), 2U);
  EXPECT_EQ(queue.ready_bytes(), 2U);
  queue.push("then ");
  queue.push_latest("3");
  EXPECT_EQ(queue.bytes(), 6U);
  EXPECT_EQ(drained(queue), "3then ");

  // Behind a lane that is still open it waits like the rest.
  const auto a = queue.open();
  for (int i = 0; i < 1'000; ++i) queue.push_latest("later " + std::to_string(i));
  EXPECT_EQ(queue.ready_bytes(), 0U);
  queue.push_last("end");
  queue.push(a, "a ");
  queue.close(a);
  EXPECT_EQ(queue.ready_bytes(), queue.bytes());
  EXPECT_EQ(drained(queue), "a later 999end");
  EXPECT_EQ(queue.bytes(), 0U);
  EXPECT_EQ(queue.ready_bytes(), 0U);
}

TEST(LaneQueueTest, ANewLaneWaitsForRoomInAllLanes) {
  // Goal: what those behind the first hold is bounded: nobody begins another while it is too much.
  Queue queue(3);
  const auto a = queue.open();
  const auto b = queue.open();
  queue.push(b, "b", 2);
  EXPECT_FALSE(queue.wait_for_room());
  queue.push(b, "b", 2);
  auto waiting = in_thread([&] { return queue.wait_for_room(); });
  EXPECT_TRUE(sleeps(waiting));
  queue.close(a);
  EXPECT_TRUE(sleeps(waiting)) << "nothing has left yet";
  EXPECT_EQ(drained(queue), "bb");
  EXPECT_TRUE(waiting.get());
}

TEST(LaneQueueTest, WhatIsTakenKeepsItsWeightUntilItIsReleased) {
  // Goal: what the network has not taken still counts as waiting, and still blocks.
  Queue queue(3);
  const auto a = queue.open();
  for (const char* item : {"0", "11", "222"}) queue.push(a, item);
  std::vector<std::string> taken;
  EXPECT_TRUE(queue.pop_some(taken, 2));
  EXPECT_EQ(taken, (std::vector<std::string>{"0", "11"}));
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.bytes(), 6U);
  auto pushing = in_thread([&] { return queue.push(a, "3333"); });
  EXPECT_TRUE(sleeps(pushing));
  queue.release();
  EXPECT_TRUE(pushing.get());
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.bytes(), 9U);
  queue.release();
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.bytes(), 7U);
}

TEST(LaneQueueTest, ALaneIsStarvedForWhenNothingElseCanLeave) {
  // Goal: the link is idle and this lane is why: neither another lane, nor one with packets left.
  Queue queue(9);
  const auto a = queue.open();
  const auto b = queue.open();
  queue.push(b, "b");
  EXPECT_GT(queue.starved_seconds(a), 0);
  EXPECT_EQ(queue.starved_seconds(b), 0);
  queue.push(a, "a");
  EXPECT_EQ(queue.starved_seconds(a), 0);
  std::vector<std::string> taken;
  EXPECT_TRUE(queue.pop_some(taken, 9));
  EXPECT_EQ(queue.starved_seconds(a), 0) << "it is still being sent";
  queue.release();
  EXPECT_GT(queue.starved_seconds(a), 0);
  queue.close(a);
  EXPECT_EQ(queue.starved_seconds(b), 0) << "what it holds can leave now";
  EXPECT_EQ(drained(queue), "b");
  EXPECT_GT(queue.starved_seconds(b), 0);
  queue.fail(failure("x"));
  EXPECT_EQ(queue.starved_seconds(b), 0);
}

TEST(LaneQueueTest, AfterCloseTheRestIsTakenAndThenNone) {
  // Goal: close() is the end of the stream and wakes who waits for more of it.
  Queue queue(9);
  queue.push("last");
  queue.close();
  std::vector<std::string> items;
  EXPECT_TRUE(queue.pop_some(items, 9));
  items.clear();
  EXPECT_FALSE(queue.pop_some(items, 9));
  Queue empty(9);
  auto popping = in_thread([&] { return empty.pop_some(items, 9); });
  EXPECT_TRUE(sleeps(popping));
  empty.close();
  EXPECT_FALSE(popping.get());
}

TEST(LaneQueueTest, FailWakesAllThatWaitAndTheFirstOneStays) {
  // Goal: a dying stage takes its neighbours along; closing a lane on the way out does no harm.
  Queue queue(1);
  const auto a = queue.open();
  queue.push(a, "a");
  auto pushing = in_thread([&] { return queue.push(a, "b"); });
  auto entering = in_thread([&] { return queue.wait_for_room(); });
  Queue empty(1);
  const auto lane = empty.open();
  std::vector<std::string> items;
  auto popping = in_thread([&] { return empty.pop_some(items, 1); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_TRUE(sleeps(entering));
  EXPECT_TRUE(sleeps(popping));
  for (Queue* each : {&queue, &empty}) {
    each->fail(failure("first"));
    each->fail(failure("second"));
  }
  EXPECT_THROW(pushing.get(), std::runtime_error);
  EXPECT_THROW(entering.get(), std::runtime_error);
  EXPECT_THROW(popping.get(), std::runtime_error);
  try {
    queue.push(a, "c");
    ADD_FAILURE() << "a failed queue took an item";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
  EXPECT_THROW(queue.push("d"), std::runtime_error);
  EXPECT_THROW(static_cast<void>(queue.open()), std::runtime_error);
  queue.close(a);
  empty.close(lane);
  empty.close();
  EXPECT_THROW(static_cast<void>(empty.pop_some(items, 1)), std::runtime_error);
}

/// Eight producers that take turns to open lanes, as compression threads do, and one consumer.
class Stress {
 public:
  explicit Stress(std::uint64_t seed) : rng_(seed), queue_(1 + testkit::up_to(rng_, 2)) {}

  void run() {
    auto consumer = in_thread([this, seed = rng_()] { return consume(seed); });
    {
      std::vector<std::jthread> producers;
      for (int i = 0; i < kProducers; ++i)
        producers.emplace_back([this, seed = rng_()] { produce(seed); });
    }
    queue_.close();
    EXPECT_TRUE(consumer.get() == expected_);
    EXPECT_EQ(queue_.size(), 0U);
    EXPECT_EQ(queue_.bytes(), 0U);
    EXPECT_LE(most_, kProducers * kMostOfALane + 3) << "what waits is bounded";
  }

 private:
  static constexpr int kProducers = 8;
  static constexpr int kLanes = 400;
  static constexpr std::size_t kMostOfALane = 12;

  void produce(std::uint64_t seed) {
    testkit::Rng rng(seed);
    while (true) {
      Queue::Lane lane = 0;
      std::vector<std::string> items;
      {
        const std::lock_guard turn(turn_);
        queue_.wait_for_room();
        if (lanes_++ >= kLanes) return;
        if (testkit::up_to(rng, 3) == 0) {
          expected_.push_back(std::to_string(lanes_) + " alone");
          queue_.push(expected_.back());
        }
        lane = queue_.open();
        for (std::uint64_t left = testkit::any_size(rng, kMostOfALane / 2); left != 0; --left)
          items.push_back(std::to_string(lanes_) + "." + std::to_string(left));
        expected_.insert(expected_.end(), items.begin(), items.end());
      }
      for (const std::string& item : items) {
        testkit::random_pause(rng);
        queue_.push(lane, item, testkit::up_to(rng, 2));
      }
      testkit::random_pause(rng);
      queue_.close(lane);
    }
  }

  std::vector<std::string> consume(std::uint64_t seed) {
    testkit::Rng rng(seed);
    std::vector<std::string> all;
    for (std::vector<std::string> items; queue_.pop_some(items, 1 + testkit::up_to(rng, 5));
         items.clear()) {
      most_ = std::max(most_, queue_.size());
      for (std::string& item : items) {
        testkit::random_pause(rng);
        all.push_back(std::move(item));
        queue_.release();
      }
    }
    return all;
  }

  testkit::Rng rng_;
  Queue queue_;
  std::mutex turn_;
  int lanes_ = 0;
  std::size_t most_ = 0;
  std::vector<std::string> expected_;
};

TEST(LaneQueueTest, NothingIsLostOrReorderedBetweenManyProducers) {
  // Goal: eight producers with tiny capacities and any schedule: every item once, in the order of
  // the lanes, no producer asleep for ever.
  testkit::Rng rng = testkit::seeded_rng();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int i = 0; i < 3 || (i < 50 && std::chrono::steady_clock::now() < end); ++i) {
    Stress(rng()).run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace adoc
