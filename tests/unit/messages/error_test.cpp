#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "unit/messages/ends.hpp"
#include "wire/message.hpp"

namespace adoc {
namespace {

using namespace testkit;

void expect_errno(int expected, ssize_t result) {
  EXPECT_EQ(result, -1);
  EXPECT_EQ(errno, expected) << adoc_strerror(errno);
}

template <std::size_t N>
void send_bytes(int fd, const std::array<std::byte, N>& bytes) {
  ASSERT_EQ(write(fd, bytes.data(), N), static_cast<ssize_t>(N));
}

TEST(MessageErrorTest, ClosedDescriptorsAreErrors) {
  // Goal: EBADF from each function, also for a number that was used before.
  Ends ends = socket_pair();
  write_all(ends.a, words(100));
  const int closed = ends.a;
  ends.close_a();
  std::byte one{};
  for (const int fd : {closed, -1}) {
    expect_errno(EBADF, adoc_write(fd, &one, 1, nullptr));
    expect_errno(EBADF, adoc_read(fd, &one, 1));
    expect_errno(EBADF, adoc_pending(fd));
    expect_errno(EBADF, adoc_flush(fd));
    expect_errno(EBADF, adoc_send_file(fd, ends.b, nullptr));
    expect_errno(EBADF, adoc_receive_file(fd, ends.b));
    expect_errno(EBADF, adoc_close(fd));
  }
}

TEST(MessageErrorTest, WhatIsNoStreamIsAnError) {
  // Goal: files and datagrams are refused before anything is written to them.
  std::byte one{};
  const int file = memfd_create("file", 0);
  expect_errno(EOPNOTSUPP, adoc_write(file, &one, 1, nullptr));
  expect_errno(EOPNOTSUPP, adoc_read(file, &one, 1));
  close(file);
  const int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
  expect_errno(EOPNOTSUPP, adoc_write(datagrams, &one, 1, nullptr));
  close(datagrams);
}

TEST(MessageErrorTest, LevelsThatThereAreNotAreErrors) {
  // Goal: nothing is written at them.
  const Ends ends = socket_pair();
  std::byte one{};
  expect_errno(EINVAL, adoc_write_levels(ends.a, &one, 1, nullptr, -1, 1));
  expect_errno(EINVAL, adoc_write_levels(ends.a, &one, 1, nullptr, 2, 1));
  expect_errno(EINVAL, adoc_write_levels(ends.a, &one, 1, nullptr, 0, adoc_max_level() + 1));
  expect_errno(EINVAL, adoc_write(ends.a, &one, SIZE_MAX, nullptr));
  expect_errno(EINVAL, adoc_read(ends.a, &one, SIZE_MAX));
}

TEST(MessageErrorTest, APeerThatTalksPlainIsAnError) {
  // Goal: seen with its first byte, without waiting for as many as a header has, and for good.
  const Ends ends = socket_pair();
  ASSERT_EQ(write(ends.a, "G", 1), 1);
  std::byte one{};
  expect_errno(EPROTO, adoc_read(ends.b, &one, 1));
  expect_errno(EPROTO, adoc_pending(ends.b));
  write_all(ends.a, words(100));
  expect_errno(EPROTO, adoc_read(ends.b, &one, 1));
}

TEST(MessageErrorTest, APlainPeerThatBeginsLikeAFrameIsAnErrorToo) {
  // Goal: the right type alone makes no frame.
  const Ends ends = socket_pair();
  ASSERT_EQ(write(ends.a, "(hello", 6), 6);  // '(' is 40
  std::byte one{};
  expect_errno(EPROTO, adoc_read(ends.b, &one, 1));
}

TEST(MessageErrorTest, FieldsBeyondTheirBoundsAreErrors) {
  // Goal: no header announces more than is allowed, whatever its check value.
  const auto refused = [](const auto& record) {
    const Ends ends = socket_pair();
    send_bytes(ends.a, record.encode());
    std::byte one{};
    expect_errno(EPROTO, adoc_read(ends.b, &one, 1));
  };
  refused(PlainRun{0});
  refused(PlainRun{kMaxPlainRunBytes + 1});
  refused(PackedRun{.codec = 0, .raw_bytes = 10, .stored_bytes = 10});
  refused(PackedRun{.codec = 4, .raw_bytes = 10, .stored_bytes = 10});
  refused(PackedRun{.codec = 3, .raw_bytes = 0, .stored_bytes = 0});
  refused(PackedRun{.codec = 3, .raw_bytes = 10, .stored_bytes = 0});
  refused(PackedRun{.codec = 3, .raw_bytes = 10, .stored_bytes = 11});
  refused(PackedRun{.codec = 3, .raw_bytes = kMaxPackedRunBytes + 1, .stored_bytes = 11});
  refused(FileMark{static_cast<FileMark::Mark>(3), 0});
  refused(FileMark{FileMark::Mark::begin, 1});
}

TEST(MessageErrorTest, AFlippedBitOfAPackedRunIsAnError) {
  // Goal: neither header nor contents of a run are believed without their checks, and what comes
  // of a run is nothing or right.
  Ends ends = pipe_ends();
  const Bytes raw = words(600);
  write_all(ends.a, raw, 1);
  Bytes frame(1'000);
  const ssize_t size = read(ends.b, frame.data(), frame.size());
  ASSERT_GT(size, 26);
  frame.resize(static_cast<std::size_t>(size));
  for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
    Ends broken = socket_pair();
    Bytes flipped = frame;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    ASSERT_EQ(write(broken.a, flipped.data(), flipped.size()), size);
    broken.close_a();
    Bytes got(600);
    const ssize_t came = adoc_read(broken.b, got.data(), got.size());
    // A bit that means nothing to the codec changes nothing.
    if (came == 600) {
      EXPECT_EQ(got, raw) << bit;
      continue;
    }
    ASSERT_EQ(came, -1) << bit;
    ASSERT_TRUE(errno == EPROTO || errno == EBADMSG) << bit << adoc_strerror(errno);
  }
}

TEST(MessageErrorTest, AnEndWithinARunIsAnError) {
  // Goal: what the writer had taken and did not come is no silent end, wherever the cut is.
  Ends ends = pipe_ends();
  write_all(ends.a, words(600), 1);
  write_all(ends.a, words(100));
  Bytes stream(2'000);
  const ssize_t size = read(ends.b, stream.data(), stream.size());
  ASSERT_GT(size, 100);
  const std::size_t second = static_cast<std::size_t>(size) - 113;
  for (std::size_t cut = 1; cut < static_cast<std::size_t>(size); ++cut) {
    if (cut == second) continue;
    Ends broken = socket_pair();
    ASSERT_EQ(write(broken.a, stream.data(), cut), static_cast<ssize_t>(cut));
    broken.close_a();
    ssize_t came = 0;
    Bytes got(700);
    while ((came = adoc_read(broken.b, got.data(), got.size())) > 0) {
    }
    ASSERT_EQ(came, -1) << cut;
    ASSERT_EQ(errno, EBADMSG) << cut;
  }
}

TEST(MessageErrorTest, AReaderThatIsGoneIsAnErrorAndNoSignal) {
  // Goal: EPIPE from a socket, where SIGPIPE would end this process.
  Ends ends = socket_pair();
  ends.close_b();
  signal(SIGPIPE, SIG_DFL);
  const Bytes bytes = words(100);
  expect_errno(EPIPE, adoc_write(ends.a, bytes.data(), bytes.size(), nullptr));
}

TEST(MessageErrorTest, OneDirectionEndsAndTheOtherGoesOn) {
  // Goal: half a connection is closed as ever.
  const Ends ends = tcp_pair();
  write_all(ends.a, words(50'000));
  ASSERT_EQ(adoc_flush(ends.a), 0);
  ASSERT_EQ(shutdown(ends.a, SHUT_WR), 0);
  EXPECT_EQ(read_bytes(ends.b, 60'000), words(50'000));
  write_all(ends.b, words(70'000));
  EXPECT_EQ(read_bytes(ends.a, 70'000), words(70'000));
}

TEST(MessageErrorTest, ErrorsHaveWords) {
  // Goal: own words for own errors, the system's for others, something for nonsense.
  EXPECT_NE(std::strstr(adoc_strerror(EPROTO), "AdOC"), nullptr);
  EXPECT_STREQ(adoc_strerror(EPIPE), "Broken pipe");
  EXPECT_NE(adoc_strerror(123'456), nullptr);
}

std::atomic<int> g_signals = 0;

TEST(MessageErrorTest, SignalsInterruptAReadWithoutLoss) {
  // Goal: EINTR while there is nothing; what comes afterwards is all there.
  struct sigaction action {};
  action.sa_handler = [](int) { ++g_signals; };
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  const Ends ends = socket_pair();
  std::atomic<bool> interrupted = false;
  Bytes got(3'000);
  std::thread reader([&] {
    std::byte one{};
    expect_errno(EINTR, adoc_read(ends.b, &one, 1));
    interrupted = true;
    got = read_bytes(ends.b, 3'000);
  });
  while (!interrupted) {
    pthread_kill(reader.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  write_all(ends.a, words(3'000), 1);
  reader.join();
  EXPECT_EQ(got, words(3'000));
}

TEST(MessageErrorTest, SignalsInterruptAWriteWithoutLoss) {
  // Goal: a writer that is interrupted again and again goes on behind what was taken, as with
  // write(), and all of it comes across once.
  struct sigaction action {};
  action.sa_handler = [](int) { ++g_signals; };
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  for (const int level : {0, 1}) {
    Ends ends = socket_pair();
    const Bytes bytes = noise(3'000'000);
    std::atomic<bool> written = false;
    std::thread writer([&] {
      ByteSpan rest(bytes);
      while (!rest.empty()) {
        const ssize_t taken =
            adoc_write_levels(ends.a, rest.data(), rest.size(), nullptr, level, adoc_max_level());
        if (taken < 0)
          ASSERT_EQ(errno, EINTR);
        else
          rest = rest.subspan(static_cast<std::size_t>(taken));
      }
      written = true;
    });
    // One for each step of the reader, who could not go on if they came without end.
    std::atomic<std::size_t> came = 0;
    std::thread disturber([&] {
      for (std::size_t seen = SIZE_MAX; !written;) {
        if (came != seen) pthread_kill(writer.native_handle(), SIGUSR1);
        seen = came;
        std::this_thread::yield();
      }
    });
    Bytes got;
    while (got.size() < bytes.size()) {
      const Bytes next = read_bytes(ends.b, std::min<std::size_t>(50'000, bytes.size() - came));
      got.insert(got.end(), next.begin(), next.end());
      came = got.size();
    }
    EXPECT_EQ(got, bytes);
    disturber.join();
    writer.join();
  }
  EXPECT_GT(g_signals, 0);
}

}  // namespace
}  // namespace adoc
