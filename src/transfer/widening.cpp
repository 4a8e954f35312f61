#include "transfer/widening.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "util/clock.hpp"
#include "util/file_size_signal.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

using std::chrono::milliseconds;

/// How often it is looked whether one is missing.
constexpr milliseconds kWidenLook{50};
/// Before the next attempt, when one has failed.
constexpr milliseconds kWidenAgain{500};
constexpr milliseconds kWidenAtOnce{100};
constexpr milliseconds kWidenLongest{30'000};

}  // namespace

Widening::~Widening() {
  thread_.request_stop();
  stopped_.set();
}

void Widening::begin(const StreamsOffer& offer) noexcept {
  token_ = offer.token;
  const std::size_t streams = std::min<std::size_t>(setup_.streams, 1U + offer.most);
  try {
    setup_.bundle.allow(streams, offer.window);
    thread_ = std::jthread([this, streams](const std::stop_token& stop) noexcept {
      block_file_size_signal();
      try {
        widen(stop, streams);
      } catch (...) {
        // It goes on with those that there are.
      }
    });
  } catch (...) {
    // It goes on with one.
  }
}

void Widening::widen(const std::stop_token& stop, std::size_t streams) {
  milliseconds wait = kWidenLook;
  milliseconds after_failure = kWidenAgain;
  while (!stop.stop_requested()) {
    const StreamBundle::Figures figures = setup_.bundle.figures();
    if (figures.is_over) return;
    wait = kWidenLook;
    if (figures.connections < streams) {
      if (connect(stop, streams - figures.connections)) {
        after_failure = kWidenAgain;
      } else if (setup_.bundle.figures().connections == 0) {
        // The transfer is lost if none joins soon.
        wait = kWidenAtOnce;
      } else {
        wait = after_failure;
        after_failure = std::min(2 * after_failure, kWidenLongest);
      }
    }
    if (stopped_.wait_for(-1, 0, static_cast<int>(wait.count())) == Wakeup::Result::woken) return;
  }
}

// Side by side: each takes some round trips, and the path is a long one.
bool Widening::connect(const std::stop_token& stop, std::size_t count) {
  std::atomic<std::size_t> joined = 0;
  {
    std::vector<std::jthread> connecting;
    connecting.reserve(count);
    while (connecting.size() < count)
      connecting.emplace_back([&]() noexcept {
        block_file_size_signal();
        if (connect_one(stop)) ++joined;
      });
  }
  return joined == count;
}

bool Widening::connect_one(const std::stop_token& stop) noexcept {
  try {
    JoiningStream joining{.stream = setup_.connect(stop), .greets = true};
    joining.words = setup_.hello.encode();
    const Bytes join = encode_frame(Join{.token = token_});
    joining.words.insert(joining.words.end(), join.begin(), join.end());
    return setup_.bundle.join(joining);
  } catch (...) {
    return false;
  }
}

}  // namespace adoc
