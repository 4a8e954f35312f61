#include "wire/batch_window.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

constexpr BatchSize kMost{.entries = 10'000, .offer_bytes = 1'000'000, .content_bytes = 1 << 30};

class BatchWindowTest : public testing::Test {
 protected:
  /// How many batches of this size go in.
  std::size_t fill(const BatchSize& each) {
    while (window_.batches() < 100'000 && window_.fits(each)) window_.add(each);
    return window_.batches();
  }
  BatchWindow window_;
};

TEST_F(BatchWindowTest, AFewMayBeWhateverTheyAre) {
  // Goal: one batch that is larger than the window can be sent, and a peer that knows no wide
  // window is held to a number.
  EXPECT_EQ(fill({.entries = 1}), kMaxBatchesInFlight);
  EXPECT_FALSE(window_.fits({}));
  window_.widen(kMost);
  EXPECT_FALSE(window_.fits({.entries = 1, .content_bytes = 1 << 30 | 1}));
  EXPECT_TRUE(window_.fits({.entries = 1, .content_bytes = 1 << 30}));
}

TEST_F(BatchWindowTest, AWideOneHoldsBatchesByWhatTheyAre) {
  // Goal: any of the three is what fills it, whatever the number of batches.
  window_.widen(kMost);
  EXPECT_EQ(fill({.entries = 500}), 20U);
  window_ = {};
  window_.widen(kMost);
  EXPECT_EQ(fill({.entries = 1, .offer_bytes = 25'000}), 40U);
  window_ = {};
  window_.widen(kMost);
  EXPECT_EQ(fill({.entries = 1, .content_bytes = 1 << 25}), 32U);
}

TEST_F(BatchWindowTest, TheOldestMakesRoom) {
  // Goal: what a batch took is given back when it is its turn, neither more nor less.
  window_.widen(kMost);
  window_.add({.entries = 9'000});
  for (int i = 0; i < 10; ++i) window_.add({.entries = 100});
  EXPECT_FALSE(window_.fits({.entries = 1}));
  window_.remove();
  EXPECT_TRUE(window_.fits({.entries = 9'000}));
  EXPECT_FALSE(window_.fits({.entries = 9'001}));
  while (window_.batches() != 0) window_.remove();
  EXPECT_EQ(fill({.entries = 1'000}), 10U);
}

TEST_F(BatchWindowTest, ABatchWithoutEntriesIsNotForNothing) {
  // Goal: a peer cannot have any number of batches under way.
  window_.widen(kMost);
  EXPECT_EQ(fill({}), kMaxBatchesInWideWindow);
}

TEST_F(BatchWindowTest, ASenderOfOldFitsIntoAWideOne) {
  // Goal: the largest batches that there are, as many as were always allowed.
  window_.widen({.entries = kMaxEntriesInFlight, .offer_bytes = kMaxOfferBytesInFlight});
  EXPECT_EQ(fill({.entries = 2 * kMaxBatchEntries, .offer_bytes = kMaxManifestBytes}),
            kMaxBatchesInFlight);
}

TEST(WindowBytesTest, AnOfferIsNotShorterThanItIs) {
  EXPECT_EQ(window_bytes({.raw_bytes = 900, .stored = Bytes(300)}), 900U);
  EXPECT_EQ(window_bytes({.raw_bytes = 1, .stored = Bytes(300)}), 300U);
}

TEST(WindowEntriesTest, OneWithAShareIsTwo) {
  std::vector<Entry> entries(5, Entry{.name = SafeName::check("f")});
  EXPECT_EQ(window_entries(entries), 5U);
  entries[1].share = Share{};
  entries[4].share = Share{};
  EXPECT_EQ(window_entries(entries), 7U);
}

}  // namespace
}  // namespace adoc
