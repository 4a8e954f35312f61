#include "io/reverse_connections.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "adoc/error.hpp"
#include "io/connect.hpp"
#include "util/file_size_signal.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOpenLimit{10'000};
/// After one that could not be opened, or was closed unused; doubled for each that follows.
constexpr milliseconds kFirstPause{500};
constexpr milliseconds kLongestPause{30'000};

}  // namespace

ReverseConnections::ReverseConnections(std::vector<Endpoint> listeners)
    : listeners_(std::move(listeners)), thread_([this](const std::stop_token& stop) noexcept {
        block_file_size_signal();
        run(stop);
      }) {}

ReverseConnections::~ReverseConnections() {
  thread_.request_stop();
  stopped_.set();
}

std::unique_ptr<TcpStream> ReverseConnections::take_now() noexcept {
  const auto streams = streams_.lock();
  arrived_.reset();
  if (streams->empty()) return nullptr;
  auto stream = std::move(streams->front());
  streams->pop_front();
  if (!streams->empty()) arrived_.set();
  return stream;
}

void ReverseConnections::run(const std::stop_token& stop) noexcept {
  milliseconds pause = kFirstPause;
  while (!stop.stop_requested()) {
    try {
      auto stream = open(stop);
      if (stream && wait_for_words(*stream)) {
        const auto streams = streams_.lock();
        // A sender has no use for more.
        if (streams->size() < kMaxStreams) streams->push_back(std::move(stream));
        arrived_.set();
        pause = kFirstPause;
        continue;
      }
    } catch (const std::exception&) {
      // A failure to open one more does not concern those that there are.
    }
    if (stopped_.wait_for(-1, 0, static_cast<int>(pause.count())) == Wakeup::Result::woken) return;
    pause = std::min(2 * pause, kLongestPause);
  }
}

std::unique_ptr<TcpStream> ReverseConnections::open(const std::stop_token& stop) {
  for (const Endpoint& listener : listeners_) try {
      return connect_tcp({.peer = listener, .limit = kOpenLimit, .stop = stop});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::connect) throw;
    }
  return nullptr;
}

bool ReverseConnections::wait_for_words(const TcpStream& stream) const {
  if (stopped_.wait_for(stream.fd(), POLLIN | POLLRDHUP) != Wakeup::Result::ready) return false;
  pollfd polled{stream.fd(), POLLIN | POLLRDHUP, 0};
  return ::poll(&polled, 1, 0) == 1 && polled.revents == POLLIN;
}

}  // namespace adoc
