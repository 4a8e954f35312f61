#include "pipeline/communication_stage.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "io/tcp_stream.hpp"
#include "support/made_up_frames.hpp"
#include "support/scripted_peer.hpp"
#include "support/test_streams.hpp"
#include "support/threads_at_queues.hpp"
#include "wire/outcome.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;
using testkit::failure;
using testkit::in_thread;
using testkit::packet_frame;
using testkit::split_frames;

class CommunicationStageTest : public testing::Test {
 protected:
  CommunicationStageTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    stream_ = std::make_unique<TcpStream>(Fd{ends[0]}, "far");
    peer_ = std::make_unique<testkit::ScriptedPeer>(Fd{ends[1]});
  }

  auto running(RateLimit* limit = nullptr) {
    return in_thread([this, limit] {
      CommunicationStage({.fifo = fifo_,
                          .stock = stock_,
                          .stream = *stream_,
                          .counters = counters_,
                          .pace = pace_,
                          .limit = limit})
          .run();
    });
  }
  /// A peer that is to hear something every 100 ms.
  void ask_for_keep_alives() { pace_.follow({.patience_ms = 400}); }

  /// So many bytes in all; the time limit of the test ends the wait.
  void wait_until_sent(std::size_t bytes) const {
    while (counters_.wire_bytes.load(std::memory_order_relaxed) < bytes)
      std::this_thread::sleep_for(milliseconds(1));
  }

  static std::vector<FrameType> types(ByteSpan frames) {
    std::vector<FrameType> types;
    for (const Bytes& frame : split_frames(frames))
      types.push_back(FrameHeader::decode(frame).type);
    return types;
  }

  Fifo fifo_{100};
  BufferStock stock_;
  PipelineCounters counters_;
  KeepAlivePace pace_;
  std::unique_ptr<TcpStream> stream_;
  std::unique_ptr<testkit::ScriptedPeer> peer_;
};

TEST_F(CommunicationStageTest, WhileNothingComesItSaysThatItIsThere) {
  // Goal: also between the packets of a block that takes long, and not a moment after the end.
  ask_for_keep_alives();
  const std::size_t packet = packet_frame(Bytes(10)).size();
  const std::size_t keep_alive = encode_frame(KeepAlive{}).size();
  const auto begin = Clock::now();
  auto stage = running();
  const auto lane = fifo_.open();
  fifo_.push(lane, packet_frame(Bytes(10)));
  wait_until_sent(packet + 2 * keep_alive);
  fifo_.push(lane, packet_frame(Bytes(10)));
  fifo_.push_last(encode_frame(End{1}));
  wait_until_sent(2 * packet + 4 * keep_alive);
  fifo_.close(lane);
  stage.get();
  const auto intervals = (Clock::now() - begin) / milliseconds(100);
  const auto heard = types(peer_->hear_all());
  ASSERT_GE(heard.size(), 7U);
  EXPECT_EQ(heard.front(), FrameType::packet);
  EXPECT_EQ(std::ranges::count(heard, FrameType::packet), 2);
  EXPECT_GE(std::ranges::count(heard, FrameType::keep_alive), 4);
  EXPECT_LE(std::ranges::count(heard, FrameType::keep_alive), intervals);
  EXPECT_EQ(heard.back(), FrameType::end);
}

