#include "io/channel_stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <future>
#include <thread>

#include "support/channel_ends.hpp"
#include "support/expect_error.hpp"
#include "support/test_streams.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;
using testkit::expect_corrupt;
using testkit::expect_error;
using testkit::read_text;
using testkit::Through;

/// Both kinds of files that lead to another program.
class ChannelStreamTest : public testing::TestWithParam<Through> {
 protected:
  ChannelStreamTest() {
    auto [a, b] = testkit::connected_files(GetParam());
    near_ = testkit::channel(std::move(a), "there through ssh");
    far_ = testkit::channel(std::move(b), "here through ssh");
  }

  static Bytes any_bytes(std::size_t count) {
    Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    return bytes;
  }
  static Bytes read_all(Stream& from) {
    Bytes got;
    Bytes piece(100'000);
    while (const std::size_t count = from.read_some(piece))
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    return got;
  }
  static void write_without_end(Stream& stream) {
    const Bytes much(1 << 20);
    while (true) stream.write_all(much);
  }

  std::unique_ptr<ChannelStream> near_;
  std::unique_ptr<ChannelStream> far_;
};

INSTANTIATE_TEST_SUITE_P(Through, ChannelStreamTest,
                         testing::Values(Through::pipes, Through::socket),
                         [](const testing::TestParamInfo<Through>& kind) {
                           return kind.param == Through::pipes ? "Pipes" : "Socket";
                         });

TEST_P(ChannelStreamTest, BytesArriveInOrderBothWays) {
  // Goal: more than any window, written and read by both sides at once.
  const Bytes sent = any_bytes(6 << 20);
  const auto write = [&](Stream& to) {
    to.write_all(sent);
    to.finish_writing();
  };
  const std::jthread a([&] { write(*near_); });
  const std::jthread b([&] { write(*far_); });
  auto at_far = std::async(std::launch::async, [&] { return read_all(*far_); });
  EXPECT_TRUE(read_all(*near_) == sent);
  EXPECT_TRUE(at_far.get() == sent);
}

TEST_P(ChannelStreamTest, PiecesOfAnySizeWithPausesGoBothWays) {
  // Goal: a record that gets out in parts, and acknowledgements between, whoever waits for whom.
  const Bytes sent = any_bytes(400'000);
  testkit::JitteryStream near(*near_, 1);
  testkit::JitteryStream far(*far_, 2);
  const auto write = [&](Stream& to) {
    to.write_all(sent);
    to.finish_writing();
  };
  const std::jthread a([&] { write(near); });
  const std::jthread b([&] { write(far); });
  auto at_far = std::async(std::launch::async, [&] { return read_all(far); });
  EXPECT_TRUE(read_all(near) == sent);
  EXPECT_TRUE(at_far.get() == sent);
}

TEST_P(ChannelStreamTest, AnEndThatWasReadCountsWhenTheOtherSideGoesWithoutReadingTheRest) {
  // Goal: what is said last is mostly an acknowledgement; a socket is reset when it is not read.
  near_->write_all(any_bytes(10));
  far_->write_all(any_bytes(100));
  far_->finish_writing();
  Bytes piece(100);
  EXPECT_EQ(near_->read_some(piece), piece.size());
  far_.reset();
  EXPECT_EQ(near_->read_some(piece), 0U);
}

TEST_P(ChannelStreamTest, TwoSidesThatWriteAndDoNotReadDoNotWaitForEachOther) {
  // Goal: one side answers before it reads on, while the other sends without end: over TCP the
  // answer arrives, since the other side reads. So it does here, although nobody here reads what
  // the other side says has arrived, and the files are full of its data.
  const Bytes answer = any_bytes(3 << 20);
  const std::jthread sending([&] { EXPECT_THROW(write_without_end(*near_), Error); });
  auto hearing = std::async(std::launch::async, [&] {
    Bytes got;
    Bytes piece(65'536);
    while (got.size() < answer.size()) {
      const std::size_t count = near_->read_some(piece);
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    }
    return got;
  });
  far_->write_all(answer);
  EXPECT_TRUE(hearing.get() == answer);
  near_->abort();
}

TEST_P(ChannelStreamTest, TheEndOfWritingIsReadAfterWhatWasWrittenAndTheOtherWayGoesOn) {
  // Goal: half a close, after which the other direction is longer than its window.
  const Bytes answer = any_bytes(2 << 20);
  near_->write_all(as_byte_span("last words"));
  near_->finish_writing();
  near_->finish_writing();
  EXPECT_EQ(read_text(*far_), "last words");
  EXPECT_EQ(read_text(*far_), "");
  EXPECT_EQ(read_text(*far_), "");
  const std::jthread answering([&] {
    far_->write_all(answer);
    far_->finish_writing();
  });
  EXPECT_TRUE(read_all(*near_) == answer);
  expect_error(ErrorKind::connect, "is lost", [&] { near_->write_all(as_byte_span("more")); });
}

TEST_P(ChannelStreamTest, WhatHasArrivedIsToldAndNothingElse) {
  // Goal: delivery() counts what was read over there, not what the files took.
  const Bytes bytes = any_bytes(10'000);
  near_->write_all(bytes);
  ASSERT_TRUE(near_->delivery());
  EXPECT_EQ(near_->delivery()->arrived_bytes, 0U);
  // What has just been written may be with a process that waits for a processor.
  while (near_->delivery()->unsent_bytes < bytes.size()) std::this_thread::yield();
  EXPECT_EQ(near_->delivery()->unsent_bytes, bytes.size());
  const std::jthread hearing([&] { EXPECT_EQ(read_text(*near_), ""); });
  std::size_t got = 0;
  Bytes into(bytes.size());
  while (got < bytes.size()) got += far_->read_some(into);
  auto saying = std::async(std::launch::async, [&] { return read_text(*far_); });
  while (near_->delivery()->arrived_bytes < bytes.size()) std::this_thread::yield();
  EXPECT_EQ(near_->delivery()->unsent_bytes, 0U);
  EXPECT_FALSE(near_->delivery_waits());
  near_->stop_reading();
  far_->stop_reading();
  EXPECT_EQ(saying.get(), "");
}

TEST_P(ChannelStreamTest, StopReadingWakesASleeper) {
  // Goal: a thread that waits for a silent peer ends at once, and what has arrived comes first.
  auto reading = std::async(std::launch::async, [&] { return read_text(*near_); });
  EXPECT_EQ(reading.wait_for(milliseconds(20)), std::future_status::timeout);
  near_->stop_reading();
  EXPECT_EQ(reading.get(), "");
  far_->write_all(as_byte_span("why"));
  EXPECT_EQ(read_text(*near_, 1), "w");
  EXPECT_EQ(read_text(*near_), "hy");
  EXPECT_EQ(read_text(*near_), "");
}

TEST_P(ChannelStreamTest, AbortWakesReaderAndWriter) {
  // Goal: both threads of a connection end at once, neither hangs on the peer.
  auto reading = std::async(std::launch::async, [&] { return read_text(*near_); });
  auto writing = std::async(std::launch::async, [&] {
    expect_error(ErrorKind::connect, "the connection to there through ssh is lost",
                 [&] { write_without_end(*near_); });
  });
  EXPECT_EQ(writing.wait_for(milliseconds(50)), std::future_status::timeout);
  near_->abort();
  EXPECT_EQ(reading.get(), "");
  writing.get();
}

TEST_P(ChannelStreamTest, AWriterIsGivenUpAfterAGraceWhenReadingIsStopped) {
  // Goal: a peer that does not read cannot keep a transfer that has failed from ending, neither
  // its writer nor the end that is said then.
  near_->stop_reading();
  expect_error(ErrorKind::connect, "is lost", [&] { write_without_end(*near_); });
  near_->finish_writing();
  near_->linger(milliseconds(20));
}

TEST_P(ChannelStreamTest, ASilentPeerIsAnErrorOnlyWhenAskedFor) {
  // Goal: the read timeout bounds one wait, 0 takes it away, and a promise has other words.
  near_->set_read_timeout(milliseconds(30));
  expect_error(ErrorKind::connect, "is silent", [&] { read_text(*near_); });
  near_->set_silence_limit(milliseconds(30));
  expect_error(ErrorKind::connect, "for 0.03 s: the other side", [&] { read_text(*near_); });
  EXPECT_GE(*near_->waited_to_read(), milliseconds(50));
  near_->set_read_timeout(milliseconds(0));
  auto reading = std::async(std::launch::async, [&] { return read_text(*near_); });
  EXPECT_EQ(reading.wait_for(milliseconds(100)), std::future_status::timeout);
  far_->write_all(as_byte_span("late"));
  EXPECT_EQ(reading.get(), "late");
}

TEST_P(ChannelStreamTest, APeerThatIsGoneIsAnErrorAndNoSignal) {
  // Goal: reading and writing tell it, and SIGPIPE does not end the program.
  ASSERT_NE(std::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  far_->write_all(as_byte_span("half of it"));
  EXPECT_EQ(near_->peer_end(), Stream::PeerEnd::none);
  far_.reset();
  EXPECT_NE(near_->peer_end(), Stream::PeerEnd::none);
  expect_error(ErrorKind::connect,
               "the connection to there through ssh is lost: ", [&] { write_without_end(*near_); });
  EXPECT_EQ(read_text(*near_), "half of it");
  expect_error(ErrorKind::connect, "is lost: the other side went away before its end",
               [&] { read_text(*near_); });
}

TEST_P(ChannelStreamTest, WhatWasSaidBeforeThePeerWentIsReadToItsEnd) {
  // Goal: that nobody hears any more what has arrived is no failure of who reads.
  far_->write_all(any_bytes(40'000));
  far_->finish_writing();
  far_.reset();
  EXPECT_TRUE(read_all(*near_) == any_bytes(40'000));
  EXPECT_EQ(near_->peer_end(), Stream::PeerEnd::finished);
}

TEST_P(ChannelStreamTest, LingerLetsThePeerReadTheLastWordAlthoughItStillSends) {
  // Goal: what it sends is taken until it has ended, also if the sender reads only then.
  auto talking = std::async(std::launch::async, [&] {
    near_->write_all(any_bytes(4 << 20));
    const std::string heard = read_text(*near_);
    near_->finish_writing();
    return heard;
  });
  far_->write_all(as_byte_span("the reason"));
  far_->stop_reading();
  far_->linger(std::chrono::seconds(20));
  far_.reset();
  EXPECT_EQ(talking.get(), "the reason");
}

TEST_P(ChannelStreamTest, NamesAreThoseOfTheSetup) {
  // Goal: messages and the memory of links name what they are told.
  EXPECT_EQ(near_->peer(), "there through ssh");
  EXPECT_EQ(near_->link_name(), "here-there");
}

}  // namespace
}  // namespace adoc
