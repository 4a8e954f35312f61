#include "io/gate.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <future>
#include <mutex>
#include <thread>

#include "io/tls.hpp"
#include "support/expect_error.hpp"
#include "support/scripted_peer.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/outcome.hpp"

namespace adoc {
namespace {

using std::chrono::milliseconds;
using testkit::expect_error;
using testkit::ScriptedPeer;
using namespace std::string_literals;

/// A gate that lets in whoever has the key, for as long as a test lasts.
class GateTest : public testing::Test {
 protected:
  GateTest() {
    letting_in_ = std::jthread([this](const std::stop_token& stop) {
      Gate gate({.listener = listener_,
                 .context = &context_,
                 .greeting = Hello{.role = Role::receiver}.encode(),
                 .refused = [this](std::string_view, std::string_view why) { note(why); },
                 .patience = milliseconds(kPatienceMs),
                 .most_guests = kMostGuests});
      Wakeup stopped;
      const std::stop_callback on_stop(stop, [&] { stopped.set(); });
      PollSet set;
      while (!stopped.is_set()) {
        set.clear();
        set.add(stopped.fd(), POLLIN);
        gate.watch(set, true);
        set.wait();
        gate.attend(set);
        const std::lock_guard lock(mutex_);
        while (auto stream = gate.take()) let_in_.push_back(std::move(stream));
      }
    });
  }

  static constexpr int kPatienceMs = 1'500;
  static constexpr std::size_t kMostGuests = 16;

  void note(std::string_view why) {
    const std::lock_guard lock(mutex_);
    refused_.emplace_back(why);
  }

  [[nodiscard]] ScriptedPeer peer() const { return ScriptedPeer::connect(listener_.local().port); }

  /// A sender with this key gets in and can talk to the other side.
  void expect_let_in(const Key& key) {
    const TlsContext context(key, TlsContext::Side::connects);
    const auto sender = connect_tls(
        {.peer = {"127.0.0.1", listener_.local().port}, .limit = kDefaultTimeout}, context);
    sender->write_all(as_byte_span("hello"));
    std::unique_ptr<Stream> receiver;
    eventually([&] {
      const std::lock_guard lock(mutex_);
      if (let_in_.empty()) return false;
      receiver = std::move(let_in_.front());
      let_in_.erase(let_in_.begin());
      return true;
    });
    ASSERT_NE(receiver, nullptr);
    std::array<std::byte, 10> into{};
    EXPECT_EQ(receiver->read_some(into), 5U);
  }
  void expect_refused(std::string_view why) {
    eventually([&] {
      const std::lock_guard lock(mutex_);
      return !refused_.empty();
    });
    const std::lock_guard lock(mutex_);
    ASSERT_FALSE(refused_.empty());
    EXPECT_NE(refused_.front().find(why), std::string::npos) << refused_.front();
    refused_.erase(refused_.begin());
  }
  [[nodiscard]] std::size_t refusals() {
    const std::lock_guard lock(mutex_);
    return refused_.size();
  }

  template <typename Condition>
  static void eventually(const Condition& condition) {
    for (int i = 0; i < 2'000; ++i) {
      if (condition()) return;
      std::this_thread::sleep_for(milliseconds(5));
    }
    ADD_FAILURE() << "never came true";
  }

