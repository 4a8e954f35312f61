#include "io/tcp_stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <future>
#include <thread>

#include "io/connect.hpp"
#include "io/tcp_listener.hpp"
#include "support/expect_error.hpp"
#include "support/test_streams.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;
using testkit::expect_error;
using testkit::read_text;

/// A connection over loopback.
class TcpStreamTest : public testing::Test {
 protected:
  TcpStreamTest() {
    client_ = connect_tcp({.peer = listener_.local()});
    server_ = listener_.accept({});
  }

  /// More than the system's buffers between the two take.
  void write_without_end(Stream& stream) const {
    const Bytes much(1 << 20);
    while (true) stream.write_all(much);
  }

  TcpListener listener_{{"127.0.0.1", 0}};
  std::unique_ptr<Stream> client_;
  std::unique_ptr<Stream> server_;
};

TEST_F(TcpStreamTest, TellsHowLongItHadToWaitForSomethingToRead) {
  // Goal: the time until it is there, and nothing for what is there already.
  client_->write_all(as_byte_span("here"));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(read_text(*server_), "here");
  ASSERT_TRUE(server_->waited_to_read());
  const auto before = *server_->waited_to_read();
  const std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(400));  // beside other tests the reader begins late
    client_->write_all(as_byte_span("later"));
  });
  EXPECT_EQ(read_text(*server_), "later");
  EXPECT_GE(*server_->waited_to_read() - before, milliseconds(100));
}

TEST_F(TcpStreamTest, TellsWhetherItIsBusyWriting) {
  // Goal: it is now and then while bytes are written and read, and not while the writer waits.
  const std::jthread writing([&] { EXPECT_THROW(write_without_end(*client_), Error); });
  {
    const std::jthread reading([&](const std::stop_token& stop) {
      Bytes piece(1 << 20);
      while (!stop.stop_requested()) static_cast<void>(server_->read_some(piece));
    });
    while (!client_->delivery_waits()) std::this_thread::yield();
  }
  std::this_thread::sleep_for(milliseconds(100));
  while (client_->delivery_waits()) std::this_thread::yield();
  EXPECT_FALSE(server_->delivery_waits());
  client_->abort();
}

TEST_F(TcpStreamTest, BytesArriveInOrderBothWays) {
  // Goal: writes of any number of pieces are read as one run of bytes, also by both at once.
  Bytes sent(3 << 20);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 251);
  const auto write = [&](Stream& to) {
    to.write_all(sent);
    to.finish_writing();
  };
  const auto read = [&](Stream& from) {
    Bytes got;
    Bytes piece(10'000);
    while (const std::size_t count = from.read_some(piece))
      got.insert(got.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    return got;
  };
  const std::jthread a([&] { write(*client_); });
  const std::jthread b([&] { write(*server_); });
  auto at_server = std::async(std::launch::async, [&] { return read(*server_); });
  EXPECT_EQ(read(*client_), sent);
  EXPECT_EQ(at_server.get(), sent);
}

TEST_F(TcpStreamTest, PiecesGoOutInOrder) {
  // Goal: write_some() joins pieces, empty ones included, and says how far it came.
  const std::array<ByteSpan, 4> pieces{as_byte_span("one "), as_byte_span(""), as_byte_span("two "),
                                       as_byte_span("three")};
  EXPECT_EQ(client_->write_some(pieces), 13U);
  client_->finish_writing();
  std::string all;
  for (std::string part; !(part = read_text(*server_)).empty();) all += part;
  EXPECT_EQ(all, "one two three");
}

TEST_F(TcpStreamTest, TheEndOfWritingIsReadAfterWhatWasWrittenAndTheOtherWayGoesOn) {
  // Goal: half a close.
  client_->write_all(as_byte_span("last words"));
  client_->finish_writing();
  EXPECT_EQ(read_text(*server_), "last words");
  EXPECT_EQ(read_text(*server_), "");
  server_->write_all(as_byte_span("answer"));
  EXPECT_EQ(read_text(*client_), "answer");
}

TEST_F(TcpStreamTest, StopReadingWakesASleeper) {
  // Goal: a thread that waits for a silent peer ends at once.
  auto reading = std::async(std::launch::async, [&] { return read_text(*client_); });
  EXPECT_EQ(reading.wait_for(milliseconds(20)), std::future_status::timeout);
  client_->stop_reading();
  EXPECT_EQ(reading.get(), "");
}

TEST_F(TcpStreamTest, AfterStopReadingComesWhatHasArrivedAndThenTheEnd) {
  // Goal: a peer's last word is not lost when our own writing fails before it was read.
  server_->write_all(as_byte_span("why"));
  client_->stop_reading();
  EXPECT_EQ(read_text(*client_, 1), "w");
  EXPECT_EQ(read_text(*client_), "hy");
  EXPECT_EQ(read_text(*client_), "");
}

TEST_F(TcpStreamTest, WhatArrivesJustBeforeStopReadingIsNotLostOnASleeper) {
  // Goal: the same for a reader that both find asleep, where the end must not overtake the word.
  for (int round = 0; round < 300; ++round) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    TcpStream reader(Fd{ends[0]}, "reader");
    TcpStream writer(Fd{ends[1]}, "writer");
    auto reading = std::async(std::launch::async, [&] { return read_text(reader); });
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    writer.write_all(as_byte_span("why"));
    reader.stop_reading();
    ASSERT_EQ(reading.get(), "why") << "round " << round;
  }
}