TEST_F(CommunicationStageTest, ItSaysNothingBetweenAHeaderAndWhatBelongsToIt) {
  // Goal: a frame that is handed over in two parts stays one, however long the second takes.
  ask_for_keep_alives();
  auto stage = running();
  const auto lane = fifo_.open();
  const Bytes frame = packet_frame(Bytes(1'000, std::byte{7}));
  const auto body = frame.begin() + kFrameHeaderBytes;
  for (int round = 0; round < 2; ++round) {
    fifo_.push(lane, Bytes(frame.begin(), body), 0);
    std::this_thread::sleep_for(milliseconds(250));
    fifo_.push(lane, Bytes(body, frame.end()));
  }
  fifo_.close(lane);
  fifo_.push_last(encode_frame(End{1}));
  stage.get();
  for (const Bytes& heard : split_frames(peer_->hear_all()))
    if (FrameHeader::decode(heard).type == FrameType::packet) {
      EXPECT_EQ(heard, frame);
    }
}

TEST_F(CommunicationStageTest, APeerThatDoesNotAskHearsNothing) {
  // Goal: what a peer of before cannot read is not sent.
  auto stage = running();
  std::this_thread::sleep_for(milliseconds(300));
  fifo_.push_last(encode_frame(End{1}));
  stage.get();
  EXPECT_EQ(types(peer_->hear_all()), std::vector{FrameType::end});
}

TEST_F(CommunicationStageTest, ALimitLosesAndReordersNothing) {
  // Goal: whatever part of a packet the limit lets through, it arrives as it was, and not sooner.
  Bytes all;
  const auto lane = fifo_.open();
  for (std::size_t i = 0; i < 40; ++i) {
    Bytes frame = packet_frame(Bytes(i * 1'000, static_cast<std::byte>(i)));
    all.insert(all.end(), frame.begin(), frame.end());
    fifo_.push(lane, std::move(frame));
  }
  fifo_.close(lane);
  fifo_.close();
  const Clock::time_point begin = Clock::now();
  RateLimit limit(2'000'000, begin);
  auto stage = running(&limit);
  EXPECT_EQ(peer_->hear_all(), all);
  EXPECT_GE(seconds_since(begin), 0.9 * static_cast<double>(all.size()) / 2'000'000);
  stage.get();
  EXPECT_EQ(counters_.wire_bytes, all.size());
}

TEST_F(CommunicationStageTest, AFailureWakesOneThatWaitsForTheLimit) {
  // Goal: a stop request is not kept waiting by a low rate.
  const auto lane = fifo_.open();
  fifo_.push(lane, packet_frame(Bytes(1 << 20)));
  RateLimit limit(1, Clock::now());
  auto stage = running(&limit);
  EXPECT_TRUE(testkit::sleeps(stage));
  const Clock::time_point begin = Clock::now();
  fifo_.fail(failure("stopped"));
  EXPECT_THROW(stage.get(), std::runtime_error);
  EXPECT_LT(seconds_since(begin), 5);
}

/// Has the queue fail in the middle of each write.
class FailingQueueStream final : public testkit::StubStream {
 public:
  explicit FailingQueueStream(Fifo& fifo) : fifo_(fifo) {}
  std::size_t read_some(std::span<std::byte>) override { return 0; }
  std::size_t write_some(std::span<const ByteSpan> pieces) override {
    fifo_.fail(failure("stopped"));
    written_ += pieces.front().size();
    return pieces.front().size();
  }
  void finish_writing() noexcept override { finished_ = true; }
  [[nodiscard]] std::size_t written() const noexcept { return written_; }
  [[nodiscard]] bool finished() const noexcept { return finished_; }

 private:
  Fifo& fifo_;
  std::size_t written_ = 0;
  bool finished_ = false;
};

TEST_F(CommunicationStageTest, AFailureWhileTheLastIsWrittenChangesNothing) {
  // Goal: whoever is stopped knows whether its end was said, so that nothing is said behind it.
  for (const bool is_last : {false, true}) {
    Fifo fifo(100);
    FailingQueueStream stream(fifo);
    CommunicationStage stage(
        {.fifo = fifo, .stock = stock_, .stream = stream, .counters = counters_, .pace = pace_});
    const Bytes end = encode_frame(End{});
    is_last ? fifo.push_last(end) : fifo.push(end);
    if (is_last)
      stage.run();
    else
      EXPECT_THROW(stage.run(), std::runtime_error);
    EXPECT_EQ(stage.said_all(), is_last);
    EXPECT_EQ(stream.finished(), is_last);
    EXPECT_EQ(stream.written(), end.size());
  }
}

}  // namespace
}  // namespace adoc
