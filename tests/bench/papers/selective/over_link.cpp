// Niwa 2022's three methods with messages of the C library in the place of packets, as a Markdown
// table; over_link.sh makes the link and starts both nodes.

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "adoc/adoc.h"
#include "bench/papers/files.hpp"
#include "bench/papers/program.hpp"
#include "bench/papers/selective/messages.hpp"
#include "codec/codec.hpp"
#include "codec/ladder.hpp"

namespace papers {
namespace {

constexpr const char* kUsage =
    "usage: paper_selective_link serve PORT DATA\n"
    "       paper_selective_link ask ADDRESS PORT DATA LINK_BITS_PER_S FLIT_BYTES SECONDS LOAD...\n"
    "DATA: integers of 32 bits; LOAD: shares of the link that each node offers to the other\n";

constexpr adoc::Rung kRung{adoc::CodecId::zstd, 1};
constexpr std::uint32_t kLeastFlits = 10;
constexpr std::uint32_t kMostFlits = 200;
/// Of a run, that is not measured.
constexpr std::uint64_t kWarmUpShare = 5;
/// After which a node sends no more of what was due: the link is saturated.
constexpr std::uint64_t kDrainNs = 1'000'000'000;
/// As the simulator has it.
constexpr std::uint64_t kWindowOverheads = 10;
/// So few of its bytes wait in the system that others wait where they are counted.
constexpr int kSendBufferBytes = 8 << 10;

using Bytes = std::vector<std::byte>;

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + adoc_strerror(errno));
}

// One clock for both nodes.
std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void sleep_until(std::uint64_t at_ns) {
  std::this_thread::sleep_until(
      std::chrono::steady_clock::time_point(std::chrono::nanoseconds(at_ns)));
}

int compressing_level() {
  const adoc::Ladder ladder = adoc::Ladder::of(adoc::LadderKind::automatic);
  for (int level = 1; level <= ladder.top(); ++level)
    if (ladder[level] == kRung) return level;
  throw std::logic_error("the ladder has no zstd 1");
}

/// What both nodes know of one run.
struct Terms {
  std::uint64_t begin_ns = 0;
  MessageTraffic traffic{};
  Method method = Method::never;
  double long_from = 0;
  std::uint64_t window_ns = 0;
};

/// At the beginning of each message; the rest is integers.
struct Stamp {
  std::uint64_t due_ns = 0;
  std::uint32_t bytes = 0;
  std::uint32_t measured = 0;
};

struct Seen {
  double accepted = 0;  ///< bytes a second, before compression
  double mean_us = 0;
  double median_us = 0;
  double compressed = 0;  ///< share of what this node sent
  bool all_sent = true;
};

void write_all(int fd, std::span<const std::byte> bytes, int level) {
  while (!bytes.empty()) {
    const ssize_t some = adoc_write_levels(fd, bytes.data(), bytes.size(), nullptr, level, level);
    if (some < 0) fail("adoc_write");
    bytes = bytes.subspan(static_cast<std::size_t>(some));
  }
}

/// False at the end of the stream.
bool read_all(int fd, std::span<std::byte> bytes) {
  bool first = true;
  while (!bytes.empty()) {
    const ssize_t some = adoc_read(fd, bytes.data(), bytes.size());
    if (some < 0) fail("adoc_read");
    if (some == 0 && first) return false;
    if (some == 0) throw std::runtime_error("a message is cut");
    first = false;
    bytes = bytes.subspan(static_cast<std::size_t>(some));
  }
  return true;
}

/// One node in one run: a thread that sends, and one that receives.
class Node {
 public:
  Node(int fd, const Terms& terms, std::span<const std::byte> data)
      : fd_(fd), terms_(terms), data_(data), lately_(terms.window_ns) {}

  Seen run() {
    std::exception_ptr failure;
    {
      const std::jthread sender([&] {
        try {
          send();
        } catch (...) {
          failure = std::current_exception();
          ::shutdown(fd_, SHUT_RDWR);
        }
      });
      try {
        receive();
      } catch (...) {
        ::shutdown(fd_, SHUT_RDWR);
        throw;
      }
    }
    if (failure) std::rethrow_exception(failure);
    std::ranges::sort(latencies_us_);
    if (latencies_us_.empty()) throw std::runtime_error("no message came");
    double sum = 0;
    for (const double one : latencies_us_) sum += one;
    seen_.mean_us = sum / static_cast<double>(latencies_us_.size());
    seen_.median_us = latencies_us_[latencies_us_.size() / 2];
    const std::uint64_t warm = terms_.traffic.length_ns / kWarmUpShare;
    seen_.accepted = static_cast<double>(accepted_bytes_) /
                     (static_cast<double>(terms_.traffic.length_ns - warm) * 1e-9);
    return seen_;
  }

