#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "adoc/receive.hpp"
#include "destination/partial_store.hpp"
#include "io/gate.hpp"
#include "pipeline/threads.hpp"
#include "transfer/farewell.hpp"
#include "transfer/peer_error.hpp"
#include "transfer/receive_session.hpp"
#include "transfer/require_key.hpp"
#include "util/clock.hpp"
#include "util/descriptor_limit.hpp"
#include "util/wakeup.hpp"

namespace adoc {

namespace {

/// How long adoc-recv --once waits for a sender that lost the connection. It comes back after a
/// fifth of a second, and then less and less often.
constexpr std::chrono::milliseconds kComeBack{3'000};

/// Who comes while there is no thread to serve it reads that, and nobody else is served meanwhile.
constexpr std::chrono::milliseconds kTurnAway{100};

/// Before the next connection is taken after there was no memory for one.
constexpr std::chrono::milliseconds kLackPause{100};

/// The figures of a transfer that went on over another connection.
void add_to(Statistics& later, const Statistics& earlier) {
  later.files += earlier.files;
  later.bytes += earlier.bytes;
  later.wire_bytes += earlier.wire_bytes;
  later.seconds += earlier.seconds;
  later.retries = earlier.retries + 1;
  later.skipped += earlier.skipped;
  // What the later one found there the earlier one has brought.
  later.resumed_bytes = earlier.resumed_bytes;
  later.committed += earlier.committed;
  later.failed += earlier.failed;
  later.vanished += earlier.vanished;
  later.errors.insert(later.errors.begin(), earlier.errors.begin(), earlier.errors.end());
  if (later.levels.size() < earlier.levels.size()) later.levels.resize(earlier.levels.size());
  for (std::size_t level = 0; level < earlier.levels.size(); ++level)
    later.levels[level] += earlier.levels[level];
}

/// Where no transfer could fail of it: an observer must not throw, but its memory may run out.
template <typename Tell>
void untroubled(Tell tell) noexcept {
  try {
    tell();
  } catch (...) {
    // It is not told.
  }
}

/// How many places for transfers nobody has. To give one back takes no memory: it is done by a
/// thread that may just have run out of it.
class FreePlaces {
 public:
  explicit FreePlaces(std::size_t count) noexcept : count_(count) {}

  /// Waits for one. Throws Error(interrupted) after stop().
  void take() {
    for (std::size_t count = count_;;) {
      if (stopped_) throw Error(ErrorKind::interrupted, "interrupted");
      if (count == 0) {
        count_.wait(0);
        count = count_;
      } else if (count_.compare_exchange_weak(count, count - 1)) {
        return;
      }
    }
  }
  void give_back() noexcept {
    ++count_;
    count_.notify_one();
  }
  void stop() noexcept {
    stopped_ = true;
    give_back();
  }

 private:
  std::atomic<std::size_t> count_;
  std::atomic<bool> stopped_{false};
};

}  // namespace

struct Receiver::State {
  /// A place for one transfer. Its figures outlive the transfer, so that progress can be read at
  /// any time without a lock.
  struct Slot {
    PipelineCounters counters;
    TransferTotals totals;
    std::atomic<bool> taken{false};
    std::unique_ptr<Stream> stream;
    std::jthread thread;

    void reset() noexcept {
      counters.raw_bytes = 0;
      counters.wire_bytes = 0;
      totals.reset();
    }
  };

  State(ReceiveOptions given, ReceiveObserver* told)
      : options(std::move(given)),
        observer(told),
        destination(open_destination(options.out_directory)),
        room(destination, options.min_free),
        listener(options.listen),
        slots(options.transfer_limit()) {
    if (options.key) {
      tls.emplace(*options.key, TlsContext::Side::listens);
      gate.emplace(Gate::Setup{.listener = listener,
                               .context = *tls,
                               .refused = [told](std::string_view peer, std::string_view why) {
                                 if (told != nullptr)
                                   untroubled([&] { told->on_refused(peer, why); });
                               }});
    }
  }

  /// How a connection ended.
  struct Served {
    Verdict verdict;
    bool expects_sender = false;  ///< it was lost, and the sender will come back
  };

