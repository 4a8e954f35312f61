#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "io/channel_record.hpp"
#include "support/channel_ends.hpp"
#include "support/expect_error.hpp"
#include "support/read_file.hpp"
#include "support/test_streams.hpp"

namespace adoc {
namespace {

using testkit::expect_corrupt;
using testkit::expect_error;
using testkit::read_text;
using testkit::Through;

/// A stream, and what is behind its files.
class ChannelWireTest : public testing::Test {
 protected:
  ChannelWireTest() {
    auto [a, b] = testkit::connected_files(Through::pipes);
    stream_ = testkit::channel(std::move(a), "a peer");
    wire_ = std::move(b);
  }

  void say(std::initializer_list<int> bytes) {
    for (const int byte : bytes) {
      const char one = static_cast<char>(byte);
      ASSERT_EQ(::write(wire_.out.get(), &one, 1), 1);
    }
  }
  void say(const std::string& bytes) {
    for (const char byte : bytes) say({byte});
  }
  static std::string golden(const std::string& name) {
    const auto bytes = testkit::read_file(ADOC_CHANNEL_GOLDEN_DIR "/" + name + ".bin");
    EXPECT_TRUE(bytes) << name;
    return bytes.value_or(std::string(64, 'x'));
  }
  /// What the stream has written so far.
  std::vector<int> heard() {
    std::vector<int> bytes;
    pollfd polled{wire_.in.get(), POLLIN, 0};
    unsigned char byte = 0;
    while (::poll(&polled, 1, 0) > 0 && ::read(wire_.in.get(), &byte, 1) == 1)
      bytes.push_back(byte);
    return bytes;
  }

