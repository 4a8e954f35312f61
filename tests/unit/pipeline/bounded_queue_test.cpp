#include "pipeline/bounded_queue.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "pipeline/buffer_stock.hpp"
#include "support/threads_at_queues.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;

using testkit::failure;
using testkit::in_thread;
using testkit::sleeps;

TEST(BoundedQueueTest, ItemsComeOutInTheOrderTheyWentIn) {
  // Goal: a FIFO, whose size is the weight inside.
  BoundedQueue<int> queue(10);
  queue.push(1);
  queue.push(2, 3);
  queue.push(3, 0);
  EXPECT_EQ(queue.size(), 4U);
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_EQ(queue.try_pop(), 3);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueueTest, APusherWaitsUntilThereIsRoomForItsWeight) {
  // Goal: the weight inside never exceeds the capacity.
  BoundedQueue<int> queue(3);
  queue.push(1, 2);
  auto pushing = in_thread([&] { queue.push(2, 2); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(queue.pop(), 1);
  pushing.get();
  EXPECT_EQ(queue.size(), 2U);
}

TEST(BoundedQueueTest, AnItemWithoutWeightNeedsNoRoom) {
  // Goal: control frames pass a full FIFO.
  BoundedQueue<int> queue(1);
  queue.push(1);
  queue.push(2, 0);
  EXPECT_EQ(queue.size(), 1U);
}

TEST(BoundedQueueTest, AnItemHeavierThanTheCapacityIsLetInAlone) {
  // Goal: no item is too large for ever, and none passes while something is inside.
  BoundedQueue<int> queue(2);
  queue.push(1);
  auto pushing = in_thread([&] { queue.push(2, 50); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_EQ(queue.pop(), 1);
  pushing.get();
  EXPECT_EQ(queue.size(), 50U);
  EXPECT_EQ(queue.pop(), 2);
}

TEST(BoundedQueueTest, OfSeveralPushersTheOneThatFitsIsWoken) {
  // Goal: a heavy pusher that still has to wait does not swallow the wake-up of a light one.
  BoundedQueue<int> queue(4);
  queue.push(0, 1);
  queue.push(0, 3);
  auto heavy = in_thread([&] { queue.push(1, 4); });
  auto light = in_thread([&] { queue.push(2, 1); });
  EXPECT_TRUE(sleeps(heavy));
  EXPECT_TRUE(sleeps(light));
  EXPECT_EQ(queue.pop(), 0);
  light.get();
  EXPECT_TRUE(sleeps(heavy));
  EXPECT_EQ(queue.pop(), 0);
  EXPECT_EQ(queue.pop(), 2);
  heavy.get();
}

TEST(BoundedQueueTest, AfterCloseTheRestIsPoppedAndThenNone) {
  // Goal: close() is the end of the stream, and wakes those that wait for more of it.
  BoundedQueue<int> queue(2);
  auto waiting = in_thread([&] { return queue.pop(); });
  EXPECT_TRUE(sleeps(waiting));
  queue.push(1);
  EXPECT_EQ(waiting.get(), 1);
  auto more = in_thread([&] { return queue.pop(); });
  auto still_more = in_thread([&] { return queue.pop(); });
  EXPECT_TRUE(sleeps(more));
  queue.close();
  EXPECT_EQ(more.get(), std::nullopt);
  EXPECT_EQ(still_more.get(), std::nullopt);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueueTest, FailWakesASleepingPusherAndASleepingPopper) {
  // Goal: a dying stage takes its neighbours along, at both ends.
  BoundedQueue<int> full(1);
  full.push(1);
  auto pushing = in_thread([&] { full.push(2); });
  BoundedQueue<int> empty(1);
  auto popping = in_thread([&] { return empty.pop(); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_TRUE(sleeps(popping));
  for (BoundedQueue<int>* queue : {&full, &empty}) queue->fail(failure("why"));
  EXPECT_THROW(pushing.get(), std::runtime_error);
  EXPECT_THROW(popping.get(), std::runtime_error);
}

TEST(BoundedQueueTest, TheFirstFailureWinsAndStays) {
  // Goal: everybody learns the same reason, also those that come later and after a close.
  BoundedQueue<int> queue(5);
  queue.push(1);
  queue.close();
  queue.fail(failure("first"));
  queue.fail(failure("second"));
  for (int i = 0; i < 2; ++i) {
    try {
      static_cast<void>(queue.pop());
      ADD_FAILURE() << "an item of a failed queue was given out";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
  }
  EXPECT_THROW(queue.push(2), std::runtime_error);
  EXPECT_THROW(queue.push(2, 0), std::runtime_error);
  EXPECT_THROW(static_cast<void>(queue.try_pop()), std::runtime_error);
}

TEST(BoundedQueueTest, TheNewestCanBeTakenFirst) {
  // Goal: what was pushed last is still in the processor's cache; its room is given back, too.
  BoundedQueue<int> queue(2);
  queue.push(1);
  queue.push(2);
  auto pushing = in_thread([&] { queue.push(3); });
  EXPECT_TRUE(sleeps(pushing));
  EXPECT_EQ(queue.try_pop_newest(), 2);
  pushing.get();
  EXPECT_EQ(queue.try_pop_newest(), 3);
  EXPECT_EQ(queue.try_pop(), 1);
  EXPECT_EQ(queue.try_pop_newest(), std::nullopt);
}

TEST(BoundedQueueTest, NothingIsLostOrReorderedBetweenManyThreads) {
  // Goal: each producer's items come out once and in its order, whoever pops them.
  constexpr int kProducers = 4;
  constexpr int kEach = 3'000;
  BoundedQueue<std::pair<int, int>> queue(5);
  std::vector<std::future<std::vector<std::pair<int, int>>>> consumers;
  for (int i = 0; i < 3; ++i)
    consumers.push_back(in_thread([&] {
      std::vector<std::pair<int, int>> got;
      while (const auto item = queue.pop()) got.push_back(*item);
      return got;
    }));
  {
    std::vector<std::jthread> producers;
    for (int who = 0; who < kProducers; ++who)
      producers.emplace_back([&queue, who] {
        for (int i = 0; i < kEach; ++i)
          queue.push({who, i}, static_cast<std::size_t>((who + i) % 4));
      });
  }
  queue.close();
  std::vector<int> count(kProducers);
  for (auto& consumer : consumers) {
    std::vector<int> latest(kProducers, -1);
    for (const auto& [who, i] : consumer.get()) {
      EXPECT_GT(i, latest[static_cast<std::size_t>(who)]);
      latest[static_cast<std::size_t>(who)] = i;
      ++count[static_cast<std::size_t>(who)];
    }
  }
  EXPECT_EQ(count, std::vector<int>(kProducers, kEach));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(BufferStockTest, RecordsDoNotRest) {
  // Goal: a tree of any size has as many offers as it has, and each is sent once: nobody takes the
  // buffer of one again.
  BufferStock stock;
  stock.give_back(Buffer(Bytes(1'500, std::byte{7})));
  EXPECT_EQ(stock.take(1'024).capacity(), 1'024U) << "a new one";
}

TEST(BufferStockTest, ABufferThatWasGivenBackIsTakenAgain) {
  // Goal: the steady state allocates nothing.
  BufferStock stock;
  Buffer buffer = stock.take(3'000);
  EXPECT_GE(buffer.capacity(), 3'000U);
  buffer.resize(2'500);
  const std::byte* const memory = buffer.data();
  stock.give_back(std::move(buffer));
  buffer = stock.take(2'100);
  EXPECT_EQ(buffer.data(), memory);
}

TEST(BufferStockTest, ABufferHasTheRoomThatWasAskedForAndNotMuchMore) {
  // Goal: a small one does not hide in a large one: memory is counted by what was asked for.
  BufferStock stock;
  for (const std::size_t kept : {1'024UL, 3'000UL, 5'000UL, 70'000UL, 1UL << 20}) {
    Buffer buffer;
    buffer.reserve(kept);
    stock.give_back(std::move(buffer));
  }
  for (const std::size_t asked : {1UL, 1'024UL, 1'025UL, 3'000UL, 65'536UL, 70'000UL, 1UL << 20}) {
    const Buffer buffer = stock.take(asked);
    EXPECT_GE(buffer.capacity(), asked);
    EXPECT_LE(buffer.capacity(), 4 * asked);
  }
}

TEST(BufferStockTest, TheStockDoesNotGrowWithoutBound) {
  // Goal: neither the many small frames between the packets nor many huge blocks pile up in it: 5
  // GB of them once made it as large as the transfer.
  BufferStock stock;
  Buffer small;
  small.reserve(20);
  stock.give_back(std::move(small));
  EXPECT_LT(stock.take(16).capacity(), 20U) << "a new one";
  constexpr std::size_t kHuge = 4 << 20;
  std::vector<const std::byte*> given;
  for (int i = 0; i < 40; ++i) {
    Buffer huge;
    huge.reserve(kHuge);
    given.push_back(huge.data());
    stock.give_back(std::move(huge));
  }
  // Those that rest come out first, the newest of them at the head.
  std::vector<Buffer> taken;
  for (int i = 0; i < 6; ++i) taken.push_back(stock.take(kHuge));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(taken[i].data(), given[5 - i]);
}

}  // namespace
}  // namespace adoc
