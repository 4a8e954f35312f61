// One end of tests/bench/messages:
//
//   message_round_trips serve PORT
//   message_round_trips ask ADDRESS PORT DATA SIZE ROUNDS SECONDS MODE...
//
// A round is a message of SIZE bytes of the file DATA and its echo for SIZE up to 64 KiB, and else
// a message and an answer of one byte. Each MODE, plain, adoc or gzip, has a connection; they take
// turns, message by message, ROUNDS times or for SECONDS, and the median of each is printed:
//
//   SIZE MODE ROUNDS MEDIAN_US RAW_BYTES_PER_SECOND

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adoc/adoc.h"

namespace {

constexpr std::size_t kMostEchoed = 64 << 10;

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "message_round_trips: %s: %s\n", what, adoc_strerror(errno));
  std::exit(1);
}

void all(ssize_t (*call)(int, char*, std::size_t), int fd, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t some = call(fd, bytes, count);
    if (some <= 0) die("a connection");
    bytes += some;
    count -= static_cast<std::size_t>(some);
  }
}

/// One way of sending messages.
class Mode {
 public:
  virtual ~Mode() = default;
  virtual void send(int fd, char* bytes, std::size_t count) = 0;
  virtual void receive(int fd, char* bytes, std::size_t count) = 0;
};

class Plain final : public Mode {
  void send(int fd, char* bytes, std::size_t count) override {
    all([](int to, char* from, std::size_t n) { return ::write(to, from, n); }, fd, bytes, count);
  }
  void receive(int fd, char* bytes, std::size_t count) override {
    all([](int from, char* to, std::size_t n) { return ::read(from, to, n); }, fd, bytes, count);
  }
};

class Adoc final : public Mode {
  void send(int fd, char* bytes, std::size_t count) override {
    all([](int to, char* from, std::size_t n) { return adoc_write(to, from, n, nullptr); }, fd,
        bytes, count);
  }
  void receive(int fd, char* bytes, std::size_t count) override {
    all([](int from, char* to, std::size_t n) { return adoc_read(from, to, n); }, fd, bytes, count);
  }
};

/// Every message compressed as gRPC does with compression on: all of it, before any of it leaves.
class Gzip final : public Mode {
  void send(int fd, char* bytes, std::size_t count) override {
    uLongf stored = compressBound(count);
    packed_.resize(4 + stored);
    if (compress2(reinterpret_cast<Bytef*>(packed_.data() + 4), &stored,
                  reinterpret_cast<const Bytef*>(bytes), count, Z_DEFAULT_COMPRESSION) != Z_OK)
      die("compress2");
    const auto length = static_cast<std::uint32_t>(stored);
    std::memcpy(packed_.data(), &length, 4);
    plain_->send(fd, packed_.data(), 4 + stored);
  }
  void receive(int fd, char* bytes, std::size_t count) override {
    std::uint32_t length = 0;
    plain_->receive(fd, reinterpret_cast<char*>(&length), 4);
    packed_.resize(length);
    plain_->receive(fd, packed_.data(), length);
    uLongf raw = count;
    if (uncompress(reinterpret_cast<Bytef*>(bytes), &raw,
                   reinterpret_cast<const Bytef*>(packed_.data()), length) != Z_OK)
      die("uncompress");
  }

  std::unique_ptr<Mode> plain_ = std::make_unique<Plain>();
  std::vector<char> packed_;
};

std::unique_ptr<Mode> mode_of(char letter) {
  if (letter == 'p') return std::make_unique<Plain>();
  if (letter == 'a') return std::make_unique<Adoc>();
  return std::make_unique<Gzip>();
}

void send_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// What a connection begins with: the mode's letter and the length of its messages.
struct Greeting {
  std::uint64_t bytes = 0;
  char mode = 0;
};

void serve_one(int fd) {
  send_at_once(fd);
  Greeting greeting;
  if (::recv(fd, &greeting, sizeof greeting, MSG_WAITALL) != sizeof greeting) die("greeting");
  const auto mode = mode_of(greeting.mode);
  std::vector<char> message(greeting.bytes);
  char more = 0;
  // A message's first byte is waited for by itself, so that the end is seen.
  while (::recv(fd, &more, 1, MSG_PEEK) == 1) {
    mode->receive(fd, message.data(), message.size());
    mode->send(fd, message.data(), greeting.bytes <= kMostEchoed ? message.size() : 1);
  }
  adoc_close(fd);
}

int serve(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener, 16) != 0)
    die("listen");
  for (;;) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd < 0) die("accept");
    std::thread(serve_one, fd).detach();
  }
}

struct Asked {
  std::string name;
  std::unique_ptr<Mode> mode;
  int fd = -1;
  std::vector<double> seconds{};
};

int ask(char** words, int count) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(words[1])));
  ::inet_pton(AF_INET, words[0], &address.sin_addr);
  std::ifstream file(words[2], std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(file)), {});
  const std::size_t bytes = std::strtoull(words[3], nullptr, 10);
  const long rounds = std::atol(words[4]);
  const double limit = std::atof(words[5]);
  if (data.empty()) die(words[2]);
  std::vector<Asked> asked;
  for (int i = 6; i < count; ++i) {
    Asked one{.name = words[i], .mode = mode_of(words[i][0])};
    one.fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(one.fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      die("connect");
    send_at_once(one.fd);
    const Greeting greeting{.bytes = bytes, .mode = words[i][0]};
    if (::write(one.fd, &greeting, sizeof greeting) != sizeof greeting) die("greeting");
    asked.push_back(std::move(one));
  }
  std::vector<char> message(bytes);
  std::vector<char> answer(bytes);
  std::size_t at = 0;
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  const auto begin = Clock::now();
  for (long round = 0; round < rounds && (round < 3 || since(begin) < limit); ++round) {
    for (std::size_t filled = 0; filled < bytes;) {
      const std::size_t some = std::min(bytes - filled, data.size() - at);
      std::memcpy(message.data() + filled, data.data() + at, some);
      filled += some;
      at = (at + some) % data.size();
    }
    for (Asked& one : asked) {
      const auto before = Clock::now();
      one.mode->send(one.fd, message.data(), bytes);
      one.mode->receive(one.fd, answer.data(), bytes <= kMostEchoed ? bytes : 1);
      one.seconds.push_back(since(before));
    }
  }
  for (Asked& one : asked) {
    std::sort(one.seconds.begin(), one.seconds.end());
    const double median = one.seconds[one.seconds.size() / 2];
    std::printf("%zu %s %zu %.2f %.0f\n", bytes, one.name.c_str(), one.seconds.size(), median * 1e6,
                static_cast<double>(bytes) / median);
    adoc_close(one.fd);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::strcmp(words[1], "serve") == 0) return serve(std::atoi(words[2]));
  if (count > 8 && std::strcmp(words[1], "ask") == 0) return ask(words + 2, count - 2);
  std::fprintf(stderr, "usage: see the head of message_round_trips.cpp\n");
  return 2;
}