  std::unique_ptr<ChannelStream> stream_;
  testkit::FilePair wire_;
};

TEST_F(ChannelWireTest, TheBytesAreThoseOfTheSpecification) {
  // Goal: the example of adoc(5): records each way, what has arrived, and the ends. What one side
  // says there is said, and what the other says is read.
  const std::string far = golden("channel-far");
  stream_->write_all(as_byte_span("hello"));
  say(far.substr(0, 8));
  EXPECT_EQ(read_text(*stream_), "hi");
  EXPECT_EQ(stream_->delivery()->arrived_bytes, 5U);
  stream_->write_all(as_byte_span("!"));
  say(far.substr(8));
  EXPECT_EQ(read_text(*stream_), "");
  EXPECT_EQ(stream_->delivery()->arrived_bytes, 6U);
  stream_->finish_writing();
  const std::string near = golden("channel-near");
  std::vector<int> expected;
  for (const char byte : near) expected.push_back(static_cast<unsigned char>(byte));
  EXPECT_EQ(heard(), expected);
}

TEST_F(ChannelWireTest, EachHeaderIsReadAsItIsWritten) {
  // Goal: little-endian, and nothing lost at the largest values.
  const ChannelRecord record{.arrived = 0x87654321, .length = 0xfedc};
  const ChannelRecord::Header header = record.encode();
  EXPECT_EQ(header, (ChannelRecord::Header{std::byte{0x21}, std::byte{0x43}, std::byte{0x65},
                                           std::byte{0x87}, std::byte{0xdc}, std::byte{0xfe}}));
  EXPECT_EQ(ChannelRecord::decode(header).arrived, record.arrived);
  EXPECT_EQ(ChannelRecord::decode(header).length, record.length);
}

TEST_F(ChannelWireTest, WhatWasReadIsSaidToAPeerThatIsSilentThen) {
  // Goal: also without anything to send.
  say({0, 0, 0, 0, 2, 0, 'h', 'i'});
  EXPECT_EQ(read_text(*stream_), "hi");
  const std::jthread reading([&] { EXPECT_EQ(read_text(*stream_), ""); });
  pollfd polled{wire_.in.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&polled, 1, 30'000), 1);
  EXPECT_EQ(heard(), (std::vector<int>{2, 0, 0, 0, 0, 0}));
  stream_->stop_reading();
}

TEST_F(ChannelWireTest, MoreThanWasSentCannotHaveArrived) {
  // Goal: a peer that makes up what has arrived is found out.
  stream_->write_all(as_byte_span("hello"));
  say({6, 0, 0, 0, 1, 0, 'x'});
  expect_corrupt("more is said to have arrived than was sent", [&] { read_text(*stream_); });
}

TEST_F(ChannelWireTest, LessThanBeforeCannotHaveArrived) {
  // Goal: what has arrived does not go back.
  stream_->write_all(as_byte_span("hello"));
  say({5, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 'x'});
  expect_corrupt("more is said to have arrived than was sent", [&] { read_text(*stream_); });
}

TEST_F(ChannelWireTest, NothingComesBehindTheEnd) {
  // Goal: data there, and a second end, are errors of their own.
  say({0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 1, 0, 'x'});
  expect_corrupt("data came after the channel's end", [&] { read_text(*stream_); });
}

TEST_F(ChannelWireTest, ASecondEndIsAnError) {
  // Goal: a direction ends once.
  say({0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff});
  expect_corrupt("data came after the channel's end", [&] { read_text(*stream_); });
}

TEST_F(ChannelWireTest, AConnectionThatEndsInARecordOrAHeaderIsLost) {
  // Goal: what was cut is not taken for whole, but what came of it is given.
  say({0, 0, 0, 0, 3, 0, 'h', 'i'});
  EXPECT_EQ(read_text(*stream_), "hi");
  wire_.out.reset();
  expect_error(ErrorKind::connect, "is lost", [&] { read_text(*stream_); });
}

TEST_F(ChannelWireTest, ARecordThatComesByteByByteIsReadAsItComes) {
  // Goal: neither the header nor the data needs to come at once.
  for (const int byte : {0, 0, 0, 0, 2, 0}) say({byte});
  say({'a'});
  EXPECT_EQ(read_text(*stream_, 1), "a");
  say({'b', 0, 0, 0});
  EXPECT_EQ(read_text(*stream_), "b");
  say({0, 1, 0, 'c'});
  EXPECT_EQ(read_text(*stream_), "c");
}

TEST_F(ChannelWireTest, ARecordWhoseHeaderWasReadBeforeIsReadOn) {
  // Goal: whoever waits for six bytes of something else may find that a record has begun.
  auto [files, wire] = testkit::connected_files(Through::pipes);
  ChannelStream stream({.in = std::move(files.in),
                        .out = std::move(files.out),
                        .peer = "a peer",
                        .link_name = "",
                        .begun = ChannelRecord{.length = 2}.encode()});
  const std::string rest("ab\0\0\0\0\1\0c", 9);
  ASSERT_EQ(::write(wire.out.get(), rest.data(), rest.size()), 9);
  EXPECT_EQ(read_text(stream), "ab");
  EXPECT_EQ(read_text(stream), "c");
}

TEST_F(ChannelWireTest, RecordsWithoutDataDoNotCountAsWords) {
  // Goal: a peer that says without end that nothing has arrived is silent.
  std::atomic<bool> over{false};
  const std::jthread talking([&] {
    ::fcntl(wire_.out.get(), F_SETFL, O_NONBLOCK);
    const std::array<char, 600> nothing{};
    while (!over)
      if (::write(wire_.out.get(), nothing.data(), nothing.size()) < 0) std::this_thread::yield();
  });
  stream_->set_read_timeout(std::chrono::milliseconds(50));
  expect_error(ErrorKind::connect, "is silent", [&] { read_text(*stream_); });
  over = true;
}

/// Another program on the way: takes up to 4 MiB at once, and lets through so much in each
/// millisecond. What comes back it lets through at once.
class Relay {
 public:
  static constexpr std::size_t kHiddenBytes = 4 << 20;

  Relay(testkit::FilePair near, testkit::FilePair far, std::size_t bytes_per_ms)
      : near_(std::move(near)), far_(std::move(far)) {
    taking_ = std::jthread([this](const std::stop_token& stop) { take(stop); });
    letting_ = std::jthread(
        [this, bytes_per_ms](const std::stop_token& stop) { let_through(stop, bytes_per_ms); });
    back_ = std::jthread([this](const std::stop_token& stop) { bring_back(stop); });
  }

  [[nodiscard]] std::size_t most_hidden() const noexcept { return most_; }
  [[nodiscard]] std::size_t let_through_bytes() const noexcept { return through_; }

 private:
  static bool can_read(int fd) {
    pollfd polled{fd, POLLIN, 0};
    return ::poll(&polled, 1, 5) > 0;
  }
  static void write_all(int fd, const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t put = ::write(fd, bytes, count);
      if (put < 0) return;
      bytes += put;
      count -= static_cast<std::size_t>(put);
    }
  }

  void take(const std::stop_token& stop) {
    std::array<char, 65'536> piece{};
    while (!stop.stop_requested()) {
      if (!can_read(near_.in.get())) continue;
      const ssize_t got = ::read(near_.in.get(), piece.data(), piece.size());
      if (got <= 0) return;
      const std::lock_guard lock(mutex_);
      hidden_.insert(hidden_.end(), piece.data(), piece.data() + got);
      most_ = std::max<std::size_t>(most_, hidden_.size());
      if (hidden_.size() > kHiddenBytes) return;
    }
  }
  void let_through(const std::stop_token& stop, std::size_t bytes_per_ms) {
    auto next = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      std::this_thread::sleep_until(next += std::chrono::milliseconds(1));
      std::vector<char> piece;
      {
        const std::lock_guard lock(mutex_);
        const auto count = static_cast<std::ptrdiff_t>(std::min(bytes_per_ms, hidden_.size()));
        piece.assign(hidden_.begin(), hidden_.begin() + count);
        hidden_.erase(hidden_.begin(), hidden_.begin() + count);
      }
      write_all(far_.out.get(), piece.data(), piece.size());
      through_ += piece.size();
    }
  }
  void bring_back(const std::stop_token& stop) {
    std::array<char, 4'096> piece{};
    while (!stop.stop_requested()) {
      if (!can_read(far_.in.get())) continue;
      const ssize_t got = ::read(far_.in.get(), piece.data(), piece.size());
      if (got <= 0) return;
      write_all(near_.out.get(), piece.data(), static_cast<std::size_t>(got));
    }
  }