  Key key_ = Key::generate();
  TlsContext context_{key_, TlsContext::Side::listens};
  TcpListener listener_{{"127.0.0.1", 0}};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> let_in_;
  std::vector<std::string> refused_;
  std::jthread letting_in_;
};

TEST_F(GateTest, WhoHasTheKeyGetsInAndNobodyElse) {
  // Goal: right key, wrong key, right key again.
  expect_let_in(key_);
  const TlsContext other(Key::generate(), TlsContext::Side::connects);
  expect_error(ErrorKind::refused, "has another key", [&] {
    static_cast<void>(connect_tls(
        {.peer = {"127.0.0.1", listener_.local().port}, .limit = kDefaultTimeout}, other));
  });
  expect_refused("it does not have the key");
  expect_let_in(key_);
}

TEST_F(GateTest, ASenderThatDoesNotEncryptIsToldInItsOwnWords) {
  // Goal: hello, an error frame that says what to do, and the end.
  ScriptedPeer plain = peer();
  plain.say(Hello{.role = Role::sender}.encode());
  const Bytes heard = plain.hear_all(milliseconds(5'000));
  ASSERT_GT(heard.size(), kHelloBytes + kFrameHeaderBytes);
  EXPECT_EQ(Hello::decode(ByteSpan(heard).first(kHelloBytes), Role::receiver).role, Role::receiver);
  const ByteSpan frame = ByteSpan(heard).subspan(kHelloBytes);
  const FrameHeader header = FrameHeader::decode(frame.first(kFrameHeaderBytes));
  ASSERT_EQ(header.type, FrameType::error);
  const ErrorFrame error = ErrorFrame::decode(
      open_record(header.type, frame.subspan(kFrameHeaderBytes, header.payload_bytes)));
  EXPECT_EQ(static_cast<ErrorKind>(error.kind), ErrorKind::refused);
  EXPECT_NE(error.message.find("only encrypted transfers"), std::string::npos);
  EXPECT_EQ(frame.size(), kFrameHeaderBytes + header.payload_bytes);
  expect_refused("it does not encrypt");
}

TEST_F(GateTest, WhatAPortScanSaysHarmsNobody) {
  // Goal: connections that close, reset, talk of something else or break off in the middle of a
  // handshake are noted, and the next with the key gets in.
  for (const std::string& said :
       {""s, "GET / HTTP/1.1\r\n\r\n"s, "\x16"s, "\x16\x03\x01\x02\x00\x01"s, "\x89"s, "\0"s,
        std::string(100'000, '\xff'), "\x16\x03\x01"s + std::string(70'000, 'x')}) {
    for (const bool finishes : {true, false}) {
      ScriptedPeer scanner = peer();
      scanner.say(said);
      if (finishes)
        scanner.finish();
      else
        scanner.vanish();
    }
    expect_let_in(key_);
  }
  eventually([&] { return refusals() == 16; });
}

TEST_F(GateTest, TheSilentAreSentAwayInTime) {
  // Goal: neither silence nor half a handshake lasts, and both are noted.
  ScriptedPeer silent = peer();
  ScriptedPeer half = peer();
  half.say("\x16\x03\x01\x02");
  const auto begin = Clock::now();
  EXPECT_EQ(silent.hear_all(milliseconds(10'000)).size(), 0U);
  EXPECT_EQ(half.hear_all(milliseconds(10'000)).size(), 0U);
  EXPECT_GE(seconds_since(begin), 0.8 * kPatienceMs / 1'000);
  EXPECT_LT(seconds_since(begin), 8);
  expect_refused("it said too little in time");
  expect_refused("it said too little in time");
}

TEST_F(GateTest, AFloodOfOthersKeepsNobodyOutWhoHasTheKey) {
  // Goal: many times as many as there is room for, silent or with a first byte that promises more.
  for (const bool begins : {false, true}) {
    std::vector<ScriptedPeer> flood;
    for (std::size_t i = 0; i < 10 * kMostGuests; ++i) {
      flood.push_back(peer());
      if (begins) flood.back().say("\x16");
      if (i % 40 == 39) {
        const auto begin = Clock::now();
        expect_let_in(key_);
        EXPECT_LT(seconds_since(begin), 1.0) << "with " << i << " others";
      }
    }
  }
  expect_refused("it had to make room for others");
}

TEST_F(GateTest, ARecordingIsKnownAgain) {
  // Goal: what somebody with the key has said is answered once, whoever says it.
  testkit::ScriptedListener elsewhere;
  const TlsContext context(key_, TlsContext::Side::connects);
  auto sender = std::async(std::launch::async, [&] {
    expect_error(ErrorKind::connect, "closed the connection", [&] {
      static_cast<void>(connect_tls(
          {.peer = {"127.0.0.1", elsewhere.port()}, .limit = kDefaultTimeout}, context));
    });
  });
  Bytes recording;
  {
    ScriptedPeer peer = elsewhere.accept();
    recording = peer.hear(5);
    const Bytes rest = peer.hear(static_cast<std::size_t>(recording.at(3)) * 256 +
                                 static_cast<std::size_t>(recording.at(4)));
    recording.insert(recording.end(), rest.begin(), rest.end());
  }
  sender.get();
  ScriptedPeer first = peer();
  first.say(recording);
  EXPECT_EQ(first.hear(1).size(), 1U);
  ScriptedPeer second = peer();
  second.say(recording);
  EXPECT_EQ(second.hear_all().size(), 0U);
  expect_refused("plays back what another connection said");
  expect_let_in(key_);
}

TEST_F(GateTest, AFloodFromOneAddressDrivesAwayNobodyFromAnother) {
  // Goal: the guest that has been here longest is still here, because it is alone.
  ScriptedPeer guest = peer();
  guest.say("\x16");
  std::vector<ScriptedPeer> flood;
  for (std::size_t i = 0; i < 5 * kMostGuests; ++i) {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK + 1);
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&from), sizeof(from)), 0);
    sockaddr_in to = from;
    to.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    to.sin_port = ::htons(listener_.local().port);
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    flood.emplace_back(std::move(socket));
  }
  expect_refused("it had to make room for others");
  guest.say("nothing of TLS, for as long as it takes to see that: 43 bytes at least");
  guest.finish();
  eventually([&] {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(refused_, [](const std::string& why) {
      return why.find("does not have the key") != std::string::npos;
    });
  });
}

TEST(SeenHellosTest, TheLatestAreRemembered) {
  // Goal: memory is bounded, and at least so many are known again.
  SeenHellos seen;
  for (std::uint64_t random = 0; random < 5 * SeenHellos::kLeast; ++random) seen.add(random);
  EXPECT_FALSE(seen.contains(0));
  for (std::uint64_t i = 1; i <= SeenHellos::kLeast; ++i)
    EXPECT_TRUE(seen.contains(5 * SeenHellos::kLeast - i));
  EXPECT_FALSE(client_random(Bytes(kClientHelloStartBytes)));
  EXPECT_FALSE(client_random(Bytes(kClientHelloStartBytes - 1, std::byte{22})));
}

TEST(SourceTest, AHostIsOneWhateverItsAddressesLookLike) {
  // Goal: IPv4 alone, also written as IPv6, and a network of 64 bits for IPv6.
  const auto source = [](const std::string& host) {
    return source_of(resolve({host, 1}, Purpose::connect).front());
  };
  EXPECT_EQ(source("10.0.0.1"), source("::ffff:10.0.0.1"));
  EXPECT_NE(source("10.0.0.1"), source("10.0.0.2"));
  EXPECT_EQ(source("2001:db8:1:2::1"), source("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_NE(source("2001:db8:1:2::1"), source("2001:db8:1:3::1"));
}

TEST(ConnectTlsTest, AReceiverThatDoesNotEncryptIsToldFromOneWithAnotherKey) {
  // Goal: what the first bytes of the answer tell.
  const TlsContext context(Key::generate(), TlsContext::Side::connects);
  const auto answered = [&](ErrorKind kind, std::string_view text, ByteSpan answer) {
    testkit::ScriptedListener listener;
    auto connecting = std::async(std::launch::async, [&] {
      expect_error(kind, text, [&] {
        static_cast<void>(connect_tls(
            {.peer = {"127.0.0.1", listener.port()}, .limit = kDefaultTimeout}, context));
      });
    });
    ScriptedPeer peer = listener.accept();
    peer.say(answer);
    peer.finish();
    connecting.get();
  };
  answered(ErrorKind::refused, "does not encrypt", Hello{.role = Role::receiver}.encode());
  answered(ErrorKind::connect, "does not speak AdOC: it began with 'HTTP/1.1 400",
           as_byte_span("HTTP/1.1 400 Bad Request\r\n\r\n"));
  answered(ErrorKind::connect, "closed the connection during the handshake", {});
  answered(ErrorKind::refused, "another key", as_byte_span("\x15\x03\x03\x00\x02\x02\x2f"s));
  answered(ErrorKind::refused, "earlier version", as_byte_span("\x15\x03\x03\x00\x02\x02\x28"s));
  answered(ErrorKind::refused, "does not prove that it has our key",
           as_byte_span("\x16\x03\x03\x00\x04\x02\x00\x00\x00"s));
}

TEST(ConnectTlsTest, AStopRequestEndsAHandshakeThatGetsNoAnswer) {
  // Goal: Ctrl-C works also there.
  const TlsContext context(Key::generate(), TlsContext::Side::connects);
  testkit::ScriptedListener listener;
  std::stop_source stop;
  auto connecting = std::async(std::launch::async, [&] {
    expect_error(ErrorKind::interrupted, "interrupted", [&] {
      static_cast<void>(connect_tls({.peer = {"127.0.0.1", listener.port()},
                                     .limit = kDefaultTimeout,
                                     .stop = stop.get_token()},
                                    context));
    });
  });
  const ScriptedPeer peer = listener.accept();
  EXPECT_EQ(connecting.wait_for(milliseconds(50)), std::future_status::timeout);
  stop.request_stop();
  connecting.get();
}

}  // namespace
}  // namespace adoc
