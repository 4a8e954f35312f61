// Bundles of real connections: both directions at once, over sockets that are cut.

#include "io/stream_bundle.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "pipeline/frame_reader.hpp"
#include "support/expect_error.hpp"
#include "support/patience.hpp"
#include "support/seed.hpp"
#include "support/tls_ends.hpp"
#include "util/sanitized.hpp"
#include "wire/bundle_record.hpp"
#include "wire/keep_alive.hpp"

namespace adoc {
namespace {

using testkit::any_size;
using testkit::connected_sockets;
using testkit::kPatience;
using testkit::up_to;

/// Bytes that say where they are, from `begin` on.
std::span<const std::byte> bytes_at(std::uint64_t begin, std::size_t count) {
  constexpr std::size_t kPeriod = 2048;
  constexpr std::size_t kMost = 100'000;
  static const Bytes repeated = [] {
    Bytes bytes(kPeriod + kMost);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3);
    return bytes;
  }();
  return ByteSpan(repeated).subspan(begin % kPeriod, count);
}

/// What is sent: packets of such bytes.
struct Talk {
  std::uint64_t seed = 0;
  std::uint64_t bytes = 0;

  void say(Stream& to, Role role) const {
    if (role == Role::sender) to.write_all(Hello{.role = role}.encode());
    say_packets(to);
    to.finish_writing();
  }

