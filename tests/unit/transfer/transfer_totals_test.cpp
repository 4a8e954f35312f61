#include "transfer/transfer_totals.hpp"

#include <gtest/gtest.h>

namespace adoc {
namespace {

TEST(TransferTotals, AreKnownOnceTheLastBatchIs) {
  // Goal: a bar shows a share of the whole only when the whole is known.
  TransferTotals totals;
  totals.add({.bytes = 10}, false);
  EXPECT_FALSE(totals.known);
  totals.add({.bytes = 5}, true);
  EXPECT_TRUE(totals.known);
  EXPECT_EQ(totals.wanted_bytes, 15U);
}

TEST(TransferTotals, AreNeverKnownWithStandardInput) {
  // Goal: what has no length leaves the whole unknown, in whichever batch it is.
  const std::vector<Entry> entries{{.name = SafeName::check("f"), .size = 7},
                                   {.name = SafeName::check("-"), .size = kUnknownSize}};
  const WantItem all{.verb = Verb::take, .ranges = {{0, kUnknownSize}}};
  const std::vector<WantItem> wants{all, all};
  const StreamSize size = stream_size({entries, wants});
  EXPECT_EQ(size.bytes, 7U);
  EXPECT_FALSE(size.known);
  TransferTotals totals;
  totals.add(size, false);
  totals.add({.bytes = 1}, true);
  EXPECT_FALSE(totals.known);
  totals.reset();
  totals.add({.bytes = 1}, true);
  EXPECT_TRUE(totals.known);
}

}  // namespace
}  // namespace adoc
