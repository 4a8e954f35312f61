// A transfer over several connections of which some are killed, at any moment and from either end.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <map>
#include <thread>
#include <vector>

#include "adoc/send.hpp"
#include "support/patience.hpp"
#include "support/running_receiver.hpp"
#include "support/seed.hpp"
#include "util/clock.hpp"
#include "util/fd.hpp"

namespace adoc::testkit {
namespace {

/// So many plans are tried; ADOC_TEST_KILLS says another number.
constexpr std::size_t kPlans = 40;

struct Kill {
  std::uint64_t after_us = 0;  ///< since the transfer began
  std::uint64_t which = 0;     ///< of the ends of connections that are there
  bool resets = false;         ///< else the end is as one of a program that is over
};

struct Plan {
  std::size_t streams = 2;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_per_second = 0;
  std::vector<Kill> kills{};
};

Plan make_plan(Rng& rng) {
  Plan plan{.streams = 2 + up_to(rng, 4), .bytes = (64 << 10) + up_to(rng, 1 << 20)};
  const std::uint64_t takes_us = 40'000 + up_to(rng, 160'000);
  plan.bytes_per_second = plan.bytes * 1'000'000 / takes_us;
  for (std::uint64_t kills = 1 + up_to(rng, 5); kills > 0; --kills)
    plan.kills.push_back({.after_us = up_to(rng, takes_us + takes_us / 4),
                          .which = rng(),
                          .resets = up_to(rng, 1) == 1});
  std::ranges::sort(plan.kills, {}, &Kill::after_us);
  return plan;
}

std::uint16_t port_of(int socket, int (*name_of)(int, sockaddr*, socklen_t*)) {
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  const bool is_there = name_of(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
                        address.sin_family == AF_INET;
  return is_there ? ntohs(address.sin_port) : std::uint16_t{0};
}

/// Both ends of all connections of this process to this port; each one its own descriptor, since
/// the other may be closed at any moment.
std::vector<Fd> open_ends(std::uint16_t port) {
  std::vector<Fd> ends;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    Fd end(::fcntl(std::atoi(entry.path().filename().c_str()), F_DUPFD_CLOEXEC, 0));
    tcp_info info{};
    socklen_t length = sizeof(info);
    if (!end || ::getsockopt(end.get(), IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        info.tcpi_state != TCP_ESTABLISHED)
      continue;
    if (port_of(end.get(), &::getsockname) == port || port_of(end.get(), &::getpeername) == port)
      ends.push_back(std::move(end));
  }
  return ends;
}

/// Whether there was one.
bool kill_one(std::uint16_t port, const Kill& kill) {
  const std::vector<Fd> ends = open_ends(port);
  if (ends.empty()) return false;
  const int end = ends[kill.which % ends.size()].get();
  if (!kill.resets) {
    ::shutdown(end, SHUT_RDWR);
    return true;
  }
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  ::connect(end, &nobody, sizeof(nobody));
  return true;
}

struct Watch final : Observer {
  void on_connections(std::size_t) override { is_safe = true; }
  std::atomic<bool> is_safe = false;
};

struct Came {
  std::optional<ErrorKind> failure{};
  std::string text{};
  Statistics statistics{};
  bool killed_before_safe = false;
  std::size_t kills = 0;  ///< that found a connection
  double seconds = 0;
};

class KilledConnectionTest : public testing::Test {
 protected:
  [[nodiscard]] Came carry_out(const Plan& plan, const std::string& path) {
    constexpr std::chrono::seconds kRetryFor{60};
    const std::uint16_t port = receiver_.port();
    SendOptions options;
    options.paths = {path};
    options.peer = {"127.0.0.1", port};
    options.insecure = true;
    options.streams = plan.streams;
    options.bandwidth_limit = std::max(plan.bytes_per_second, kMinBandwidthLimit);
    options.wait_for = options.retry_for = kRetryFor;
    Watch watch;
    Sender sender(std::move(options), &watch);
    Came came;
    const Clock::time_point begin = Clock::now();
    auto ended = std::async(std::launch::async, [&] {
      try {
        came.statistics = sender.run();
      } catch (const Error& error) {
        came.failure = error.kind();
        came.text = error.what();
      }
    });
    for (const Kill& kill : plan.kills) {
      if (ended.wait_until(begin + std::chrono::microseconds(kill.after_us)) ==
          std::future_status::ready)
        break;
      came.killed_before_safe = came.killed_before_safe || !watch.is_safe;
      if (kill_one(port, kill)) ++came.kills;
    }
    if (ended.wait_for(kRetryFor + testkit::kPatience) != std::future_status::ready) {
      ADD_FAILURE() << "the sender hangs";
      std::abort();  // its thread cannot be ended otherwise
    }
    came.seconds = seconds_since(begin);
    return came;
  }

  TemporaryDirectory source_;
  RunningReceiver receiver_;
};

TEST_F(KilledConnectionTest, NothingIsLostWhicheverDiesWhenever) {
  // Goal: all arrives as it was sent; and it is not begun anew, unless one died before all of them
  // had records.
  const char* given = std::getenv("ADOC_TEST_KILLS");
  const std::size_t plans = given != nullptr ? std::strtoul(given, nullptr, 10) : kPlans;
  Rng rng = seeded_rng();
  struct Cost {
    std::size_t plans = 0;
    double most_seconds = 0;  ///< longer than the rate allows
  };
  std::map<std::size_t, Cost> costs;  // by the number of kills
  std::size_t begun_anew = 0;
  for (std::size_t i = 0; i < plans; ++i) {
    const Plan plan = make_plan(rng);
    const std::string name = "file-" + std::to_string(i);
    std::string contents(plan.bytes, '\0');
    for (char& byte : contents) byte = static_cast<char>(rng());
    const std::string path = source_.write(name, contents);
    const Came came = carry_out(plan, path);
    SCOPED_TRACE("plan " + std::to_string(i));
    ASSERT_FALSE(came.failure.has_value()) << came.text;
    EXPECT_EQ(came.statistics.committed, 1U);
    if (!came.killed_before_safe) {
      EXPECT_EQ(came.statistics.retries, 0U);
    }
    ASSERT_EQ(read_file(receiver_.out() / name), contents);
    const double planned =
        static_cast<double>(plan.bytes) / static_cast<double>(plan.bytes_per_second);
    Cost& cost = costs[came.kills];
    ++cost.plans;
    cost.most_seconds = std::max(cost.most_seconds, came.seconds - planned);
    if (came.statistics.retries != 0) ++begun_anew;
    std::filesystem::remove(path);
    std::filesystem::remove(receiver_.out() / name);
  }
  std::cout << plans << " plans, " << begun_anew << " begun anew\n";
  for (const auto& [kills, cost] : costs)
    std::cout << kills << " kills: " << cost.plans << " plans, at most " << cost.most_seconds
              << " s longer than the rate allows\n";
}

}  // namespace
}  // namespace adoc::testkit
