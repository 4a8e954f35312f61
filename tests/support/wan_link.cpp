// A path between two network namespaces with a rate, a round trip, loss and a queue of its own, for
// kernels that have no netem: packets leave one namespace through a TUN device, have the fate that
// PathModel says, and enter the other through another one. Both ways are alike.
//
//   wan_link NETNS NETNS RATE:RTT:LOSS[:QUEUE][:POLICED/BURST] [--reorder CHANCE:TIME]
//            [--step SECONDS:RATE]... [--seed N]
//
// 100mbit:80ms:0.1% is 100 Mbit/s with a round trip of 80 ms; each way loses one packet in 1,000.
// QUEUE is what may wait at the bottleneck, as a time at the first rate; one round trip without it,
// and no less than 10 ms. POLICED/BURST is a policer in front of that: 100mbit/128kB drops what is
// more than 128,000 bytes ahead of 100 Mbit/s, and has no queue. From SECONDS after the first
// packet the rate is another one. In each namespace the device is link0; addresses are the
// caller's. Prints "ready" when both are there, and on SIGTERM or SIGINT what became of the
// packets. Needs root.

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/path_model.hpp"
#include "util/fd.hpp"

namespace adoc {
namespace {

using testkit::PathModel;
using testkit::PathSetup;

constexpr std::size_t kMostPacketBytes = 65'536;
constexpr double kPacketBytes = 1500;  ///< as devices have them
constexpr double kLeastQueueSeconds = 10e-3;
/// That many packets of one end are taken before the other has its turn.
constexpr int kTurn = 64;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// "80ms" with the units {"ms", 1e-3}, ...: a number and one of the units behind it.
struct Unit {
  std::string_view name;
  double factor;
};
double value(const std::string& words, std::initializer_list<Unit> units) {
  std::size_t end = 0;
  double number = -1;
  try {
    number = std::stod(words, &end);
  } catch (const std::logic_error&) {
    // The message below is for that, too.
  }
  for (const Unit& unit : units)
    if (number >= 0 && words.substr(end) == unit.name) return number * unit.factor;
  throw std::invalid_argument(words + " is not understood");
}
double bytes_per_second(const std::string& words) {
  return value(words, {{"kbit", 125}, {"mbit", 125e3}, {"gbit", 125e6}});
}
double seconds(const std::string& words) {
  return value(words, {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}});
}
double bytes(const std::string& words) {
  return value(words, {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}});
}
double chance(const std::string& words) { return value(words, {{"%", 0.01}}); }

std::vector<std::string> fields(const std::string& words, char between = ':') {
  std::vector<std::string> found(1);
  for (const char c : words) {
    if (c == between)
      found.emplace_back();
    else
      found.back() += c;
  }
  return found;
}

struct Options {
  std::array<std::string, 2> namespaces{};
  PathSetup path{};
};

testkit::Policer policer_of(const std::string& words) {
  const auto parts = fields(words, '/');
  const testkit::Policer policer{.bytes_per_second = bytes_per_second(parts.at(0)),
                                 .burst_bytes = bytes(parts.at(1))};
  if (parts.size() != 2 || policer.burst_bytes < kPacketBytes)
    throw std::invalid_argument(words + " is not POLICED/BURST, with a packet's bytes or more");
  return policer;
}

PathSetup path_of(const std::string& words) {
  auto parts = fields(words);
  std::optional<testkit::Policer> policer;
  if (parts.size() > 3 && parts.back().find('/') != std::string::npos) {
    policer = policer_of(parts.back());
    parts.pop_back();
  }
  if (parts.size() != 3 && parts.size() != 4)
    throw std::invalid_argument(words + " is not RATE:RTT:LOSS[:QUEUE][:POLICED/BURST]");
  const double rate = bytes_per_second(parts[0]);
  const double round_trip = seconds(parts[1]);
  const double queue =
      parts.size() == 4 ? seconds(parts[3]) : std::max(round_trip, kLeastQueueSeconds);
  return {.rate = {{0, rate}},
          .delay_seconds = round_trip / 2,
          // One packet has to fit into any queue.
          .queue_bytes = std::max(rate * queue, 2 * kPacketBytes),
          .policer = policer,
          .loss = chance(parts[2])};
}

Options options_of(std::vector<std::string> words) {
  Options options;
  std::vector<std::string> operands;
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      operands.push_back(words[i]);
    } else if (i + 1 < words.size()) {
      values.emplace_back(words[i], words[i + 1]);
      ++i;
    } else {
      throw std::invalid_argument(words[i] + " needs a value");
    }
  }
  if (operands.size() != 3) throw std::invalid_argument("two namespaces and a path are needed");
  options.namespaces = {operands[0], operands[1]};
  options.path = path_of(operands[2]);
  for (const auto& [name, words_of] : values) {
    const auto parts = fields(words_of);
    if (name == "--seed") {
      options.path.seed = std::stoull(words_of);
    } else if (name == "--reorder" && parts.size() == 2) {
      options.path.reordering = chance(parts[0]);
      options.path.reordering_seconds = seconds(parts[1]);
    } else if (name == "--step" && parts.size() == 2) {
      options.path.rate.push_back({std::stod(parts[0]), bytes_per_second(parts[1])});
    } else {
      throw std::invalid_argument(name + " " + words_of + " is not understood");
    }
  }
  return options;
}