  testkit::FilePair near_;
  testkit::FilePair far_;
  std::mutex mutex_;
  std::deque<char> hidden_;
  std::atomic<std::size_t> most_{0};
  std::atomic<std::size_t> through_{0};
  std::jthread taking_;
  std::jthread letting_;
  std::jthread back_;
};

TEST(ChannelThroughARelay, HidesAWindowAndTellsTheRelaysRate) {
  // Goal: of 4 MiB that another program would take, it gets a part; and what delivery() says has
  // arrived follows what the relay lets through, and not what it takes.
  auto [here, relay_near] = testkit::connected_files(Through::pipes);
  auto [relay_far, there] = testkit::connected_files(Through::pipes);
  const auto sender = testkit::channel(std::move(here), "there");
  const auto receiver = testkit::channel(std::move(there), "here");
  Relay relay(std::move(relay_near), std::move(relay_far), 2'000);
  sender->set_unsent_limit(64 << 10);
  const std::jthread hearing([&] { EXPECT_EQ(read_text(*sender), ""); });
  const std::jthread reading([&] {
    Bytes piece(65'536);
    while (receiver->read_some(piece) > 0) {
    }
  });
  std::atomic<bool> over{false};
  std::atomic<std::size_t> given{0};
  std::jthread writing([&] {
    const Bytes much(100'000);
    while (!over) {
      const ByteSpan piece = much;
      given += sender->write_some({&piece, 1});
    }
  });
  const auto until_through = [&](std::size_t bytes) {
    while (relay.let_through_bytes() < bytes)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  until_through(500'000);
  const std::size_t through = relay.let_through_bytes();
  const std::uint64_t arrived = sender->delivery()->arrived_bytes;
  until_through(2'500'000);
  const Delivery delivery = *sender->delivery();
  const double more_through = static_cast<double>(relay.let_through_bytes() - through);
  EXPECT_NEAR(static_cast<double>(delivery.arrived_bytes - arrived), more_through,
              0.2 * more_through);
  EXPECT_GT(delivery.unsent_bytes, 0U);
  EXPECT_LT(relay.most_hidden(), Relay::kHiddenBytes / 4);
  over = true;
  writing.join();
  receiver->stop_reading();
  sender->stop_reading();
}

}  // namespace
}  // namespace adoc
