#include "io/congestion.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>

#include "io/socket_buffer.hpp"
#include "util/fd.hpp"

namespace adoc {
namespace {

TEST(CongestionTest, LossIsUnexplainedOnlyWhereNothingWaits) {
  // Goal: packets that are lost while the path is full say nothing, one in a thousand lost while it
  // is not does, one in a million does not; and one is enough, as what it slows down stays slow for
  // many round trips before there is a second one.
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
  EXPECT_TRUE(once.is_there());
}

TEST(CongestionTest, TheSystemSaysWhatItDoesNotHave) {
  // Goal: reno is in every system, and a name that nobody has is an error.
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(set_congestion(socket.get(), "reno"), 0);
  EXPECT_EQ(set_congestion(socket.get(), "no-such"), ENOENT);
}

TEST(CongestionTest, LossIsAnsweredByBbrOrByPacing) {
  // Goal: pacing limits nothing by itself; a socket of a path with loss has BBR, or is paced.
  const Fd paced(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::uint64_t rate = 0;
  socklen_t length = sizeof(rate);
  ASSERT_TRUE(set_pacing(paced.get()));
  ASSERT_EQ(::getsockopt(paced.get(), SOL_SOCKET, SO_MAX_PACING_RATE, &rate, &length), 0);
  EXPECT_EQ(rate, UINT64_MAX - 1);
  const Fd answered(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool has_bbr = set_congestion(paced.get(), "bbr") == 0;
  answer_loss(answered.get());
  std::array<char, 16> name{};
  length = name.size();
  ASSERT_EQ(::getsockopt(answered.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &length), 0);
  EXPECT_EQ(std::string(name.data()) == "bbr", has_bbr);
  length = sizeof(rate);
  ASSERT_EQ(::getsockopt(answered.get(), SOL_SOCKET, SO_MAX_PACING_RATE, &rate, &length), 0);
  EXPECT_EQ(rate == UINT64_MAX - 1, !has_bbr);
}

TEST(SocketBufferTest, ItGrowsBeyondTheSystemsTuningAsFarAsTheSystemLets) {
  // Goal: nothing is done before the tuning is at its end, nor where nothing more is to be had.
  const SocketBuffer::Limits limits{.tuned = 4'000'000, .asked = 12'000'000};
  EXPECT_EQ(SocketBuffer::next(1'000'000, limits), std::nullopt);
  EXPECT_EQ(SocketBuffer::next(3'900'000, limits), 7'800'000U);
  EXPECT_EQ(SocketBuffer::next(7'800'000, limits), 12'000'000U);
  EXPECT_EQ(SocketBuffer::next(12'000'000, limits), std::nullopt);
  EXPECT_EQ(SocketBuffer::next(4'000'000, {.tuned = 4'000'000, .asked = 400'000}), std::nullopt);
  EXPECT_EQ(SocketBuffer::next(4'000'000, {}), std::nullopt);
}

}  // namespace
}  // namespace adoc
