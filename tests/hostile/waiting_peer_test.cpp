// Senders that have to wait for their turn at a receiver that serves one at a time, and those who
// take a turn and do nothing with it.

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "support/golden_bytes.hpp"
#include "support/made_up_frames.hpp"
#include "support/running_receiver.hpp"
#include "transfer/overheard.hpp"
#include "wire/hello.hpp"
#include "wire/keep_alive.hpp"
#include "wire/outcome.hpp"
#include "wire/place.hpp"

namespace adoc::testkit {
namespace {

using std::chrono::milliseconds;

/// The places that were told in these frames.
std::vector<QueuePlace> places_in(ByteSpan frames) {
  std::vector<QueuePlace> places;
  for (const Bytes& frame : split_frames(frames))
    if (FrameHeader::decode(frame).type == FrameType::place)
      places.push_back(QueuePlace::decode(
          open_record(FrameType::place, ByteSpan(frame).subspan(kFrameHeaderBytes))));
  return places;
}

class WaitingSenderTest : public testing::Test {
 protected:
  static constexpr milliseconds kTimeout{1'000};

  WaitingSenderTest() : receiver_({.timeout = kTimeout, .max_transfers = 1}) {}

  /// One that has a turn: it has offered, and the want was heard.
  [[nodiscard]] ScriptedPeer served(const Entry& entry) {
    ScriptedPeer peer = receiver_.connect();
    peer.say(joined({hello_, encode_frame(raw_offer(0, {entry}, true))}));
    static_cast<void>(peer.hear(kHelloBytes));
    while (FrameHeader::decode(next_frame(peer)).type != FrameType::want) continue;
    return peer;
  }
  [[nodiscard]] ScriptedPeer waiting() {
    ScriptedPeer peer = receiver_.connect();
    peer.say(joined({hello_, offer_}));
    static_cast<void>(peer.hear(kHelloBytes));
    return peer;
  }
  void ends(ScriptedPeer& peer) {
    peer.say(rest_);
    peer.finish();
  }
  static Bytes next_frame(ScriptedPeer& peer) {
    Bytes frame = peer.hear(kFrameHeaderBytes);
    if (frame.size() < kFrameHeaderBytes) throw std::runtime_error("the connection has ended");
    const Bytes rest = peer.hear(FrameHeader::decode(frame).payload_bytes);
    frame.insert(frame.end(), rest.begin(), rest.end());
    return frame;
  }
  static QueuePlace next_place(ScriptedPeer& peer) {
    while (true) {
      const Bytes frame = next_frame(peer);
      const auto places = places_in(frame);
      if (!places.empty()) return places.front();
    }
  }
  /// Says that it is there, and nothing else, until the other side ends or the time is over; what
  /// was heard.
  Bytes stays(ScriptedPeer& peer, milliseconds time, ScriptedPeer* other = nullptr) {
    Bytes heard;
    for (const auto end = std::chrono::steady_clock::now() + time;
         std::chrono::steady_clock::now() < end;) {
      if (other != nullptr) other->say(alive_);
      if (!peer.say(alive_)) break;
      const Bytes more = peer.hear_all(milliseconds(100));
      heard.insert(heard.end(), more.begin(), more.end());
    }
    return heard;
  }
  [[nodiscard]] static std::size_t count(ByteSpan frames, FrameType type) {
    return static_cast<std::size_t>(std::ranges::count_if(
        split_frames(frames), [&](const Bytes& f) { return FrameHeader::decode(f).type == type; }));
  }

  const Bytes hello_ = Hello{.role = Role::sender, .patience_ms = 2'000}.encode();
  const Bytes alive_ = encode_frame(KeepAlive{});
  const Bytes offer_ = encode_frame(raw_offer(0, {file_entry(kGoldenName, 11)}, true));
  const Bytes rest_ =
      joined({raw_block(0, 0, kGoldenText), encode_frame(Done{.stream_bytes = 11, .failures = {}}),
              encode_frame(End{1})});
  RunningReceiver receiver_;
};

TEST_F(WaitingSenderTest, WhoTakesATurnAndDoesNothingLosesItToOneThatWaits) {
  // Goal: after --timeout, and not before anybody waits.
  ScriptedPeer idle = served(file_entry("never-comes", 11));
  EXPECT_EQ(count(stays(idle, 2 * kTimeout), FrameType::error), 0U);
  ScriptedPeer next = waiting();
  EXPECT_EQ(next_place(next), (QueuePlace{.position = 1, .transfers = 1}));
  EXPECT_EQ(count(stays(idle, 3 * kTimeout, &next), FrameType::error), 1U);
  Ended verdict = receiver_.verdict();
  EXPECT_EQ(verdict.failure, ErrorKind::connect);
  EXPECT_NE(verdict.text.find("others wait for their turn"), std::string::npos) << verdict.text;
  EXPECT_EQ(next_place(next), QueuePlace{});
  ends(next);
  verdict = receiver_.verdict();
  EXPECT_FALSE(verdict.failure) << verdict.text;
}

TEST_F(WaitingSenderTest, StandardInputMayBeSilent) {
  // Goal: a sender of what has no end yet keeps its turn, whoever waits.
  ScriptedPeer slow = served(file_entry("slow", kUnknownSize));
  ScriptedPeer next = waiting();
  EXPECT_EQ(count(stays(slow, 3 * kTimeout, &next), FrameType::error), 0U);
  ends(slow);
  Ended verdict = receiver_.verdict();
  EXPECT_FALSE(verdict.failure) << verdict.text;
  while (next_place(next).position != 0) continue;
  ends(next);
  verdict = receiver_.verdict();
  EXPECT_FALSE(verdict.failure) << verdict.text;
}

TEST_F(WaitingSenderTest, WhoOffersNothingTakesNoTurn) {
  // Goal: many that only say that they are there, as a sender does that hashes, keep nobody out.
  std::vector<ScriptedPeer> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(receiver_.connect());
    idle.back().say(joined({hello_, alive_}));
  }
  const Ended verdict = receiver_.verdict_on(joined({hello_, alive_, offer_, alive_, rest_}));
  EXPECT_FALSE(verdict.failure) << verdict.text;
  std::filesystem::remove(receiver_.out() / kGoldenName);
  // The verdicts of those that were silent for too long may come before.
  ScriptedPeer late = receiver_.connect();
  late.say(joined({hello_, alive_}));
  late.say(offer_);
  static_cast<void>(late.hear(kHelloBytes));
  while (FrameHeader::decode(next_frame(late)).type != FrameType::want) continue;
  ends(late);
  Ended ended;
  do ended = receiver_.verdict();
  while (ended.failure);
}

TEST_F(WaitingSenderTest, OneOfBeforeHearsOnlyThatTheReceiverIsThere) {
  // Goal: without the feature no places are told, and keep-alives are.
  const ScriptedPeer slow = served(file_entry("x", kUnknownSize));
  Hello hello{.role = Role::sender, .patience_ms = 400};
  hello.drop(Feature::places);
  ScriptedPeer peer = receiver_.connect();
  peer.say(joined({hello.encode(), offer_}));
  const Bytes heard = stays(peer, milliseconds(500));
  EXPECT_EQ(count(ByteSpan(heard).subspan(kHelloBytes), FrameType::place), 0U);
  EXPECT_GE(count(ByteSpan(heard).subspan(kHelloBytes), FrameType::keep_alive), 2U);
}

TEST(ServedAloneTest, ThoseWhoWereSentAwayWaitNoMore) {
  // Goal: where only one is served it keeps its turn as long as it says that it is there, also when
  // others came at the same time.
  constexpr milliseconds kTimeout{1'000};
  const TemporaryDirectory out;
  Receiver receiver({.out_directory = out.path(),
                     .listen = {"127.0.0.1", 0},
                     .insecure = true,
                     .once = true,
                     .timeout = kTimeout});
  const std::uint16_t port = receiver.local_endpoint().port;
  const Bytes begin = joined({Hello{.role = Role::sender, .patience_ms = 2'000}.encode(),
                              encode_frame(raw_offer(0, {file_entry(kGoldenName, 11)}, true))});
  // Both have said all of it before the first of them is heard.
  ScriptedPeer served = ScriptedPeer::connect(port);
  ScriptedPeer other = ScriptedPeer::connect(port);
  served.say(begin);
  other.say(begin);
  auto verdict =
      std::async(std::launch::async, [&] { return judge(receiver.serve(std::stop_token())); });
  EXPECT_GT(other.hear_all(kTimeout).size(), kHelloBytes) << "it hears that it is sent away";
  const Bytes alive = encode_frame(KeepAlive{});
  for (const auto end = std::chrono::steady_clock::now() + 3 * kTimeout;
       std::chrono::steady_clock::now() < end && served.say(alive);)
    static_cast<void>(served.hear_all(milliseconds(100)));
  served.say(
      joined({raw_block(0, 0, kGoldenText), encode_frame(Done{.stream_bytes = 11, .failures = {}}),
              encode_frame(End{1})}));
  served.finish();
  const Ended ended = verdict.get();
  EXPECT_FALSE(ended.failure) << ended.text;
  EXPECT_EQ(ended.statistics.committed, 1U);
}

TEST(OverheardTest, KeepAlivesAreNotKeptHoweverTheyAreCut) {
  // Goal: what is passed on is what was said without them, for any way that it arrives.
  const Bytes hello = Hello{.role = Role::sender}.encode();
  const Bytes alive = encode_frame(KeepAlive{});
  const Bytes offer = encode_frame(raw_offer(0, {file_entry("a", 1)}, false));
  const Bytes said = joined({hello, alive, alive, offer, alive, offer, offer, alive, alive});
  for (std::size_t piece = 1; piece <= said.size(); ++piece) {
    Overheard overheard;
    for (std::size_t at = 0; at < said.size(); at += piece) {
      overheard.add(ByteSpan(said).subspan(at, std::min(piece, said.size() - at)));
      EXPECT_EQ(overheard.has_begun(), at + piece > hello.size() + 2 * alive.size());
    }
    EXPECT_EQ(std::move(overheard).take(), joined({hello, offer, offer, offer}));
  }
  Overheard noise;
  noise.add(joined({hello, Bytes(100, std::byte{0xff})}));
  EXPECT_TRUE(noise.has_begun());
  EXPECT_EQ(std::move(noise).take().size(), kHelloBytes + 100);
}

}  // namespace
}  // namespace adoc::testkit
