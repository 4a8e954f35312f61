// A direction over several connections, in virtual time.

#include "io/record_plan.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <vector>

#include "io/reassembly.hpp"
#include "support/expect_error.hpp"
#include "support/path_model.hpp"
#include "support/seed.hpp"

namespace adoc {
namespace {

using testkit::expect_corrupt;
using testkit::PathModel;
using testkit::PathSetup;
using testkit::up_to;

constexpr std::uint64_t kWindow = 4 << 20;

/// Bytes from one end to the other, over connections that have a path each: in order, as TCP has
/// it, so that what is lost on a path comes late with all that is behind it.
class Direction {
 public:
  explicit Direction(std::uint64_t bytes) : bytes_(bytes) {}

  std::size_t connect(PathSetup path) {
    const std::size_t number = ++last_number_;
    connections_.emplace(number, Connection{.path = PathModel(path), .setup = path});
    plan_.add(number);
    return number;
  }
  void at(double seconds, std::function<void()> happens) {
    events_.push({seconds, ++order_, std::move(happens)});
  }
  /// What is on its way over it never arrives.
  void kill(std::size_t number) {
    connections_.erase(number);
    plan_.lose(number);
  }
  /// Nothing more gets through, and nobody is told.
  void stall(std::size_t number) { connections_.at(number).stalls = true; }
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }
  [[nodiscard]] std::size_t any_connection(testkit::Rng& rng) const {
    return std::next(connections_.begin(),
                     static_cast<std::ptrdiff_t>(up_to(rng, connections_.size() - 1)))
        ->first;
  }

  /// Seconds until the sender knows that all has arrived; infinity: it never does.
  double run() {
    while (!plan_.all_arrived()) {
      send();
      if (events_.empty()) return std::numeric_limits<double>::infinity();
      const Event next = events_.top();
      events_.pop();
      now_ = next.seconds;
      next.happens();
      if (now_ > 1e4) return std::numeric_limits<double>::infinity();
    }
    return now_;
  }

  [[nodiscard]] std::uint64_t read_bytes() const { return in_.read_place(); }
  [[nodiscard]] const RecordPlan& plan() const { return plan_; }
  [[nodiscard]] bool at_end() const { return in_.at_end(); }
  [[nodiscard]] std::uint64_t sent_over(std::size_t number) const { return sent_.at(number); }

 private:
  struct Connection {
    PathModel path;
    PathSetup setup;
    double in_order_at = 0;  ///< what is sent next arrives no sooner
    double free_at = 0;      ///< its socket takes more
    bool stalls = false;
  };
  struct Event {
    double seconds;
    std::uint64_t order;
    std::function<void()> happens;
    bool operator<(const Event& other) const {
      return std::pair(seconds, order) > std::pair(other.seconds, other.order);
    }
  };

  void give() {
    while (given_ < bytes_) {
      const std::uint64_t count = std::min<std::uint64_t>(plan_.room(), bytes_ - given_);
      if (count == 0) return;
      plan_.give(count);
      given_ += count;
    }
    plan_.finish();
  }

  void send() {
    give();
    for (auto& [number, connection] : connections_) {
      while (connection.free_at <= now_) {
        const auto record = plan_.next(number, now_);
        if (!record) break;
        carry(number, connection, *record);
        give();
      }
    }
    if (const auto late = plan_.late_at(); late && *late > now_ && *late != woken_at_) {
      woken_at_ = *late;
      at(*late, [] {});
    }
  }

