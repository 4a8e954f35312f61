#include "adoc/send.hpp"
#include "io/tcp.hpp"
#include "io/tls.hpp"
#include "transfer/require_key.hpp"
#include "transfer/send_session.hpp"
#include "util/clock.hpp"

namespace adoc {

struct Sender::State {
  SendOptions options;
  std::optional<TlsContext> tls;
  Observer* observer = nullptr;
  Statistics statistics;
  PipelineCounters counters;
  TransferTotals totals;

  [[nodiscard]] std::unique_ptr<Stream> connect(const std::stop_token& stop) const {
    if (tls) return connect_tls(options.peer, *tls, options.timeout, stop);
    return connect_tcp(options.peer, options.timeout, stop);
  }

  void finish(Clock::time_point begin) {
    statistics.seconds = seconds_since(begin);
    statistics.bytes = counters.raw_bytes;
    statistics.wire_bytes = counters.wire_bytes;
    statistics.resumed_bytes = totals.resumed_bytes;
  }
};

Sender::Sender(SendOptions options, Observer* observer) : state_(std::make_unique<State>()) {
  validate(options);
  require_key(options.key, options.insecure);
  if (options.key) state_->tls.emplace(*options.key, TlsContext::Side::connects);
  state_->options = std::move(options);
  state_->observer = observer;
  state_->statistics.dry_run = state_->options.dry_run;
}

Sender::~Sender() = default;

Statistics Sender::run(std::stop_token stop) {
  State& state = *state_;
  const SendOptions& options = state.options;
  const Clock::time_point begin = Clock::now();
  try {
    Walker walker({.paths = options.paths,
                   .stdin_name = options.stdin_name,
                   .filter = Filter(options.filters),
                   .hash_contents = options.compare_contents});
    const auto stream = state.connect(stop);
    SendSession({.options = options,
                 .walker = walker,
                 .stream = *stream,
                 .observer = state.observer,
                 .statistics = state.statistics,
                 .counters = state.counters,
                 .totals = state.totals})
        .run(stop);
  } catch (...) {
    state.finish(begin);
    throw;
  }
  state.finish(begin);
  return state.statistics;
}

Progress Sender::progress() const noexcept {
  const State& state = *state_;
  return {.raw_bytes = state.counters.raw_bytes,
          .wire_bytes = state.counters.wire_bytes,
          .total_bytes = state.totals.wanted_bytes,
          .total_known = state.totals.known,
          .entries_done = state.totals.entries_done,
          .level = state.counters.level};
}

const Statistics& Sender::statistics() const noexcept { return state_->statistics; }

}  // namespace adoc