Fd open_tun(const std::string& name) {
  const Fd there(::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!there || ::setns(there.get(), CLONE_NEWNET) != 0) fail("enter " + name);
  Fd tun(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!tun) fail("open /dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "link0", IFNAMSIZ - 1);
  if (::ioctl(tun.get(), TUNSETIFF, &request) != 0) fail("make link0 in " + name);
  return tun;
}

/// One direction: from the device that is read to the one that is written to.
class Way {
 public:
  Way(int in, int out, const PathSetup& setup) : in_(in), out_(out), model_(setup) {}

  [[nodiscard]] int in() const noexcept { return in_; }
  [[nodiscard]] double next_arrival() const noexcept {
    return packets_.empty() ? std::numeric_limits<double>::infinity() : packets_.top().arrival;
  }

  /// Whether there may be more.
  bool take(double now) {
    for (int i = 0; i < kTurn; ++i) {
      const ssize_t bytes = ::read(in_, buffer_.data(), buffer_.size());
      if (bytes <= 0) return false;
      const auto arrival = model_.pass(now, static_cast<std::size_t>(bytes));
      if (arrival) packets_.push({*arrival, number_++, {buffer_.data(), buffer_.data() + bytes}});
    }
    return true;
  }

  void deliver(double now) {
    for (; next_arrival() <= now; packets_.pop()) {
      const std::vector<char>& bytes = packets_.top().bytes;
      // A device that is down takes nothing, as a cable that was pulled out.
      static_cast<void>(::write(out_, bytes.data(), bytes.size()) < 0);
    }
  }

  void report(const char* name) const {
    std::printf("%s: %llu passed, %llu lost, %llu dropped by a full queue, %llu by the policer\n",
                name, static_cast<unsigned long long>(model_.passed()),
                static_cast<unsigned long long>(model_.lost()),
                static_cast<unsigned long long>(model_.dropped()),
                static_cast<unsigned long long>(model_.policed()));
  }

 private:
  struct Packet {
    double arrival = 0;
    std::uint64_t number = 0;
    std::vector<char> bytes{};

    bool operator<(const Packet& other) const noexcept {
      return arrival != other.arrival ? arrival > other.arrival : number > other.number;
    }
  };

  int in_;
  int out_;
  PathModel model_;
  std::uint64_t number_ = 0;
  std::priority_queue<Packet> packets_;
  std::vector<char> buffer_ = std::vector<char>(kMostPacketBytes);
};

volatile sig_atomic_t stopped = 0;

void run(const Options& options) {
  const Fd one = open_tun(options.namespaces[0]);
  const Fd other = open_tun(options.namespaces[1]);
  PathSetup back = options.path;
  back.seed += 1'000'003;
  std::array<Way, 2> ways{Way(one.get(), other.get(), options.path),
                          Way(other.get(), one.get(), back)};
  // A delay is not to be 50 us longer.
  ::prctl(PR_SET_TIMERSLACK, 1);
  struct sigaction action {};
  action.sa_handler = [](int) { stopped = 1; };
  sigset_t signals;
  sigset_t none;
  sigemptyset(&none);
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT}) {
    sigaddset(&signals, signal);
    ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::puts("ready");
  std::fflush(stdout);

  const auto begin = std::chrono::steady_clock::now();
  const auto now = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (bool more = false; stopped == 0;) {
    std::array<pollfd, 2> events{pollfd{ways[0].in(), POLLIN, 0}, pollfd{ways[1].in(), POLLIN, 0}};
    const double next = std::min(ways[0].next_arrival(), ways[1].next_arrival());
    const double wait = more ? 0 : std::clamp(next - now(), 0.0, 1.0);
    const timespec limit{0, static_cast<long>(std::min(wait, 0.999) * 1e9)};
    if (::ppoll(events.data(), events.size(), &limit, &none) < 0 && errno != EINTR) fail("poll");
    more = false;
    for (Way& way : ways) {
      more = way.take(now()) || more;
      way.deliver(now());
    }
  }
  ways[0].report("there");
  ways[1].report("back");
}

}  // namespace
}  // namespace adoc

int main(int argc, char** argv) {
  try {
    adoc::run(adoc::options_of({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "wan_link: %s\nusage: wan_link NETNS NETNS RATE:RTT:LOSS[:QUEUE][:POLICED/BURST] "
                 "[--reorder CHANCE:TIME] [--step SECONDS:RATE]... [--seed N]\n",
                 error.what());
    return 2;
  }
}