  [[nodiscard]] std::unique_ptr<Stream> accept(const std::stop_token& stop);
  /// Null when there was no memory for it.
  [[nodiscard]] std::unique_ptr<Stream> accept_with_memory(const std::stop_token& stop);
  /// Null when nobody comes soon enough.
  [[nodiscard]] std::unique_ptr<Stream> accept_again(const std::stop_token& stop);
  /// Does not throw: what fails is told to the sender and is the verdict.
  Served serve(Stream& stream, std::uint64_t transfer, Slot& slot, const std::stop_token& stop);
  void converse(Stream& stream, Served& served, Slot& slot, const std::stop_token& stop);
  Verdict serve_once(const std::stop_token& stop);
  void tell(const Verdict& verdict) const noexcept {
    if (observer != nullptr) untroubled([&] { observer->on_verdict(verdict); });
  }
  Slot& take_free_slot();
  void begin(Slot& slot, std::uint64_t transfer, FreePlaces& free, const std::stop_token& stop);
  [[noreturn]] void serve_all(const std::stop_token& stop);

  ReceiveOptions options;
  ReceiveObserver* observer;
  DirectoryPtr destination;
  DiskRoom room;
  TcpListener listener;
  std::optional<TlsContext> tls;
  std::optional<Gate> gate;
  std::vector<Slot> slots;  ///< senders above their number wait in the system's backlog
};

std::unique_ptr<Stream> Receiver::State::accept(const std::stop_token& stop) {
  std::unique_ptr<Stream> stream;
  if (gate)
    stream = gate->next(stop);
  else
    stream = listener.accept(stop);
  if (!stream) throw Error(ErrorKind::interrupted, "interrupted");
  return stream;
}

std::unique_ptr<Stream> Receiver::State::accept_with_memory(const std::stop_token& stop) {
  try {
    return accept(stop);
  } catch (const std::bad_alloc&) {
    // The transfers under way have taken it all, and give it back.
    std::this_thread::sleep_for(kLackPause);
    return nullptr;
  }
}

std::unique_ptr<Stream> Receiver::State::accept_again(const std::stop_token& stop) {
  std::stop_source over;
  const std::stop_callback on_stop(stop, [&] { over.request_stop(); });
  Wakeup came;
  const std::jthread timer([&] {
    if (came.wait_for(-1, 0, static_cast<int>(kComeBack.count())) == Wakeup::Result::timed_out)
      over.request_stop();
  });
  auto stream = gate ? gate->next(over.get_token()) : listener.accept(over.get_token());
  came.set();
  return stream;
}

Receiver::State::Served Receiver::State::serve(Stream& stream, std::uint64_t transfer, Slot& slot,
                                               const std::stop_token& stop) {
  Served served;
  Verdict& verdict = served.verdict;
  verdict.transfer = transfer;
  const Clock::time_point begin = Clock::now();
  try {
    converse(stream, served, slot, stop);
  } catch (...) {
    // There is no session that could say it.
    verdict.failure = std::current_exception();
    turn_away(stream, verdict.failure, kTurnAway);
  }
  if (verdict.failure) verdict.failure = as_error(verdict.failure);
  remove_empty_store(destination);
  verdict.statistics.seconds = seconds_since(begin);
  verdict.statistics.bytes = slot.counters.raw_bytes;
  verdict.statistics.wire_bytes = slot.counters.wire_bytes;
  verdict.statistics.resumed_bytes = slot.totals.resumed_bytes;
  return served;
}

void Receiver::State::converse(Stream& stream, Served& served, Slot& slot,
                               const std::stop_token& stop) {
  Verdict& verdict = served.verdict;
  verdict.peer = stream.peer();
  if (observer != nullptr) observer->on_connected(verdict.transfer, verdict.peer);
  Intake intake(options, room);
  ReceiveSession session({.stream = stream,
                          .destination = destination,
                          .out_directory = options.out_directory,
                          .fifo_packets = options.fifo_capacity(),
                          .threads = decompression_threads(options).count,
                          .timeout = options.timeout,
                          .resume = options.resume,
                          .intake = intake,
                          .observer = observer,
                          .statistics = verdict.statistics,
                          .counters = slot.counters,
                          .totals = slot.totals});
  try {
    session.run(stop);
  } catch (...) {
    verdict.failure = std::current_exception();
    served.expects_sender = session.expects_sender();
  }
}

Verdict Receiver::State::serve_once(const std::stop_token& stop) {
  Slot& slot = slots.front();
  auto stream = accept(stop);
  Served served = serve(*stream, 1, slot, stop);
  while (served.expects_sender) {
    if (observer != nullptr) observer->on_lost(served.verdict, kComeBack);
    stream = accept_again(stop);
    if (!stream && stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    if (!stream) break;
    slot.reset();
    Served next = serve(*stream, 1, slot, stop);
    // Something else that connects in between does not take the sender's place.
    next.expects_sender = next.expects_sender || is_lost_connection(next.verdict.failure);
    add_to(next.verdict.statistics, served.verdict.statistics);
    served = std::move(next);
  }
  tell(served.verdict);
  return std::move(served.verdict);
}

Receiver::State::Slot& Receiver::State::take_free_slot() {
  Slot& slot = *std::ranges::find_if(slots, [](const Slot& any) { return !any.taken.load(); });
  slot.thread = {};  // joins the transfer that has just given the slot back
  slot.taken = true;
  return slot;
}

void Receiver::State::serve_all(const std::stop_token& stop) {
  FreePlaces free(slots.size());
  const std::stop_callback on_stop(stop, [&] { free.stop(); });
  try {
    for (std::uint64_t transfer = 1;; ++transfer) {
      free.take();
      Slot& slot = take_free_slot();
      while (!slot.stream) slot.stream = accept_with_memory(stop);
      slot.reset();
      begin(slot, transfer, free, stop);
    }
  } catch (...) {
    // The threads use `free`: they end before it does.
    for (Slot& slot : slots) slot.thread = {};
    throw;
  }
}

void Receiver::State::begin(Slot& slot, std::uint64_t transfer, FreePlaces& free,
                            const std::stop_token& stop) {
  const auto give_back = [&slot, &free]() noexcept {
    slot.stream.reset();
    slot.reset();
    slot.taken = false;
    free.give_back();
  };
  try {
    slot.thread = std::jthread([this, transfer, &slot, stop, give_back]() noexcept {
      tell(serve(*slot.stream, transfer, slot, stop).verdict);
      give_back();
    });
  } catch (...) {
    // No thread to serve it, or no memory for one: the transfers under way go on.
    const auto failure = as_error(std::current_exception());
    turn_away(*slot.stream, failure, kTurnAway);
    tell({.transfer = transfer, .peer = slot.stream->peer(), .failure = failure});
    give_back();
  }
}

Receiver::Receiver(ReceiveOptions options, ReceiveObserver* observer) {
  validate(options);
  require_key(options.key, options.insecure);
  // A batch holds its files open until they are flushed, so the usual soft limit is too low.
  raise_descriptor_limit();
  state_ = std::make_unique<State>(std::move(options), observer);
  const Leftovers left =
      clean_partials(state_->destination, state_->options.resume ? state_->options.partial_age
                                                                 : std::chrono::seconds{0});
  if (observer != nullptr) observer->on_leftovers(left);
}

Receiver::~Receiver() = default;

Endpoint Receiver::local_endpoint() const { return state_->listener.local(); }

Verdict Receiver::serve(std::stop_token stop) {
  if (!state_->options.once) state_->serve_all(stop);
  return state_->serve_once(stop);
}

Progress Receiver::progress() const noexcept {
  Progress sum{.total_known = true};
  for (const State::Slot& slot : state_->slots) {
    sum.raw_bytes += slot.counters.raw_bytes;
    sum.wire_bytes += slot.counters.wire_bytes;
    sum.total_bytes += slot.totals.wanted_bytes;
    sum.entries_done += slot.totals.entries_done;
    const bool busy = slot.counters.wire_bytes != 0;
    sum.total_known = sum.total_known && (!busy || slot.totals.known);
    if (busy) sum.level = slot.counters.level;
  }
  return sum;
}

}  // namespace adoc
