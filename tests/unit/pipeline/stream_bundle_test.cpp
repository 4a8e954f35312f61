// Bundles of real connections: both directions at once, over sockets that are cut.

#include "io/stream_bundle.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "pipeline/frame_reader.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"
#include "support/tls_ends.hpp"
#include "util/sanitized.hpp"
#include "wire/keep_alive.hpp"

namespace adoc {
namespace {

using testkit::any_size;
using testkit::connected_sockets;
using testkit::up_to;

constexpr std::chrono::seconds kLongest{30};

/// What is sent: packets whose bytes say where they are.
struct Talk {
  std::uint64_t seed = 0;
  std::uint64_t bytes = 0;

  void say(Stream& to, Role role) const {
    testkit::Rng rng(seed);
    if (role == Role::sender) to.write_all(Hello{.role = role}.encode());
    for (std::uint64_t said = 0; said < bytes;) {
      const std::size_t size =
          1 + any_size(rng, std::min<std::uint64_t>(bytes - said, 100'000) - 1);
      Bytes frame;
      ByteWriter out(frame);
      FrameHeader{FrameType::packet, static_cast<std::uint32_t>(size)}.encode(out);
      for (std::size_t i = 0; i < size; ++i)
        out.u8(static_cast<std::uint8_t>((said + i) * 31 >> 3));
      to.write_all(frame);
      said += size;
    }
    to.finish_writing();
  }

  /// How many of them came, and then the end.
  [[nodiscard]] static std::uint64_t hear(FrameReader& from) {
    std::uint64_t heard = 0;
    Bytes payload;
    while (const auto frame = from.next()) {
      if (frame->type == FrameType::split) from.begin_records();
      if (frame->type != FrameType::packet) continue;
      payload.resize(frame->payload_bytes);
      from.read_payload(payload);
      for (std::size_t i = 0; i < payload.size(); ++i)
        if (payload[i] != static_cast<std::byte>((heard + i) * 31 >> 3))
          throw std::runtime_error("byte " + std::to_string(heard + i) + " is another one");
      heard += payload.size();
    }
    return heard;
  }
};

/// Two bundles that are connected to each other.
class StreamBundleTest : public testing::Test {
 protected:
  StreamBundleTest() { SetUpAnew(); }

  void SetUpAnew() {
    near_.reset();
    far_.reset();
    kept_.clear();
    auto [near, far] = connected_sockets();
    first_near_ = std::make_unique<TcpStream>(std::move(near), "far");
    first_far_ = std::make_unique<TcpStream>(std::move(far), "near");
    near_ = std::make_unique<StreamBundle>(StreamBundle::Setup{.first = *first_near_,
                                                               .buffer = kMaxStreamWindow,
                                                               .window = kMinStreamWindow,
                                                               .splits = true});
    far_ = std::make_unique<StreamBundle>(StreamBundle::Setup{.first = *first_far_,
                                                              .buffer = kMinStreamWindow,
                                                              .window = kMaxStreamWindow,
                                                              .before_frames = 0});
    near_->allow(kMaxStreams, kMaxStreamWindow);
    far_->allow(kMaxStreams, 0);
  }

  /// Another connection; true when both sides have it. Its sockets can be shut down later.
  bool join() {
    auto [near, far] = connected_sockets();
    const int fds[2] = {near.get(), far.get()};
    JoiningStream at_near{.stream = std::make_unique<TcpStream>(std::move(near), "far")};
    JoiningStream at_far{.stream = std::make_unique<TcpStream>(std::move(far), "near")};
    // The copies outlive what they are of: no other file gets their numbers.
    kept_.emplace_back(::dup(fds[0]));
    return far_->join(at_far) && near_->join(at_near);
  }
  void cut(std::size_t number) { ::shutdown(kept_[number].get(), SHUT_RDWR); }
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
      static_cast<void>(at_far.hello(Role::sender, kLongest));
      return Talk::hear(at_far);
    });
    auto near = std::async(std::launch::async, [&] { return Talk::hear(at_near); });
    const std::jthread saying([&] { there.say(*near_, Role::sender); });
    const std::jthread answering([&] { back.say(*far_, Role::receiver); });
    meanwhile();
    // A test that hangs says so.
    const bool in_time = far.wait_for(kLongest) == std::future_status::ready &&
                         near.wait_for(kLongest) == std::future_status::ready;
    EXPECT_TRUE(in_time);
    if (!in_time) near_->abort(), far_->abort();
    return {far.get(), near.get()};
  }

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

TEST_F(StreamBundleTest, RecordsThatNobodyLetInBreakTheProtocol) {
  // Goal: a split from a peer that was not offered anything is refused.
  far_->allow(1, 0);
  testkit::expect_corrupt("split", [&] { far_->begin_records({}); });
}

}  // namespace
}  // namespace adoc
