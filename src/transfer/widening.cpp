#include "transfer/widening.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "transfer/stream_count.hpp"
#include "util/clock.hpp"
#include "util/file_size_signal.hpp"
#include "wire/bundle_record.hpp"
#include "wire/frame.hpp"

namespace adoc {

namespace {

using std::chrono::milliseconds;

/// How often it is looked whether one is missing, and what the path does.
constexpr milliseconds kWidenLook{25};
/// Before the next attempt, when one has failed.
constexpr milliseconds kWidenAgain{500};
constexpr milliseconds kWidenAtOnce{100};
constexpr milliseconds kWidenLongest{30'000};
/// To tell a receiver that no connection comes may take so long, twice.
constexpr milliseconds kSayGone{300};

/// A sample of a path takes so many round trips: what joins goes slow for as long.
constexpr double kSampleRoundTrips = 4;
constexpr double kSampleLeastSeconds = 0.1;
/// Of the time of a sample, for which something waited to be sent.
constexpr double kSampleWaiting = 0.8;
/// What takes so much longer than the fastest has waited in a queue.
constexpr double kQueueRoundTrips = 0.1;
constexpr double kQueueSeconds = 2e-3;

/// Makes samples of what is seen of a bundle.
class PathWatch {
 public:
  [[nodiscard]] std::optional<StreamCount::Sample> look(const StreamBundle::Figures& figures,
                                                        std::size_t wanted) {
    const Clock::time_point now = Clock::now();
    const double round_trip = figures.round_trip_seconds;
    if (round_trip > 0 && (shortest_ == 0 || round_trip < shortest_)) shortest_ = round_trip;
    is_full_ = round_trip > (1 + kQueueRoundTrips) * shortest_ + kQueueSeconds;
    if (figures.connections < wanted || looks_ == 0) {
      begin_ = now;
      bytes_ = figures.arrived_bytes;
      looks_ = 1;
      waiting_ = full_ = 0;
      return std::nullopt;
    }
    ++looks_;
    if (figures.waiting_bytes != 0) ++waiting_;
    if (is_full_) ++full_;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    if (seconds < std::max(kSampleLeastSeconds, kSampleRoundTrips * round_trip))
      return std::nullopt;
    const auto looked = static_cast<double>(looks_ - 1);
    looks_ = 0;
    return StreamCount::Sample{
        .rate = static_cast<double>(std::max(figures.arrived_bytes, bytes_) - bytes_) / seconds,
        .is_limit = waiting_ >= kSampleWaiting * looked,
        .is_full = full_ >= looked / 2,
        .round_trip = shortest_};
  }
  [[nodiscard]] bool is_long() const noexcept { return shortest_ >= StreamCount::kShortRoundTrip; }
  [[nodiscard]] bool is_full() const noexcept { return is_full_; }

 private:
  double shortest_ = 0;  ///< round trip
  bool is_full_ = false;
  Clock::time_point begin_{};
  std::uint64_t bytes_ = 0;  ///< that had arrived then
  int looks_ = 0;            ///< since then; 0: a sample is to begin
  double waiting_ = 0;
  double full_ = 0;
};

}  // namespace

Widening::~Widening() {
  thread_.request_stop();
  stopped_.set();
}

void Widening::begin(const StreamsOffer& offer) {
  token_ = offer.token;
  const std::size_t wanted = setup_.streams != 0 ? setup_.streams : kMaxStreams;
  const std::size_t streams = std::min<std::size_t>(wanted, 1U + offer.most);
  try {
    setup_.bundle.allow(streams, offer.window);
    thread_ = std::jthread([this, streams](const std::stop_token& stop) noexcept {
      block_file_size_signal();
      try {
        widen(stop, streams);
      } catch (...) {
        // It goes on with those that there are.
        setup_.bundle.give_up(nullptr);
      }
    });
  } catch (...) {
    // It goes on with one.
    if (setup_.bundle.figures().lasts) throw;
  }
}

void Widening::widen(const std::stop_token& stop, std::size_t most) {
  milliseconds after_failure = kWidenAgain;
  Clock::time_point again{};
  PathWatch watch;
  StreamCount count(most);
  std::size_t told = 1;
  while (stopped_.wait_for(-1, 0, static_cast<int>(kWidenLook.count())) != Wakeup::Result::woken) {
    const StreamBundle::Figures figures = setup_.bundle.figures();
    if (figures.is_over || stop.stop_requested()) return;
    if (figures.lasts && figures.connections == 0) {
      if (figures.is_alone) come_back(stop, figures.last_lost);
      continue;
    }
    if (figures.is_safe && figures.connections != told && setup_.on_connections)
      setup_.on_connections(told = figures.connections);
    const std::size_t wanted = setup_.streams != 0 ? most : count.count();
    auto sample = watch.look(figures, wanted);
    Looked looked;
    if (watch.is_long() && setup_.on_look) looked = setup_.on_look(watch.is_full());
    if (looked.is_another) {
      count = StreamCount(most);
      setup_.bundle.use(count.count());
      watch = {};
    } else if (sample && setup_.streams == 0) {
      sample->loss_limits = looked.loss_limits;
      setup_.bundle.use(count.take(*sample));
    }
    if (figures.connections >= wanted || Clock::now() < again) continue;
    if (connect(stop, wanted - figures.connections)) {
      after_failure = kWidenAgain;
    } else if (setup_.bundle.figures().connections == 0) {
      // The transfer is lost if none joins soon.
      again = Clock::now() + kWidenAtOnce;
    } else {
      again = Clock::now() + after_failure;
      after_failure = std::min(2 * after_failure, kWidenLongest);
    }
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
    return join_one(stop, false);
  } catch (...) {
    return false;
  }
}

bool Widening::join_one(const std::stop_token& stop, bool replaces) {
  JoiningStream joining{.stream = setup_.connect(stop, milliseconds::max()), .greets = true};
  joining.words = words_to_join(replaces);
  return setup_.bundle.join(joining);
}

Bytes Widening::words_to_join(bool replaces) const {
  Hello hello = setup_.hello;
  if (!replaces) hello.drop(Feature::rejoins);
  Bytes words = hello.encode();
  const Bytes join = encode_frame(Join{.token = token_});
  words.insert(words.end(), join.begin(), join.end());
  return words;
}

// Over a connection of its own: those that there were may have ended in the middle of a record.
void Widening::say_gone() noexcept {
  if (!setup_.bundle.figures().lasts) return;
  try {
    const auto stream = setup_.connect({}, kSayGone);
    Bytes words = words_to_join(true);
    const auto record = BundleRecord{.length = BundleRecord::kGone}.encode();
    words.insert(words.end(), record.begin(), record.end());
    stream->write_all(words);
    stream->linger(kSayGone);
  } catch (...) {
    // There is nobody to tell.
  }
}

void Widening::come_back(const std::stop_token& stop, std::exception_ptr why) {
  try {
    while (true) {
      milliseconds wait{};
      try {
        if (why) std::rethrow_exception(why);
        throw Error(ErrorKind::connect, "the connection is lost");
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::connect) throw;
        wait = setup_.on_lost(error, setup_.bundle.figures().acknowledged);
      }
      if (stopped_.wait_for(-1, 0, static_cast<int>(wait.count())) == Wakeup::Result::woken) return;
      try {
        if (join_one(stop, true)) setup_.on_back();
        return;
      } catch (const Error&) {
        why = std::current_exception();
      }
    }
  } catch (...) {
    setup_.bundle.give_up(std::current_exception());
  }
}

}  // namespace adoc
