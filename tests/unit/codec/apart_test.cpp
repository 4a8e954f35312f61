#include "codec/apart.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <thread>

#include "support/expect_error.hpp"

namespace adoc {
namespace {

void enough() { throw Error(ErrorKind::interrupted, "enough"); }

/// Work that goes on until it is told, with what stands for its memory, and is left alone.
struct LeftAlone {
  LeftAlone() {
    auto memory = std::make_shared<int>();
    held = memory;
    testkit::expect_error(ErrorKind::interrupted, "enough", [&] {
      run_apart([told = told, memory = std::move(memory)] { told->wait(); }, enough);
    });
  }

  std::shared_ptr<std::latch> told = std::make_shared<std::latch>(1);
  std::weak_ptr<int> held;
};

TEST(RunApart, PassesOnWhatTheWorkThrows) {
  // Goal: as if the caller had done it, with and without a thread for it.
  const auto fails = [] { throw Error(ErrorKind::corrupt, "no good"); };
  testkit::expect_corrupt("no good", [&] { run_apart(fails, {}); });
  testkit::expect_corrupt("no good", [&] { run_apart(fails, [] {}); });
}

TEST(RunApart, LooksAroundMeanwhile) {
  // Goal: who waits is asked, by its own thread, as long as the work takes.
  const auto waiting = std::this_thread::get_id();
  std::atomic<int> looks = 0;
  run_apart(
      [&] {
        EXPECT_NE(std::this_thread::get_id(), waiting);
        while (looks < 3) std::this_thread::yield();
      },
      [&] {
        EXPECT_EQ(std::this_thread::get_id(), waiting);
        ++looks;
      });
}

TEST(RunApart, WorkThatIsLeftAloneKeepsItsMemoryUntilItIsThrough) {
  // Goal: neither is the memory somebody else's too soon nor for ever nobody's.
  LeftAlone left;
  EXPECT_FALSE(left.held.expired());
  testkit::expect_error(ErrorKind::interrupted, "enough", [] { wait_for_work_left_alone(enough); });
  left.told->count_down();
  wait_for_work_left_alone([] {});
  EXPECT_TRUE(left.held.expired());
}

TEST(RunApart, OthersGoOnWhileWorkIsLeftAlone) {
  // Goal: what one transfer has left keeps none of the others waiting.
  LeftAlone left;
  bool done = false;
  run_apart([&] { done = true; }, [] {});
  EXPECT_TRUE(done);
  left.told->count_down();
  wait_for_work_left_alone([] {});
}

}  // namespace
}  // namespace adoc
