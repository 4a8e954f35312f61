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
  const std::vector<Piece> pieces{{.entry = 0, .length = 7}, {.entry = 1, .length = kUnknownSize}};
  const StreamSize size = stream_size(pieces);
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