  void say_packets(Stream& to) const {
    testkit::Rng rng(seed);
    for (std::uint64_t said = 0; said < bytes;) {
      const std::size_t size =
          1 + any_size(rng, std::min<std::uint64_t>(bytes - said, 100'000) - 1);
      Bytes frame;
      ByteWriter out(frame);
      FrameHeader{FrameType::packet, static_cast<std::uint32_t>(size)}.encode(out);
      out.bytes(bytes_at(said, size));
      to.write_all(frame);
      said += size;
    }
  }

  /// How many of them came, and then the end, or a keep-alive.
  [[nodiscard]] static std::uint64_t hear(FrameReader& from,
                                          std::optional<std::uint64_t> most = {}) {
    std::uint64_t heard = 0;
    Bytes payload;
    while (heard != most) {
      const auto frame = from.next();
      if (!frame || frame->type == FrameType::keep_alive) break;
      if (frame->type == FrameType::split) from.begin_records();
      if (frame->type != FrameType::packet) continue;
      payload.resize(frame->payload_bytes);
      from.read_payload(payload);
      if (std::memcmp(payload.data(), bytes_at(heard, payload.size()).data(), payload.size()) != 0)
        throw std::runtime_error("other bytes came after " + std::to_string(heard));
      heard += payload.size();
    }
    return heard;
  }
};

/// Two bundles that are connected to each other.
class StreamBundleTest : public testing::Test {
 protected:
  StreamBundleTest() { SetUpAnew(); }

  /// With `kept`, so much of which is kept at first, and `most` later, as one that may outlive its
  /// connections.
  void SetUpAnew(std::size_t kept = 0, std::size_t most = 0) {
    near_.reset();
    far_.reset();
    kept_.clear();
    auto [near, far] = connected_sockets();
    first_near_ = std::make_unique<TcpStream>(std::move(near), "far");
    first_far_ = std::make_unique<TcpStream>(std::move(far), "near");
    near_ = std::make_unique<StreamBundle>(StreamBundle::Setup{.first = *first_near_,
                                                               .buffer = most   ? most
                                                                         : kept ? kept
                                                                                : kMaxStreamWindow,
                                                               .window = kMinStreamWindow,
                                                               .splits = true,
                                                               .keeps = kept});
    far_ = std::make_unique<StreamBundle>(StreamBundle::Setup{.first = *first_far_,
                                                              .buffer = kMinStreamWindow,
                                                              .window = kMaxStreamWindow,
                                                              .before_frames = 0});
    near_->allow(kMaxStreams, kMaxStreamWindow);
    far_->allow(kMaxStreams, 0);
  }

  /// Another connection; true when both sides have it. Its sockets can be shut down later.
  bool join(bool replaces = false) {
    auto [near, far] = connected_sockets();
    const int fds[2] = {near.get(), far.get()};
    JoiningStream at_near{.stream = std::make_unique<TcpStream>(std::move(near), "far")};
    JoiningStream at_far{.stream = std::make_unique<TcpStream>(std::move(far), "near"),
                         .replaces = replaces};
    // The copies outlive what they are of: no other file gets their numbers.
    kept_.emplace_back(::dup(fds[0]));
    return far_->join(at_far) && near_->join(at_near);
  }
  void cut(std::size_t number) { ::shutdown(kept_[number].get(), SHUT_RDWR); }
  void cut_first() { ::shutdown(first_near_->fd(), SHUT_RDWR); }

  /// Both outlive having no connection from now on.
  void outlast(std::chrono::milliseconds at_far) {
    near_->outlast(std::chrono::milliseconds(0), {});
    far_->outlast(at_far, [this] { ++changed_at_far_; });
    far_->note_acknowledged(0);
  }
  template <typename Ready>
  static void eventually(Ready ready) {
    const auto end = Clock::now() + kPatience;
    while (!ready() && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(ready());
  }
  [[nodiscard]] std::size_t joined() const { return kept_.size(); }

  struct Heard {
    std::uint64_t at_far = 0;
    std::uint64_t at_near = 0;
  };
  /// Both talk until both have heard everything, while `meanwhile` happens.
  template <typename Meanwhile>
  Heard talk(const Talk& there, const Talk& back, Meanwhile meanwhile) {
    FrameReader at_far(*far_);
    FrameReader at_near(*near_);
    auto far = std::async(std::launch::async, [&] {
      static_cast<void>(at_far.hello(Role::sender, kPatience));
      return Talk::hear(at_far);
    });
    auto near = std::async(std::launch::async, [&] { return Talk::hear(at_near); });
    const std::jthread saying([&] { there.say(*near_, Role::sender); });
    const std::jthread answering([&] { back.say(*far_, Role::receiver); });
    meanwhile();
    // A test that hangs says so.
    const bool in_time = far.wait_for(kPatience) == std::future_status::ready &&
                         near.wait_for(kPatience) == std::future_status::ready;
    EXPECT_TRUE(in_time);
    if (!in_time) near_->abort(), far_->abort();
    return {far.get(), near.get()};
  }

  /// The same of bundles that last: each side says what it has read, as sessions do, and says that
  /// it has heard all before it closes, which is after `meanwhile`.
  template <typename Meanwhile>
  Heard lasting_talk(const Talk& there, const Talk& back, Meanwhile meanwhile) {
    FrameReader at_far(*far_);
    FrameReader at_near(*near_);
    at_far.on_received([&] { near_->note_acknowledged(at_far.received_bytes()); });
    at_near.on_received([&] { far_->note_acknowledged(at_near.received_bytes()); });
    const Bytes farewell = encode_frame(KeepAlive{});
    std::promise<void> far_has_all;
    std::promise<void> near_has_all;
    const auto ends = [](FrameReader& from, Stream& stream) {
      stream.expect_end();
      try {
        EXPECT_FALSE(from.next());
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::connect) << error.what();
      }
    };
    auto far = std::async(std::launch::async, [&] {
      static_cast<void>(at_far.hello(Role::sender, kPatience));
      const std::uint64_t heard = Talk::hear(at_far, there.bytes);
      far_has_all.set_value();
      EXPECT_EQ(Talk::hear(at_far), 0U);
      ends(at_far, *far_);
      return heard;
    });
    auto near = std::async(std::launch::async, [&] {
      const std::uint64_t heard = Talk::hear(at_near);
      near_has_all.set_value();
      ends(at_near, *near_);
      return heard;
    });
    std::promise<void> meanwhile_over;
    const auto say = [&](const Talk& talk, Stream& to, std::promise<void>& until,
                         std::promise<void>* also) {
      try {
        talk.say_packets(to);
        until.get_future().wait_for(kPatience);
        if (also != nullptr) also->get_future().wait_for(kPatience);
        to.write_all(farewell);
        to.finish_writing();
      } catch (const Error& error) {
        // The last words may find nobody any more.
        EXPECT_EQ(error.kind(), ErrorKind::connect) << error.what();
      }
    };
    const std::jthread saying([&] {
      near_->write_all(Hello{.role = Role::sender}.encode());
      say(there, *near_, near_has_all, nullptr);
    });
    const std::jthread answering([&] { say(back, *far_, far_has_all, &meanwhile_over); });
    meanwhile();
    meanwhile_over.set_value();
    const bool in_time = far.wait_for(kPatience) == std::future_status::ready &&
                         near.wait_for(kPatience) == std::future_status::ready;
    EXPECT_TRUE(in_time);
    if (!in_time) near_->abort(), far_->abort();
    return {far.get(), near.get()};
  }

  std::atomic<int> changed_at_far_{0};
  std::unique_ptr<TcpStream> first_near_;
  std::unique_ptr<TcpStream> first_far_;
  std::vector<Fd> kept_;
  std::unique_ptr<StreamBundle> near_;
  std::unique_ptr<StreamBundle> far_;
};

TEST_F(StreamBundleTest, OneConnectionIsNothingButThat) {
  // Goal: where none joins there is no record, and no thread.
  const Heard heard = talk({1, 3'000'000}, {2, 100'000}, [] {});
  EXPECT_EQ(heard.at_far, 3'000'000U);
  EXPECT_EQ(heard.at_near, 100'000U);
  EXPECT_EQ(near_->most_connections(), 1U);
}

TEST_F(StreamBundleTest, ManyCarryEveryByteBothWays) {
  // Goal: those that join before anything is said and in the middle of it take their part.
  ASSERT_TRUE(join());
  const Heard heard = talk({1, 20'000'000}, {2, 2'000'000}, [&] {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(join());
  });
  EXPECT_EQ(heard.at_far, 20'000'000U);
  EXPECT_EQ(heard.at_near, 2'000'000U);
  EXPECT_EQ(near_->most_connections(), 7U);
}

TEST_F(StreamBundleTest, ConnectionsThatAreCutLoseNothing) {
  // Goal: those that joined are cut at any moment, from the first byte to the end, and the first
  // one as well once both directions have changed to records; others come in their place.
  auto rng = testkit::seeded_rng();
  const int rounds = kSanitized ? 4 : 12;
  for (int round = 0; round < rounds; ++round) {
    if (round != 0) SetUpAnew();
    const std::uint64_t bytes = 1 + any_size(rng, kSanitized ? 3'000'000 : 10'000'000);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(join());
    const Heard heard = talk({rng(), bytes}, {rng(), 1 + any_size(rng, 500'000)}, [&] {
      for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(any_size(rng, 20'000)));
        static_cast<void>(join());
        cut(up_to(rng, joined() - 2));
      }
    });
    ASSERT_EQ(heard.at_far, bytes) << "round " << round;
  }
}

TEST_F(StreamBundleTest, ThereAreNoMoreThanWereAllowed) {
  // Goal: of more connections than one transfer may have the last is where it was.
  for (std::size_t i = 1; i < kMaxStreams; ++i) ASSERT_TRUE(join());
  EXPECT_FALSE(join());
}

TEST_F(StreamBundleTest, OneThatLastsIsNothingButItsConnectionUntilThatIsLost) {
  // Goal: as long as nothing is lost there is no record, and nothing else is done at the far side.
  SetUpAnew(kLeastKept);
  outlast(kPatience);
  const Heard heard = lasting_talk({1, 20'000'000}, {2, 3'000'000}, [] {});
  EXPECT_EQ(heard.at_far, 20'000'000U);
  EXPECT_EQ(heard.at_near, 3'000'000U);
  EXPECT_FALSE(near_->figures().is_safe);
  EXPECT_FALSE(far_->figures().is_safe);
  EXPECT_EQ(changed_at_far_, 0);
}

TEST_F(StreamBundleTest, OneThatLastsOutlivesHavingNoConnection) {
  // Goal: all that there are are cut, again and again and at any moment, and there is none for a
  // while; what was on its way goes over the one that comes then.
  auto rng = testkit::seeded_rng();
  const int rounds = kSanitized ? 3 : 6;
  for (int round = 0; round < rounds; ++round) {
    SetUpAnew(kLeastKept);
    outlast(kPatience);
    changed_at_far_ = 0;
    const std::uint64_t bytes = 10'000'000 + any_size(rng, 10'000'000);
    const std::uint64_t back = 10'000'000;
    const Heard heard = lasting_talk({rng(), bytes}, {rng(), back}, [&] {
      std::this_thread::sleep_for(std::chrono::microseconds(any_size(rng, 10'000)));
      cut_first();
      for (int i = 0; i < 5; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(any_size(rng, 20'000)));
        EXPECT_TRUE(join(true));
        std::this_thread::sleep_for(std::chrono::microseconds(any_size(rng, 20'000)));
        if (i != 4) cut(joined() - 1);
      }
    });
    ASSERT_EQ(heard.at_far, bytes) << "round " << round;
    ASSERT_EQ(heard.at_near, back) << "round " << round;
    EXPECT_FALSE(near_->figures().is_alone);
    EXPECT_EQ(changed_at_far_, 1);
  }
}

TEST_F(StreamBundleTest, OneThatLastsLosesTheFirstAmongOthers) {
  // Goal: the first connection is cut while its directions change to records because others join:
  // what it carried without records goes over those.
  auto rng = testkit::seeded_rng();
  const int rounds = kSanitized ? 3 : 6;
  for (int round = 0; round < rounds; ++round) {
    SetUpAnew(kLeastKept);
    outlast(kPatience);
    const std::uint64_t bytes = 10'000'000 + any_size(rng, 10'000'000);
    const Heard heard = lasting_talk({rng(), bytes}, {rng(), 5'000'000}, [&] {
      for (int i = 0; i < 2; ++i) {
        std::this_thread::sleep_for(std::chrono::microseconds(any_size(rng, 5'000)));
        EXPECT_TRUE(join());
      }
      std::this_thread::sleep_for(std::chrono::microseconds(any_size(rng, 5'000)));
      cut_first();
    });
    ASSERT_EQ(heard.at_far, bytes) << "round " << round;
    ASSERT_EQ(heard.at_near, 5'000'000U) << "round " << round;
  }
}

TEST_F(StreamBundleTest, OneThatComesBackTakesThePlaceOfTheSilent) {
  // Goal: where one connection is all that may be there, another one that joins takes its place,
  // because this side may not know yet that it is lost.
  SetUpAnew(kLeastKept);
  near_->allow(1, kMaxStreamWindow);
  far_->allow(1, 0);
  outlast(kPatience);
  const Heard heard = lasting_talk({1, 20'000'000}, {2, 10'000'000}, [&] {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(join(true));
  });
  EXPECT_EQ(heard.at_far, 20'000'000U);
  EXPECT_EQ(heard.at_near, 10'000'000U);
}

TEST_F(StreamBundleTest, WhatCannotBeKeptIsNotWaitedFor) {
  // Goal: a peer that does not say what it has read holds nothing up, of either side. Where more is
  // on its way than is kept nobody can come back, until the peer has said enough.
  for (const bool there : {true, false}) {
    SetUpAnew(kMinStreamWindow);
    outlast(kPatience);
    StreamBundle& from = there ? *near_ : *far_;
    StreamBundle& to = there ? *far_ : *near_;
    Bytes heard(3 * kMinStreamWindow);
    const auto cross = [&](std::size_t size) {
      const Bytes bytes(size, std::byte{7});
      auto said = std::async(std::launch::async, [&] { from.write_all(bytes); });
      for (std::span<std::byte> rest = std::span(heard).first(size); !rest.empty();)
        rest = rest.subspan(to.read_some(rest));
      EXPECT_EQ(said.wait_for(kPatience), std::future_status::ready);
    };
    const auto comes_back = [&] {
      auto [near, far] = connected_sockets();
      JoiningStream again{.stream = std::make_unique<TcpStream>(std::move(far), "near"),
                          .replaces = true};
      return from.join(again);
    };
    near_->note_acknowledged(0);
    cross(heard.size());
    EXPECT_FALSE(comes_back());
    from.note_acknowledged(2 * kMinStreamWindow - 1);
    EXPECT_FALSE(comes_back());
    from.note_acknowledged(2 * kMinStreamWindow);
    EXPECT_TRUE(comes_back());
  }
}

TEST_F(StreamBundleTest, MoreIsKeptWhereMoreIsOnItsWay) {
  // Goal: what is kept at first is little; more than that, of which nothing is known to have
  // arrived, is kept as well, in its order, and goes over the connection that comes next.
  const std::size_t least = 64 << 10;
  SetUpAnew(least, kMaxStreamWindow);
  near_->outlast(std::chrono::milliseconds(0), {});
  near_->note_acknowledged(0);
  Bytes said(40 * least + 7);
  for (std::size_t i = 0; i < said.size(); ++i) said[i] = static_cast<std::byte>(i * 31 >> 3);
  // Not the far bundle, so that nothing of it is said to have been read.
  Bytes heard(said.size());
  auto hearing = std::async(std::launch::async, [&] {
    for (std::span<std::byte> rest = heard; !rest.empty();)
      rest = rest.subspan(first_far_->read_some(rest));
  });
  near_->write_all(said);
  ASSERT_EQ(hearing.wait_for(kPatience), std::future_status::ready);
  Bytes one(1);
  auto reading = std::async(std::launch::async, [&] { return near_->read_some(one); });
  cut_first();
  eventually([&] { return near_->figures().is_alone; });
  auto [near, far] = connected_sockets();
  TcpStream again(std::move(far), "near");
  JoiningStream at_near{.stream = std::make_unique<TcpStream>(std::move(near), "far")};
  ASSERT_TRUE(near_->join(at_near));
  Bytes came;
  while (came.size() < said.size()) {
    BundleRecord::Header header{};
    for (std::span<std::byte> rest = header; !rest.empty();)
      rest = rest.subspan(again.read_some(rest));
    const BundleRecord record = BundleRecord::decode(header);
    if (record.length == 0) continue;
    ASSERT_EQ(record.offset, came.size());
    const std::size_t before = came.size();
    came.resize(before + record.length);
    for (std::span<std::byte> rest = std::span(came).subspan(before); !rest.empty();)
      rest = rest.subspan(again.read_some(rest));
  }
  EXPECT_EQ(came, said);
  near_->abort();
  EXPECT_EQ(reading.wait_for(kPatience), std::future_status::ready);
}

TEST_F(StreamBundleTest, OneThatKeepsNothingIsAsTheOthers) {
  // Goal: a side that has kept what it said, and finds that its peer does not know how to come
  // back, has as much room as it would have had.
  SetUpAnew(64 << 10, kMaxStreamWindow);
  near_->keep_nothing();
  near_->allow(kMaxStreams, kMaxStreamWindow);
  const Heard heard = talk({1, 20'000'000}, {2, 2'000'000}, [&] {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(join());
  });
  EXPECT_EQ(heard.at_far, 20'000'000U);
  EXPECT_EQ(heard.at_near, 2'000'000U);
}

TEST_F(StreamBundleTest, OneThatNobodyJoinsIsLostInTime) {
  // Goal: a side waits for another connection as long as it was told to, and the one that makes
  // them until it gives up, which is then what failed.
  SetUpAnew(kLeastKept);
  outlast(std::chrono::milliseconds(100));
  FrameReader at_far(*far_);
  FrameReader at_near(*near_);
  near_->write_all(Hello{}.encode());
  static_cast<void>(at_far.hello(Role::sender, kPatience));
  cut_first();
  testkit::expect_error(ErrorKind::connect, "", [&] {
    while (at_far.next()) {
    }
  });
  auto lost = std::async(std::launch::async, [&] {
    testkit::expect_error(ErrorKind::connect, "nobody is there", [&] {
      while (at_near.next()) {
      }
    });
  });
  eventually([&] { return near_->figures().is_alone; });
  near_->give_up(std::make_exception_ptr(Error(ErrorKind::connect, "nobody is there")));
  EXPECT_EQ(lost.wait_for(kPatience), std::future_status::ready);
}

TEST_F(StreamBundleTest, RecordsThatNobodyLetInBreakTheProtocol) {
  // Goal: a split from a peer that was not offered anything is refused.
  far_->allow(1, 0);
  testkit::expect_corrupt("split", [&] { static_cast<void>(far_->begin_records({})); });
}

}  // namespace
}  // namespace adoc