 private:
  void send() {
    ::prctl(PR_SET_TIMERSLACK, 1UL);
    const std::vector<Message> messages = make_messages(terms_.traffic);
    const int level = compressing_level();
    const std::uint64_t warm = terms_.traffic.length_ns / kWarmUpShare;
    Bytes message(terms_.traffic.most_bytes);
    std::size_t at = 0;
    std::size_t measured = 0;
    std::size_t compressed = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& [due, bytes] = messages[i];
      const Stamp stamp{
          .due_ns = terms_.begin_ns + due, .bytes = bytes, .measured = due >= warm ? 1U : 0U};
      // As if it had been there before it was due.
      at = at + bytes > data_.size() ? 0 : at;
      std::memcpy(message.data(), data_.data() + at, bytes);
      std::memcpy(message.data(), &stamp, sizeof stamp);
      at += bytes / 4 * 4;
      sleep_until(stamp.due_ns);
      const std::uint64_t now = now_ns();
      if (now > terms_.begin_ns + terms_.traffic.length_ns + kDrainNs) {
        seen_.all_sent = false;
        break;
      }
      const InterfaceState state{
          .received = received(now),
          .queued = due_behind(messages, i + 1, now - terms_.begin_ns) + (keeps_some() ? 1 : 0)};
      const bool compress = compresses(terms_.method, bytes, state, terms_.long_from);
      write_all(fd_, std::span(message).first(bytes), compress ? level : 0);
      measured += stamp.measured;
      compressed += compress && stamp.measured != 0 ? 1 : 0;
    }
    if (measured > 0)
      seen_.compressed = static_cast<double>(compressed) / static_cast<double>(measured);
    if (adoc_flush(fd_) != 0 || ::shutdown(fd_, SHUT_WR) != 0) fail("the end of a run");
  }

  // What the other end has not acknowledged: the link has it still, or waits for it.
  [[nodiscard]] bool keeps_some() const {
    int bytes = 0;
    if (::ioctl(fd_, SIOCOUTQ, &bytes) != 0) fail("SIOCOUTQ");
    return bytes > 0;
  }

  [[nodiscard]] double received(std::uint64_t now) {
    const std::scoped_lock lock(mutex_);
    return lately_.bytes(now);
  }

  void receive() {
    Bytes message(terms_.traffic.most_bytes);
    const std::uint64_t warm = terms_.traffic.length_ns / kWarmUpShare;
    const std::uint64_t from = terms_.begin_ns + warm;
    const std::uint64_t to = terms_.begin_ns + terms_.traffic.length_ns;
    Stamp stamp;
    while (read_all(fd_, std::as_writable_bytes(std::span(&stamp, 1)))) {
      if (stamp.bytes < sizeof stamp || stamp.bytes > message.size())
        throw std::runtime_error("a message has a length that none has");
      if (!read_all(fd_, std::span(message).first(stamp.bytes - sizeof stamp)))
        throw std::runtime_error("a message is cut");
      // Acknowledgments are late otherwise, and look like what waits for the link.
      const int on = 1;
      ::setsockopt(fd_, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
      const std::uint64_t now = now_ns();
      if (stamp.measured != 0)
        latencies_us_.push_back(static_cast<double>(now - stamp.due_ns) * 1e-3);
      if (now >= from && now < to) accepted_bytes_ += stamp.bytes;
      const std::scoped_lock lock(mutex_);
      lately_.came(now, stamp.bytes);
    }
  }

  int fd_;
  const Terms& terms_;
  std::span<const std::byte> data_;
  std::mutex mutex_;
  ReceivedLately lately_;  ///< whoever holds the mutex
  std::vector<double> latencies_us_{};
  std::uint64_t accepted_bytes_ = 0;
  Seen seen_{};
};

/// Of compressing and decompressing messages of these lengths.
struct Measured {
  double overhead_seconds = 0;  ///< D: the median
  double ratio = 0;             ///< C
};