TEST_F(TcpStreamTest, AbortWakesReaderAndWriter) {
  // Goal: both threads of a connection end, neither hangs on the peer.
  const std::string lost = "the connection to " + client_->peer() + " is lost";
  auto reading = std::async(std::launch::async, [&] { return read_text(*client_); });
  auto writing = std::async(std::launch::async, [&] {
    expect_error(ErrorKind::connect, lost, [&] { write_without_end(*client_); });
  });
  EXPECT_EQ(writing.wait_for(milliseconds(50)), std::future_status::timeout);
  client_->abort();
  EXPECT_EQ(reading.get(), "");
  writing.get();
}

TEST_F(TcpStreamTest, AWriterIsGivenUpAfterAGraceWhenReadingIsStopped) {
  // Goal: a peer that does not read cannot keep a transfer that has failed from ending.
  client_->stop_reading();
  const auto begin = std::chrono::steady_clock::now();
  expect_error(ErrorKind::connect, "is lost", [&] { write_without_end(*client_); });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST_F(TcpStreamTest, ASilentPeerIsAnErrorOnlyWhenAskedFor) {
  // Goal: the read timeout bounds one wait, and 0 takes it away again.
  client_->set_read_timeout(milliseconds(30));
  expect_error(ErrorKind::connect, "is silent", [&] { read_text(*client_); });
  client_->set_read_timeout(milliseconds(0));
  auto reading = std::async(std::launch::async, [&] { return read_text(*client_); });
  EXPECT_EQ(reading.wait_for(milliseconds(100)), std::future_status::timeout);
  server_->write_all(as_byte_span("late"));
  EXPECT_EQ(reading.get(), "late");
}

TEST_F(TcpStreamTest, WritingToAPeerThatIsGoneIsAnErrorAndNoSignal) {
  // Goal: a lost connection is told with the peer's address.
  server_.reset();
  expect_error(ErrorKind::connect, "the connection to " + client_->peer() + " is lost: ", [&] {
    write_without_end(*client_);
  });
}

TEST_F(TcpStreamTest, LingerLetsThePeerReadTheLastWordAlthoughItStillSends) {
  // Goal: a close with unread bytes would reset the connection and destroy the word.
  auto talking = std::async(std::launch::async, [&] {
    const Bytes much(4 << 20);
    client_->write_all(much);
    const std::string heard = read_text(*client_);
    client_->finish_writing();
    return heard;
  });
  server_->write_all(as_byte_span("the reason"));
  server_->linger(std::chrono::seconds(20));
  server_.reset();
  EXPECT_EQ(talking.get(), "the reason");
}

TEST_F(TcpStreamTest, LingerEndsWhenTheTimeIsOver) {
  // Goal: a peer that stays silent is not waited for longer than that.
  const auto begin = std::chrono::steady_clock::now();
  server_->linger(milliseconds(50));
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, milliseconds(40));
  EXPECT_LT(took, std::chrono::seconds(10));
}

TEST(TcpTest, NobodyListeningSaysWhatToLookAt) {
  // Goal: the message of the most frequent failure.
  Endpoint nobody;
  { nobody = TcpListener({"127.0.0.1", 0}).local(); }
  expect_error(ErrorKind::connect, "cannot reach " + to_string(nobody) + ": connection refused",
               [&] { static_cast<void>(connect_tcp({.peer = nobody})); });
}

TEST(TcpTest, AnAddressThatIsTakenOrNotOursSaysSo) {
  // Goal: the listener's messages name the address.
  const TcpListener taken({"127.0.0.1", 0});
  expect_error(ErrorKind::connect,
               "cannot listen on " + to_string(taken.local()) +
                   ": address already in use (port 0 picks a free one)",
               [&] { TcpListener second(taken.local()); });
  expect_error(ErrorKind::connect, "cannot listen on 192.0.2.1:0: ", [] {
    TcpListener elsewhere({"192.0.2.1", 0});
  });
}

TEST(TcpTest, AStopRequestEndsTheWaitForAConnection) {
  // Goal: a receiver that nobody connects to can be ended, before and during the wait.
  TcpListener listener({"127.0.0.1", 0});
  std::stop_source stop;
  auto accepting =
      std::async(std::launch::async, [&] { return listener.accept(stop.get_token()) == nullptr; });
  EXPECT_EQ(accepting.wait_for(milliseconds(20)), std::future_status::timeout);
  stop.request_stop();
  EXPECT_TRUE(accepting.get());
  EXPECT_EQ(listener.accept(stop.get_token()), nullptr);
}

}  // namespace
}  // namespace adoc