  void carry(std::size_t number, Connection& connection, const RecordPlan::Record& record) {
    sent_[number] += record.end - record.begin;
    const std::uint64_t size = record.is_end ? 0 : record.end - record.begin;
    const double round_trip = 2 * connection.setup.delay_seconds;
    double arrives = 0;
    double sent = now_;
    for (std::uint64_t packet = 0; packet <= size; packet += 1'400) {
      auto passed = connection.path.pass(sent, 1'400);
      while (!passed) passed = connection.path.pass(sent += round_trip + 0.05, 1'400);
      arrives = std::max(arrives, *passed);
    }
    connection.in_order_at = std::max(connection.in_order_at, arrives);
    connection.free_at = connection.in_order_at - connection.setup.delay_seconds;
    at(connection.free_at, [] {});
    if (connection.stalls) {
      connection.free_at = std::numeric_limits<double>::infinity();
      return;
    }
    at(connection.in_order_at, [this, number, record] { arrive(number, record); });
  }

  void arrive(std::size_t number, const RecordPlan::Record& record) {
    const auto over = connections_.find(number);
    if (over == connections_.end() || over->second.stalls) return;
    if (record.is_end) {
      in_.put_end(record.begin);
    } else {
      in_.expect(record.end);
      for (std::uint64_t place = record.begin; place < record.end;) {
        const Intervals::Piece piece = in_.piece(place, record.end);
        if (!piece.is_in) in_.put(place, piece.end);
        place = piece.end;
      }
    }
    in_.read(in_.readable());
    at(now_ + over->second.setup.delay_seconds,
       [this, arrived = in_.arrived(), limit = in_.limit()] { plan_.hear(arrived, limit); });
  }

  std::uint64_t bytes_;
  std::uint64_t given_ = 0;
  RecordPlan plan_{kWindow, kWindow};
  Reassembly in_{kWindow};
  std::map<std::size_t, Connection> connections_;
  std::map<std::size_t, std::uint64_t> sent_;
  std::size_t last_number_ = 0;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
  double now_ = 0;
  double woken_at_ = -1;
};

PathSetup path(double rate, double delay, std::uint64_t seed) {
  return {.rate = {{0, rate}}, .delay_seconds = delay, .loss = 0.001, .seed = seed};
}

TEST(RecordPlanTest, SeveralConnectionsAddUp) {
  // Goal: four connections of 2 MB/s carry 40 MB in little more than a quarter of the time of one.
  const auto seconds = [](int connections) {
    Direction direction(40 << 20);
    for (int i = 0; i < connections; ++i) direction.connect(path(2e6, 0.04, 7));
    const double taken = direction.run();
    EXPECT_EQ(direction.read_bytes(), 40U << 20);
    EXPECT_TRUE(direction.at_end());
    return taken;
  };
  EXPECT_LT(seconds(4), seconds(1) / 3.5);
}

TEST(RecordPlanTest, ASlowConnectionHoldsNothingUp) {
  // Goal: a connection of 20 kB/s beside one of 5 MB/s: what it took is taken over, so that it ends
  // as soon as with the fast one alone and the patience of 0.2 s now and then.
  const auto seconds = [](bool with_slow) {
    Direction direction(20 << 20);
    direction.connect(path(5e6, 0.02, 3));
    if (with_slow) direction.connect(path(2e4, 0.02, 4));
    const double taken = direction.run();
    EXPECT_EQ(direction.read_bytes(), 20U << 20);
    return taken;
  };
  EXPECT_LT(seconds(true), seconds(false) + 1);
}

TEST(RecordPlanTest, AConnectionThatTakesAllAndCarriesNothingIsWorkedAround) {
  // Goal: one that goes silent in the middle, and that nobody finds lost, costs under a second.
  Direction whole(20 << 20);
  whole.connect(path(2e6, 0.04, 3));
  const double before = whole.run();
  Direction direction(20 << 20);
  direction.connect(path(2e6, 0.04, 3));
  const std::size_t silent = direction.connect(path(2e6, 0.04, 4));
  direction.at(1, [&] { direction.stall(silent); });
  EXPECT_LT(direction.run(), before + 1);
  EXPECT_EQ(direction.read_bytes(), 20U << 20);
}

TEST(RecordPlanTest, KillingAnyConnectionAtAnyMomentLosesNothing) {
  // Goal: 1,000 plans of two to eight connections, of which any but one are killed at any moment
  // and may be replaced: all bytes arrive, and none is sent again that need not be.
  auto rng = testkit::seeded_rng();
  for (int plan = 0; plan < 1'000; ++plan) {
    const std::uint64_t bytes = testkit::any_size(rng, 3 << 20);
    Direction direction(bytes);
    const std::size_t count = 2 + up_to(rng, 6);
    const auto any_path = [&rng] {
      return path(1e5 + static_cast<double>(up_to(rng, 5'000'000)),
                  1e-3 * static_cast<double>(up_to(rng, 100)), rng());
    };
    for (std::size_t i = 0; i < count; ++i) direction.connect(any_path());
    const std::size_t kills = 1 + up_to(rng, 2 * count);
    for (std::size_t i = 0; i < kills; ++i) {
      const double when = 1e-4 * static_cast<double>(testkit::any_size(rng, 20'000));
      direction.at(when, [&] {
        if (direction.connections() > 1) direction.kill(direction.any_connection(rng));
        if (up_to(rng, 1) == 0) direction.connect(any_path());
      });
    }
    ASSERT_LT(direction.run(), 120) << "plan " << plan;
    ASSERT_EQ(direction.read_bytes(), bytes) << "plan " << plan;
    ASSERT_TRUE(direction.at_end()) << "plan " << plan;
  }
}

TEST(RecordPlanTest, WhatIsKeptIsBounded) {
  // Goal: no more is taken than can be sent again, nor more than the other side lets come.
  RecordPlan plan(1 << 20, 256 << 10);
  plan.add(1);
  const auto send_all = [&] {
    std::uint64_t sent = 0;
    while (true) {
      while (const auto record = plan.next(1, 0)) sent = record->end;
      if (plan.room() == 0) return sent;
      plan.give(plan.room());
    }
  };
  EXPECT_EQ(send_all(), 256U << 10);
  plan.hear(0, 64 << 20);
  EXPECT_EQ(send_all(), 1U << 20);
  plan.hear(1, 64 << 20);
  EXPECT_EQ(plan.room(), 1U);
}

TEST(RecordPlanTest, WhatWasNeverSentHasNotArrived) {
  // Goal: a peer that has more than there is breaks the protocol.
  RecordPlan plan(1 << 20, 1 << 20);
  plan.add(1);
  plan.give(1'000);
  ASSERT_TRUE(plan.next(1, 0));
  plan.hear(1'000, 1 << 20);
  expect_corrupt("not sent", [&] { plan.hear(1'001, 1 << 20); });
}

TEST(RecordPlanTest, WhatWentWithoutRecordsComesInThemOnceThatIsLost) {
  // Goal: of what one connection carried as it is, all that is not known to have arrived is sent
  // again, the end included, if all of it is kept and the other side takes it.
  constexpr std::uint64_t kKept = 1 << 20;
  for (const bool ends : {false, true}) {
    RecordPlan plan(kKept, 2 * kKept);
    EXPECT_TRUE(plan.can_send_again(kKept));
    plan.give_sent(kKept);
    EXPECT_TRUE(plan.can_send_again(0));
    EXPECT_FALSE(plan.can_send_again(1));
    EXPECT_EQ(plan.unassigned(), 0U);
    plan.hear(300'000, 300'000 + kKept / 2);
    EXPECT_TRUE(plan.has_room_to_keep(300'000));
    EXPECT_FALSE(plan.has_room_to_keep(300'001));
    if (ends) plan.finish_sent();
    plan.lose_sent();
    plan.lose_sent();
    EXPECT_EQ(plan.unassigned(), kKept - 300'000 + (ends ? 1 : 0));
    plan.add(1);
    std::uint64_t place = 300'000;
    bool has_ended = false;
    while (const auto record = plan.next(1, 0)) {
      EXPECT_EQ(record->begin, place);
      place = record->end;
      has_ended = record->is_end;
    }
    EXPECT_EQ(place, kKept + (ends ? 1 : 0));
    EXPECT_EQ(has_ended, ends);
    plan.hear(place, 2 * kKept);
    EXPECT_EQ(plan.all_arrived(), ends);
  }
}

TEST(RecordPlanTest, WhatCameBeforeIsNotKept) {
  // Goal: a side that begins to keep what it says in the middle keeps what it says from then on.
  RecordPlan plan(1'000, 0);
  plan.begin_at(5'000);
  plan.hear(5'000, 6'000);
  EXPECT_TRUE(plan.can_send_again(1'000));
  EXPECT_FALSE(plan.can_send_again(1'001));
  plan.give_sent(400);
  plan.lose_sent();
  plan.add(1);
  EXPECT_EQ(plan.next(1, 0), (RecordPlan::Record{.begin = 5'000, .end = 5'400}));
}

TEST(ReassemblyTest, RecordsOutOfBoundsBreakTheProtocol) {
  // Goal: neither beyond the window, nor beyond the end, nor two ends, nor an end within the data.
  Reassembly in(1'000);
  expect_corrupt("beyond", [&] { in.expect(1'001); });
  in.expect(1'000);
  in.put(500, 600);
  expect_corrupt("two ends", [&] { in.put_end(599); });
  in.put_end(700);
  expect_corrupt("two ends", [&] { in.put_end(701); });
  expect_corrupt("end", [&] { in.expect(701); });
  EXPECT_EQ(in.arrived(), 0U);
  in.put(0, 500);
  EXPECT_EQ(in.readable(), 600U);
  in.read(600);
  EXPECT_EQ(in.limit(), 1'600U);
  EXPECT_FALSE(in.at_end());
  in.put(600, 700);
  EXPECT_EQ(in.arrived(), 701U);
  in.read(100);
  EXPECT_TRUE(in.at_end());
}

TEST(ReassemblyTest, GapsAreCounted) {
  // Goal: a peer that sends each second byte alone cannot make this side remember all gaps.
  Reassembly in(1 << 20);
  expect_corrupt("gaps", [&] {
    for (std::uint64_t place = 1; place < 1 << 20; place += 2) in.put(place, place + 1);
  });
}

}  // namespace
}  // namespace adoc
