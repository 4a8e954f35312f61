#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "unit/messages/ends.hpp"

namespace adoc {
namespace {

using namespace testkit;

struct Kind {
  const char* name;
  Ends (*make)();
};

class WriteReadTest : public testing::TestWithParam<Kind> {
 protected:
  Ends ends = GetParam().make();

  /// Writes in a thread what is read here.
  void comes_across(const Bytes& bytes, int min_level = 0, std::size_t at_once = 1 << 20) {
    std::thread writer([&] { write_all(ends.a, bytes, min_level); });
    EXPECT_EQ(read_bytes(ends.b, bytes.size(), at_once), bytes);
    writer.join();
  }
};

TEST_P(WriteReadTest, MessagesOfEverySizeComeAcross) {
  // Goal: what is written is read, whatever its length, what it is and how it is packed.
  for (const unsigned bytes : {1U, 2U, 12U, 13U, 14U, 255U, 256U, 4'096U, 32'767U, 32'768U,
                               100'000U, 262'144U, 262'145U, 1'048'576U, 3'000'001U}) {
    comes_across(words(bytes));
    comes_across(noise(bytes));
    comes_across(words(bytes), 1);
    comes_across(noise(bytes), adoc_max_level() / 2);
  }
}

TEST_P(WriteReadTest, ReadsOfAnySizeGiveTheSameBytes) {
  // Goal: runs have no borders for the reader.
  comes_across(words(200'000), 1, 7);
  comes_across(words(200'000), 0, 1'000);
  comes_across(noise(700'000), 0, 262'157);
}

TEST_P(WriteReadTest, ShortMessagesAreReadTogether) {
  // Goal: what waits in the system is read by one call, as from a plain descriptor.
  const Bytes all = words(5'000);
  for (std::size_t i = 0; i < 50; ++i) write_all(ends.a, ByteSpan(all).subspan(i * 100, 100));
  for (int arrived = 0; arrived < 50 * 113;) ASSERT_EQ(ioctl(ends.b, FIONREAD, &arrived), 0);
  Bytes got(10'000);
  EXPECT_EQ(adoc_read(ends.b, got.data(), got.size()), 5'000);
  got.resize(5'000);
  EXPECT_EQ(got, all);
}

TEST_P(WriteReadTest, WhatTheLibraryHoldsIsPending) {
  // Goal: poll() does not see it, and adoc_pending() does.
  write_all(ends.a, words(3'000), 1);
  std::byte first{};
  EXPECT_EQ(adoc_pending(ends.b), 0);
  ASSERT_EQ(adoc_read(ends.b, &first, 1), 1);
  EXPECT_EQ(adoc_pending(ends.b), 2'999);
  pollfd polled{.fd = ends.b, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&polled, 1, 0), 0);
  EXPECT_EQ(read_bytes(ends.b, 2'999).size(), 2'999U);
  EXPECT_EQ(adoc_pending(ends.b), 0);
}

TEST_P(WriteReadTest, TheEndIsZeroAgainAndAgain) {
  // Goal: as read() at the end of a stream, also for a writer that has written nothing.
  write_all(ends.a, words(10));
  ends.close_a();
  EXPECT_EQ(read_bytes(ends.b, 10), words(10));
  std::byte one{};
  EXPECT_EQ(adoc_read(ends.b, &one, 1), 0);
  EXPECT_EQ(adoc_read(ends.b, &one, 1), 0);
}

TEST_P(WriteReadTest, NothingIsNothing) {
  // Goal: 0 bytes are 0, and nothing is on the wire.
  std::byte one{};
  size_t wire = 7;
  EXPECT_EQ(adoc_write(ends.a, &one, 0, &wire), 0);
  EXPECT_EQ(wire, 0U);
  EXPECT_EQ(adoc_read(ends.b, &one, 0), 0);
  pollfd polled{.fd = ends.b, .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&polled, 1, 0), 0);
}

TEST_P(WriteReadTest, TheWireIsCounted) {
  // Goal: *wire is what the descriptor was given: a header of 13 bytes, or fewer bytes than came.
  const Bytes text = words(20'000);
  size_t wire = 0;
  ASSERT_EQ(adoc_write_levels(ends.a, text.data(), 100, &wire, 0, 0), 100);
  EXPECT_EQ(wire, 113U);
  ASSERT_EQ(adoc_write_levels(ends.a, text.data(), text.size(), &wire, 1, adoc_max_level()),
            20'000);
  EXPECT_LT(wire, 12'000U);
  EXPECT_EQ(read_bytes(ends.b, 20'100).size(), 20'100U);
}

TEST_P(WriteReadTest, WhatDoesNotShrinkIsPlain) {
  // Goal: no data grows by more than its headers, at any level.
  const Bytes random = noise(100'000);
  std::thread reader([&] { EXPECT_EQ(read_bytes(ends.b, 100'000), random); });
  size_t wire = 0;
  ASSERT_EQ(adoc_write_levels(ends.a, random.data(), random.size(), &wire, adoc_max_level(),
                              adoc_max_level()),
            100'000);
  EXPECT_LE(wire, 100'000U + 4 * 13U);
  reader.join();
}

TEST_P(WriteReadTest, WritesOfSeveralThreadsDoNotMix) {
  // Goal: each write comes across in one piece, as into a stream of the system's.
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kWrites = 50;
  constexpr std::size_t kBytes = 2'000;
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < kThreads; ++i)
    writers.emplace_back([this, i] {
      const Bytes own(kBytes, static_cast<std::byte>(i));
      for (std::size_t j = 0; j < kWrites; ++j) write_all(ends.a, own, static_cast<int>(j % 2));
    });
  std::array<std::size_t, kThreads> came{};
  for (std::size_t j = 0; j < kThreads * kWrites; ++j) {
    const Bytes one = read_bytes(ends.b, kBytes);
    ASSERT_EQ(one, Bytes(kBytes, one.front()));
    ++came.at(static_cast<std::size_t>(one.front()));
  }
  for (std::thread& writer : writers) writer.join();
  for (const std::size_t writes : came) EXPECT_EQ(writes, kWrites);
}

TEST_P(WriteReadTest, ReadsOfTwoThreadsTakeAllBetweenThem) {
  // Goal: each byte is read once.
  constexpr std::size_t kBytes = 500'000;
  std::array<std::size_t, 2> came{};
  std::vector<std::thread> readers;
  for (std::size_t& own : came)
    readers.emplace_back([this, &own] {
      Bytes some(3'000);
      ssize_t next = 0;
      while ((next = adoc_read(ends.b, some.data(), some.size())) > 0)
        own += static_cast<std::size_t>(next);
    });
  write_all(ends.a, words(kBytes), 1);
  ends.close_a();
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(came[0] + came[1], kBytes);
}

TEST_P(WriteReadTest, ANumberThatIsReusedIsAnotherDescriptor) {
  // Goal: what a close() without the library left unread is not read from the next one.
  write_all(ends.a, words(3'000), 1);
  std::byte first{};
  ASSERT_EQ(adoc_read(ends.b, &first, 1), 1);
  Ends next = GetParam().make();
  ASSERT_EQ(dup2(next.b, ends.b), ends.b);
  ASSERT_EQ(dup2(next.a, ends.a), ends.a);
  EXPECT_EQ(adoc_pending(ends.b), 0);
  comes_across(noise(500));
}

TEST_P(WriteReadTest, ANumberThatIsReusedBetweenLongMessagesIsAnotherDescriptor) {
  // Goal: the same where one message follows the other so soon that the library need not ask whose
  // the number is.
  const Bytes message = noise(40'000);
  for (int i = 0; i < 200; ++i) {
    comes_across(message);
    if (i % 5 != 4) continue;
    Ends next = GetParam().make();
    ASSERT_EQ(dup2(next.b, ends.b), ends.b);
    ASSERT_EQ(dup2(next.a, ends.a), ends.a);
  }
  comes_across(words(4 << 20));
}

TEST_P(WriteReadTest, DuplicatesAreOneStream) {
  // Goal: what one of two numbers has begun to read, the other goes on with.
  write_all(ends.a, words(3'000), 1);
  const int other = dup(ends.b);
  EXPECT_EQ(read_bytes(ends.b, 1'000), words(1'000));
  Bytes rest = read_bytes(other, 2'000);
  Bytes all = words(1'000);
  all.insert(all.end(), rest.begin(), rest.end());
  EXPECT_EQ(all, words(3'000));
  adoc_close(other);
}

TEST_P(WriteReadTest, AChildGoesOnWhereItsParentWas) {
  // Goal: after fork() the stream is the child's, with what was read before.
  write_all(ends.a, words(3'000), 1);
  EXPECT_EQ(read_bytes(ends.b, 1'000), words(1'000));
  const pid_t child = fork();
  if (child == 0) {
    Bytes rest(2'000);
    const ssize_t came = adoc_read(ends.b, rest.data(), rest.size());
    const Bytes all = words(3'000);
    _exit(came == 2'000 && std::equal(rest.begin(), rest.end(), all.begin() + 1'000) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(Streams, WriteReadTest,
                         testing::Values(Kind{"tcp", tcp_pair}, Kind{"local", socket_pair},
                                         Kind{"pipe", pipe_ends}),
                         [](const auto& kind) { return std::string(kind.param.name); });

/// Of this process, as the kernel counts them.
int threads() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int count = 0;
    if (word == "Threads:" && status >> count) return count;
  }
  return -1;
}

TEST(ManyConnectionsTest, AThousandHaveNoThreadEach) {
  // Goal: an idle connection has no thread, before, between and after messages; those with
  // something left to send share one.
  constexpr unsigned kCount = 1'000;
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 2 * kCount + 100);
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) GTEST_SKIP() << "too few descriptors are allowed";
  // A sanitizer may have a thread of its own from the first one on.
  std::thread([] {}).join();
  const int before = threads();
  ASSERT_GT(before, 0);
  std::vector<Ends> all;
  for (unsigned i = 0; i < kCount; ++i) all.push_back(socket_pair());
  for (unsigned i = 0; i < kCount; ++i) {
    const Bytes question = words(1 + 37 * (i % 100), i);
    const Bytes answer = noise(1 + i, i);
    write_all(all[i].a, question, static_cast<int>(i % 2));
    EXPECT_EQ(read_bytes(all[i].b, question.size()), question);
    write_all(all[i].b, answer);
    EXPECT_EQ(read_bytes(all[i].a, answer.size()), answer);
  }
  EXPECT_EQ(threads(), before);

  // More than a socket has room for, of which the rest is kept.
  const Bytes much = noise(3'000'000);
  std::vector<std::size_t> taken;
  for (unsigned i = 0; i < 20; ++i) {
    set_non_blocking(all[i].a);
    std::size_t bytes = 0;
    for (ssize_t some = 1; some > 0; bytes += some > 0 ? static_cast<std::size_t>(some) : 0)
      some = adoc_write(all[i].a, much.data() + bytes, much.size() - bytes, nullptr);
    ASSERT_EQ(errno, EAGAIN);
    ASSERT_LT(bytes, much.size());
    taken.push_back(bytes);
  }
  EXPECT_EQ(threads(), before + 1);
  for (unsigned i = 0; i < 20; ++i)
    EXPECT_EQ(read_bytes(all[i].b, taken[i]),
              Bytes(much.begin(), much.begin() + static_cast<std::ptrdiff_t>(taken[i])));
  all.clear();
  // The one is about to end when nothing is left to send.
  while (threads() > before) std::this_thread::yield();
}

}  // namespace
}  // namespace adoc