Measured measure(std::span<const std::byte> data, const MessageTraffic& lengths) {
  const auto compressor = adoc::make_compressor(kRung.codec);
  const auto decompressor = adoc::make_decompressor(kRung.codec);
  std::vector<double> seconds;
  Bytes stored(2 * lengths.most_bytes + 1024);
  Bytes back(lengths.most_bytes);
  std::size_t at = 0;
  std::size_t raw = 0;
  std::size_t made = 0;
  for (const Message& one : make_messages(lengths)) {
    if (at + one.bytes > data.size()) at = 0;
    const auto before = now_ns();
    compressor->begin(data.subspan(at, one.bytes), kRung.setting);
    const std::size_t length = compressor->next_packet(stored);
    decompressor->decompress(std::span(stored).first(length), std::span(back).first(one.bytes));
    seconds.push_back(static_cast<double>(now_ns() - before) * 1e-9);
    raw += one.bytes;
    made += std::min<std::size_t>(length, one.bytes);
    at += one.bytes / 4 * 4;
  }
  if (seconds.empty()) throw std::logic_error("nothing was measured");
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<long>(seconds.size() / 2));
  return {.overhead_seconds = seconds[seconds.size() / 2],
          .ratio = static_cast<double>(raw) / static_cast<double>(made)};
}

sockaddr_in address_of(const std::string& address, const std::string& port) {
  sockaddr_in found{};
  found.sin_family = AF_INET;
  found.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  if (::inet_pton(AF_INET, address.c_str(), &found.sin_addr) != 1) fail(address.c_str());
  return found;
}

void set_up(int fd) {
  const int on = 1;
  const int bytes = kSendBufferBytes;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

int serve(const std::string& port, const Bytes& data) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in address = address_of("0.0.0.0", port);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 1) != 0)
    fail("listen");
  for (;;) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd < 0) fail("accept");
    set_up(fd);
    Terms terms;
    if (::recv(fd, &terms, sizeof terms, MSG_WAITALL) != sizeof terms) fail("the terms");
    ++terms.traffic.seed;
    static_cast<void>(Node(fd, terms, data).run());
    adoc_close(fd);
  }
}

Seen ask_once(const sockaddr_in& address, Terms terms, const Bytes& data) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  set_up(fd);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("connect");
  terms.begin_ns = now_ns() + 100'000'000;
  if (::write(fd, &terms, sizeof terms) != sizeof terms) fail("the terms");
  const Seen seen = Node(fd, terms, data).run();
  adoc_close(fd);
  return seen;
}

int ask(const std::vector<std::string>& words, const Bytes& data) {
  const sockaddr_in address = address_of(words[1], words[2]);
  const double link = std::stod(words[4]) / 8;
  const auto flit = static_cast<std::uint32_t>(std::stoul(words[5]));
  if (flit < 2 || data.size() < std::size_t{kMostFlits} * flit)
    throw std::invalid_argument("flits of fewer than 2 bytes, or too little data");
  Terms terms{.traffic = {.bytes_per_second = link,
                          .least_bytes = kLeastFlits * flit,
                          .most_bytes = kMostFlits * flit,
                          .length_ns = static_cast<std::uint64_t>(std::stod(words[6]) * 1e9)}};
  const Measured measured = measure(data, terms.traffic);
  terms.long_from = long_packet(measured.overhead_seconds, link, measured.ratio);
  terms.window_ns = static_cast<std::uint64_t>(kWindowOverheads * measured.overhead_seconds * 1e9);
  std::printf(
      "Measured: D %.1f us, C %.2f; L_th %.0f bytes; messages of %u to %u bytes, for %s s each.\n"
      "Bytes before compression, as a share of what the link takes in one direction; latency in "
      "us, mean and median (+: saturated, not all was sent).\n\n"
      "| offered | never: accepted | latency | always: accepted | latency | selective: accepted | "
      "latency | compressed |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      measured.overhead_seconds * 1e6, measured.ratio, terms.long_from, terms.traffic.least_bytes,
      terms.traffic.most_bytes, words[6].c_str());
  for (std::size_t i = 7; i < words.size(); ++i) {
    const double load = std::stod(words[i]);
    if (!(load > 0)) throw std::invalid_argument("a load is a share above 0");
    terms.traffic.bytes_per_second = load * link;
    terms.traffic.seed = 2 * i;
    std::printf("| %.2f |", load);
    for (const Method method : {Method::never, Method::always, Method::selective}) {
      terms.method = method;
      const Seen seen = ask_once(address, terms, data);
      std::printf(" %.2f | %.0f, %.0f%s |", seen.accepted / link, seen.mean_us, seen.median_us,
                  seen.all_sent ? "" : "+");
      if (method == Method::selective) std::printf(" %.0f %% |\n", seen.compressed * 100);
      std::fflush(stdout);
    }
  }
  return EXIT_SUCCESS;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "serve") return serve(words[1], read_file(words[2]));
  if (words.size() < 8 || words[0] != "ask") throw std::invalid_argument(kUsage);
  return ask(words, read_file(words[3]));
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  return papers::main_of("paper_selective_link", argc, argv, papers::run);
}
