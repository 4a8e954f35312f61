#include "pipeline/memory_shares.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace adoc {
namespace {

TEST(MemorySharesTest, WhoComesWhenAllAreOutWaitsUntilOneIsBack) {
  // Goal: no more are out than there are, and one is back when the last who holds it lets go.
  const auto shares = std::make_shared<MemoryShares>(2);
  const auto first = shares->take({});
  auto second = shares->take({});
  auto held_too = second;
  EXPECT_EQ(shares->left(), 0U);
  std::atomic<bool> has_it = false;
  std::jthread other([&] {
    const auto third = shares->take({});
    has_it = true;
  });
  second.reset();
  EXPECT_FALSE(has_it) << "somebody still holds it";
  held_too.reset();
  other.join();
  EXPECT_TRUE(has_it);
  EXPECT_EQ(shares->left(), 1U);
}

TEST(MemorySharesTest, AStopWakesThoseThatWait) {
  // Goal: a transfer that is over keeps nobody who waits for what others have.
  const auto shares = std::make_shared<MemoryShares>(1);
  const auto all = shares->take({});
  std::stop_source over;
  std::jthread waits([&] { EXPECT_EQ(shares->take(over.get_token()), nullptr); });
  over.request_stop();
  waits.join();
  EXPECT_EQ(shares->take(over.get_token()), nullptr) << "nor who asks when it is";
}

TEST(MemorySharesTest, AShareThatIsOutOutlivesTheRest) {
  // Goal: what was left alone gives its share back to whoever is there then, or to nobody.
  auto shares = std::make_shared<MemoryShares>(1);
  auto share = shares->take({});
  const std::weak_ptr<MemoryShares> all = shares;
  shares.reset();
  EXPECT_FALSE(all.expired());
  share.reset();
  EXPECT_TRUE(all.expired());
}

}  // namespace
}  // namespace adoc
