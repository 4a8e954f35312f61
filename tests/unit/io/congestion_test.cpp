#include "io/congestion.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "util/fd.hpp"

namespace adoc {
namespace {

TEST(CongestionTest, LossIsUnexplainedOnlyWhereNothingWaits) {
  // Goal: packets that are lost while the path is full say nothing, one in a thousand lost while it
  // is not does, one in a million does not.
  UnexplainedLoss full;
  for (std::uint64_t i = 0; i < 100; ++i) full.look({.sent = i * 100, .sent_again = i}, true);
  EXPECT_FALSE(full.is_there());
  UnexplainedLoss lossy;
  for (std::uint64_t i = 0; i < 100; ++i)
    lossy.look({.sent = i * 100, .sent_again = i / 10}, false);
  EXPECT_TRUE(lossy.is_there());
  UnexplainedLoss clean;
  for (std::uint64_t i = 0; i < 100; ++i)
    clean.look({.sent = i * 100'000, .sent_again = i / 10}, false);
  EXPECT_FALSE(clean.is_there());
  UnexplainedLoss once;
  once.look({.sent = 10, .sent_again = 0}, false);
  once.look({.sent = 20, .sent_again = 1}, false);
  EXPECT_FALSE(once.is_there());
}

TEST(CongestionTest, TheSystemSaysWhatItDoesNotHave) {
  // Goal: reno is in every system, and a name that nobody has is an error.
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(set_congestion(socket.get(), "reno"), 0);
  EXPECT_EQ(set_congestion(socket.get(), "no-such"), ENOENT);
}

}  // namespace
}  // namespace adoc
