#include "pipeline/link_meter.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/test_streams.hpp"

namespace adoc {
namespace {

TEST(LinkMeterTest, NothingThatWasSentOrHasArrivedComesBack) {
  // Goal: what a stream says is of a moment, and what it has taken of another; whoever subtracts
  // one state from the next gets no negative bytes, which unsigned numbers make enormous.
  struct ToldStream final : testkit::StubStream {
    std::size_t read_some(std::span<std::byte>) override { return 0; }
    std::size_t write_some(std::span<const ByteSpan>) override { return 0; }
    [[nodiscard]] std::optional<Delivery> delivery() const noexcept override { return told; }
    Delivery told;
  };
  Fifo fifo(1'000);
  PipelineCounters counters;
  const ReceiverBoard receiver;
  ToldStream stream;
  LinkMeter meter({.fifo = fifo, .counters = counters, .receiver = receiver, .stream = &stream});
  LinkState before;
  const auto see = [&](std::uint64_t arrived, std::uint64_t unsent) {
    stream.told = {.arrived_bytes = arrived, .unsent_bytes = unsent};
    // It is not asked at once again.
    for (int i = 0; i < 1'000 && meter.delivery().unsent_bytes != unsent; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      meter.ask();
    }
    const LinkState now = meter.state();
    EXPECT_GE(now.sent_bytes, before.sent_bytes);
    EXPECT_GE(now.arrived_bytes, before.arrived_bytes);
    EXPECT_LE(now.arrived_bytes, now.sent_bytes);
    EXPECT_EQ(now.unsent_bytes, unsent);
    before = now;
  };
  counters.wire_bytes = 10'000;
  see(0, 10'000);
  EXPECT_EQ(before.sent_bytes, 0U);
  see(4'000, 5'000);
  EXPECT_EQ(before.sent_bytes, 5'000U);
  EXPECT_EQ(before.arrived_bytes, 4'000U);
  see(3'978, 6'000);
  see(3'000, 9'000);
  counters.wire_bytes = 20'000;
  see(20'000, 22);
  EXPECT_EQ(before.sent_bytes, 19'978U);
}

TEST(LinkMeterTest, AStateSaysHowOldWhatWasAskedIs) {
  // Goal: a thread that was stopped since somebody asked does not take its time for the link's.
  Fifo fifo(1'000);
  PipelineCounters counters;
  const ReceiverBoard receiver;
  LinkMeter meter({.fifo = fifo, .counters = counters, .receiver = receiver});
  constexpr double kSeconds = 5e-3;
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
    const LinkState before = meter.state();
    EXPECT_GE(before.age_seconds, kSeconds);
    meter.ask();
    const LinkState now = meter.state();
    EXPECT_LE(now.age_seconds, now.seconds - before.seconds);
  }
}

}  // namespace
}  // namespace adoc
