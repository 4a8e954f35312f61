#include <poll.h>

#include <algorithm>

#include "unit/messages/ends.hpp"

namespace adoc {
namespace {

using namespace testkit;

/// Writes until nothing more is taken; what was taken.
std::size_t write_until_full(int fd, ByteSpan bytes, int min_level) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const ssize_t next = adoc_write_levels(fd, bytes.data() + taken, bytes.size() - taken, nullptr,
                                           min_level, adoc_max_level());
    if (next < 0) {
      EXPECT_EQ(errno, EAGAIN) << adoc_strerror(errno);
      break;
    }
    taken += static_cast<std::size_t>(next);
  }
  return taken;
}

class NonBlockingTest : public testing::TestWithParam<Ends (*)()> {
 protected:
  NonBlockingTest() {
    set_non_blocking(ends.a);
    set_non_blocking(ends.b);
  }

  Ends ends = GetParam()();
};

TEST_P(NonBlockingTest, AnEmptyStreamSaysAgain) {
  // Goal: EAGAIN where read() would say it, within a run as well.
  std::byte one{};
  EXPECT_EQ(adoc_read(ends.b, &one, 1), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_P(NonBlockingTest, ARunThatComesInPiecesIsPutTogether) {
  // Goal: a byte at a time, every call returns, and in the end all is there.
  Ends through = pipe_ends();
  const Bytes text = words(4'000);
  write_all(through.a, ByteSpan(text).first(2'000), 1);
  write_all(through.a, ByteSpan(text).subspan(2'000), 0);
  through.close_a();
  Bytes got;
  std::byte piece{};
  while (read(through.b, &piece, 1) == 1) {
    ASSERT_EQ(write(ends.a, &piece, 1), 1);
    Bytes some(5'000);
    const ssize_t came = adoc_read(ends.b, some.data(), some.size());
    if (came < 0) {
      ASSERT_EQ(errno, EAGAIN);
    }
    if (came > 0) got.insert(got.end(), some.begin(), some.begin() + came);
  }
  EXPECT_EQ(got, text);
}

TEST_P(NonBlockingTest, WhatWasTakenComesThoughNobodyCallsAgain) {
  // Goal: a writer that has been told that its bytes were taken need not come back for them.
  for (const int level : {0, 1}) {
    const Bytes bytes = noise(20'000'000, static_cast<unsigned>(level));
    const std::size_t taken = write_until_full(ends.a, bytes, level);
    ASSERT_LT(taken, bytes.size());
    const Bytes got = read_bytes(ends.b, taken);
    EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes.begin()));
    EXPECT_EQ(got.size(), taken);
  }
}

TEST_P(NonBlockingTest, WhatWasTakenComesAfterTheClose) {
  // Goal: adoc_close() is no loss, as close() is none of what the system has.
  const Bytes bytes = noise(20'000'000);
  const std::size_t taken = write_until_full(ends.a, bytes, 0);
  ends.close_a();
  EXPECT_EQ(read_bytes(ends.b, bytes.size()).size(), taken);
}

TEST_P(NonBlockingTest, APollingPairMovesAll) {
  // Goal: the loop that every program has, one thread, both ends, no call that waits.
  const Bytes bytes = words(8'000'000);
  Bytes got;
  std::size_t taken = 0;
  while (got.size() < bytes.size()) {
    std::array polled{pollfd{.fd = ends.a, .events = POLLOUT, .revents = 0},
                      pollfd{.fd = ends.b, .events = POLLIN, .revents = 0}};
    if (taken == bytes.size()) polled[0].fd = -1;
    if (adoc_pending(ends.b) == 0) {
      ASSERT_GT(poll(polled.data(), polled.size(), -1), 0);
    }
    if (polled[0].revents != 0)
      taken += write_until_full(ends.a, ByteSpan(bytes).subspan(taken), 0);
    Bytes some(100'000);
    ssize_t came = 0;
    while ((came = adoc_read(ends.b, some.data(), some.size())) > 0)
      got.insert(got.end(), some.begin(), some.begin() + came);
    ASSERT_EQ(came, -1);
    ASSERT_EQ(errno, EAGAIN);
  }
  EXPECT_EQ(got, bytes);
}

TEST_P(NonBlockingTest, AFlushSaysWhenAllIsOut) {
  // Goal: EAGAIN while something is kept, 0 once it is not.
  const Bytes bytes = noise(20'000'000);
  const std::size_t taken = write_until_full(ends.a, bytes, 0);
  EXPECT_EQ(adoc_flush(ends.a), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(read_bytes(ends.b, taken).size(), taken);
  EXPECT_EQ(adoc_flush(ends.a), 0);
}

INSTANTIATE_TEST_SUITE_P(Streams, NonBlockingTest,
                         testing::Values(&tcp_pair, &socket_pair, &pipe_ends));

}  // namespace
}  // namespace adoc
