#include <sys/resource.h>

#include <array>
#include <optional>
#include <system_error>
#include <thread>

#include "adoc/receive.hpp"
#include "io/gate.hpp"
#include "pipeline/threads.hpp"
#include "transfer/receive_session.hpp"
#include "transfer/require_key.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {

/// Senders served at once; those above wait in the system's backlog. Bounds memory and descriptors.
constexpr std::size_t kMaxTransfers = 32;

/// A batch holds its files open until they are flushed, so the usual soft limit is too low.
void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// A place for one transfer. Its figures outlive the transfer, so that progress can be read at any
/// time without a lock.
struct Slot {
  PipelineCounters counters;
  TransferTotals totals;
  std::jthread thread;

  void reset() noexcept {
    counters.raw_bytes = 0;
    counters.wire_bytes = 0;
    totals.reset();
  }
};

}  // namespace

struct Receiver::State {
  State(ReceiveOptions given, ReceiveObserver* told)
      : options(std::move(given)),
        observer(told),
        destination(open_destination(options.out_directory)),
        listener(options.listen) {
    if (options.key) {
      tls.emplace(*options.key, TlsContext::Side::listens);
      gate.emplace(Gate::Setup{.listener = listener,
                               .context = *tls,
                               .refused = [told](std::string_view peer, std::string_view why) {
                                 if (told != nullptr) told->on_refused(peer, why);
                               }});
    }
  }

  [[nodiscard]] std::unique_ptr<Stream> accept(const std::stop_token& stop);
  Verdict serve(Stream& stream, std::uint64_t transfer, Slot& slot, const std::stop_token& stop);
  [[noreturn]] void serve_all(const std::stop_token& stop);

  ReceiveOptions options;
  ReceiveObserver* observer;
  DirectoryPtr destination;
  TcpListener listener;
  std::optional<TlsContext> tls;
  std::optional<Gate> gate;
  std::array<Slot, kMaxTransfers> slots;
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

Verdict Receiver::State::serve(Stream& stream, std::uint64_t transfer, Slot& slot,
                               const std::stop_token& stop) {
  Verdict verdict{.transfer = transfer, .peer = stream.peer()};
  if (observer != nullptr) observer->on_connected(transfer, verdict.peer);
  const Clock::time_point begin = Clock::now();
  try {
    ReceiveSession({.stream = stream,
                    .destination = destination,
                    .fifo_packets = options.fifo_capacity(),
                    .threads = decompression_threads(options),
                    .timeout = options.timeout,
                    .resume = options.resume,
                    .observer = observer,
                    .statistics = verdict.statistics,
                    .counters = slot.counters,
                    .totals = slot.totals})
        .run(stop);
  } catch (...) {
    verdict.failure = std::current_exception();
  }
  remove_empty_store(destination);
  verdict.statistics.seconds = seconds_since(begin);
  verdict.statistics.bytes = slot.counters.raw_bytes;
  verdict.statistics.wire_bytes = slot.counters.wire_bytes;
  verdict.statistics.resumed_bytes = slot.totals.resumed_bytes;
  if (observer != nullptr) observer->on_verdict(verdict);
  return verdict;
}

void Receiver::State::serve_all(const std::stop_token& stop) {
  BoundedQueue<Slot*> free(slots.size());
  for (Slot& slot : slots) free.push(&slot);
  const std::stop_callback on_stop(stop, [&] {
    free.fail(std::make_exception_ptr(Error(ErrorKind::interrupted, "interrupted")));
  });
  try {
    for (std::uint64_t transfer = 1;; ++transfer) {
      Slot* const slot = *free.pop();
      slot->thread = {};  // joins the transfer that has just given the slot back
      auto stream = accept(stop);
      slot->reset();
      const auto give_back = [slot, &free] {
        slot->reset();
        try {
          free.push(slot);
        } catch (const Error&) {
          // Stopped: no further transfer needs the slot.
        }
      };
      try {
        slot->thread =
            std::jthread([this, transfer, slot, stop, give_back, stream = std::move(stream)] {
              serve(*stream, transfer, *slot, stop);
              give_back();
            });
      } catch (const std::system_error&) {
        // No thread to serve it: the connection is closed, the transfers under way go on.
        give_back();
      }
    }
  } catch (...) {
    // The threads use `free`: they end before it does.
    for (Slot& slot : slots) slot.thread = {};
    throw;
  }
}

Receiver::Receiver(ReceiveOptions options, ReceiveObserver* observer) {
  validate(options);
  require_key(options.key, options.insecure);
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
  const auto stream = state_->accept(stop);
  return state_->serve(*stream, 1, state_->slots.front(), stop);
}

Progress Receiver::progress() const noexcept {
  Progress sum{.total_known = true};
  for (const Slot& slot : state_->slots) {
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
