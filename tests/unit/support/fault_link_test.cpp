#include "support/fault_link.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "support/scripted_peer.hpp"
#include "support/seed.hpp"

namespace adoc::testkit {
namespace {

using namespace std::chrono_literals;
using Kind = LinkFault::Kind;
using Way = LinkFault::Way;

std::string as_text(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A link with something to say at both of its ends.
class FaultLinkTest : public testing::Test {
 protected:
  /// Says `text` from the sender's end to the receiver's; what arrives.
  std::string sent_through(LinkPlan plan, const std::string& text) {
    FaultLink link(listener_.port(), std::move(plan));
    ScriptedPeer sender = ScriptedPeer::connect(link.port());
    ScriptedPeer receiver = listener_.accept();
    sender.say(text);
    sender.finish();
    const Bytes heard = receiver.hear_all();
    struck_ = link.struck();
    return as_text(heard);
  }

  std::string noise(std::size_t bytes) {
    Rng rng(1);
    std::string text(bytes, '\0');
    for (char& byte : text) byte = static_cast<char>(rng());
    return text;
  }

  ScriptedListener listener_;
  std::size_t struck_ = 0;
};

TEST_F(FaultLinkTest, WithoutAPlanEverythingPassesAndTheEndToo) {
  const std::string text = noise(3'000'000);
  EXPECT_EQ(sent_through({}, text), text);
  EXPECT_EQ(struck_, 0U);
}

TEST_F(FaultLinkTest, ADelayedAndShapedLinkInSmallPiecesPassesEverything) {
  const std::string text = noise(100'000);
  EXPECT_EQ(
      sent_through({.bytes_per_second = 2'000'000, .delay = 100us, .most_at_once = 777}, text),
      text);
}

TEST_F(FaultLinkTest, AShapedLinkIsAsSlowAsAskedFor) {
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(sent_through({.bytes_per_second = 1'000'000}, noise(200'000)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 190ms);
}

TEST_F(FaultLinkTest, ADirectionEndsAtItsByte) {
  const std::string text = noise(200'000);
  const LinkPlan plan{.faults = {{.kind = Kind::finish, .at = 123'457}}};
  EXPECT_EQ(sent_through(plan, text), text.substr(0, 123'457));
  EXPECT_EQ(struck_, 1U);
}

TEST_F(FaultLinkTest, ABitIsFlippedAndNoOther) {
  std::string text = noise(200'000);
  const LinkPlan plan{.faults = {{.kind = Kind::flip, .at = 100'001, .bit = 3}}};
  const std::string heard = sent_through(plan, text);
  text[100'001] = static_cast<char>(text[100'001] ^ 8);
  EXPECT_EQ(heard, text);
}

TEST_F(FaultLinkTest, AResetIsOneForBothEndsAndNothingPassesAfterIt) {
  const std::string text = noise(200'000);
  FaultLink link(listener_.port(), {.faults = {{.kind = Kind::reset, .at = 1'000}}});
  ScriptedPeer sender = ScriptedPeer::connect(link.port());
  ScriptedPeer receiver = listener_.accept();
  while (sender.say(text)) {
  }
  EXPECT_LE(receiver.hear_all().size(), 1'000U);
}

TEST_F(FaultLinkTest, TheOtherDirectionHasItsOwnFaults) {
  FaultLink link(listener_.port(),
                 {.faults = {{.kind = Kind::finish, .way = Way::to_sender, .at = 4}}});
  ScriptedPeer sender = ScriptedPeer::connect(link.port());
  ScriptedPeer receiver = listener_.accept();
  receiver.say("welcome");
  EXPECT_EQ(sender.hear_all().size(), 4U);
  sender.say("thanks");
  EXPECT_EQ(receiver.hear(6).size(), 6U);
}

TEST_F(FaultLinkTest, AStallHoldsBackAndLosesNothing) {
  const std::string text = noise(10'000);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(sent_through({.faults = {{.kind = Kind::stall, .at = 5'000, .time = 150ms}}}, text),
            text);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 140ms);
}

TEST_F(FaultLinkTest, ACallComesOnceAtItsByte) {
  std::atomic<int> told = 0;
  const LinkPlan plan{.faults = {{.kind = Kind::call, .at = 5'000, .what = 7}},
                      .on_call = [&](int what) { told += what; }};
  static_cast<void>(sent_through(plan, noise(10'000)));
  EXPECT_EQ(told, 7);
}

TEST_F(FaultLinkTest, AnIdleConnectionIsReset) {
  FaultLink link(listener_.port(), {.idle_limit = 50ms});
  ScriptedPeer sender = ScriptedPeer::connect(link.port());
  ScriptedPeer receiver = listener_.accept();
  EXPECT_TRUE(receiver.hear_all(5s).empty());
  EXPECT_FALSE(sender.say("x") && sender.say("y") && sender.say("z") && sender.hear(1).empty() &&
               sender.say("w"));
}

TEST_F(FaultLinkTest, AConnectionIsOvertakenByTheNext) {
  FaultLink link(listener_.port(), {.reordered = 0});
  ScriptedPeer first = ScriptedPeer::connect(link.port());
  first.say("1");
  ScriptedPeer second = ScriptedPeer::connect(link.port());
  second.say("2");
  EXPECT_EQ(as_text(listener_.accept().hear(1)), "2");
  EXPECT_EQ(as_text(listener_.accept().hear(1)), "1");
}

}  // namespace
}  // namespace adoc::testkit
