#include <algorithm>
#include <deque>
#include <optional>
#include <string>

#include "adoc/send.hpp"
#include "io/tcp.hpp"
#include "io/tls.hpp"
#include "transfer/backoff.hpp"
#include "transfer/experience_store.hpp"
#include "transfer/require_key.hpp"
#include "transfer/send_session.hpp"
#include "util/clock.hpp"
#include "util/descriptor_limit.hpp"
#include "util/wakeup.hpp"

namespace adoc {

namespace {

/// What is known of the link before a connection, and what each one adds to it.
class LinkExperience {
 public:
  explicit LinkExperience(const SendOptions& options)
      : options_(options),
        ladder_(Ladder::named(options.pipeline.ladder)),
        store_(options.experience_directory) {}

  [[nodiscard]] std::optional<Experience> of(const Stream& stream) {
    const std::string link = stream.link_name();
    if (link != link_) known_ = store_.find(link, ladder_);
    link_ = link;
    std::optional<Experience> experience = known_;
    if (experience && options_.bandwidth_limit != 0)
      experience->link_rate =
          std::min(experience->link_rate, static_cast<double>(options_.bandwidth_limit));
    return experience;
  }

  /// Also of a session that has failed. What is learned under a limit is not the link's.
  void learn(const Experience& learned) {
    if (options_.bandwidth_limit != 0) return;
    known_ = learned;
    store_.keep(link_, learned, ladder_);
  }

 private:
  const SendOptions& options_;
  Ladder ladder_;
  ExperienceStore store_;
  std::string link_;
  std::optional<Experience> known_;
};

/// What reconnecting goes by: whether anything was got across since the last time.
class Reconnecting {
 public:
  explicit Reconnecting(unsigned attempts)
      : backoff_(attempts, static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())) {}

  /// After each session that was lost. More is there when a batch was committed, or when the first
  /// one is wanted less of than the last time: what the connection merely swallowed does not count.
  void note(const SendSession& session, const std::deque<OutgoingBatchPtr>& unsettled) {
    const auto& wanted = session.first_wanted_bytes();
    if (session.committed_batches() > 0 || (wanted && wanted_ && *wanted < *wanted_))
      backoff_.reset();
    wanted_.reset();
    if (unsettled.empty() || unsettled.front()->wants.empty()) return;
    const OutgoingBatch& first = *unsettled.front();
    wanted_ = stream_size(layout_stream(first.entries, first.wants)).bytes;
  }

  /// Waits for the next attempt and gives its number; throws what was lost when all were in vain,
  /// Error(interrupted) on a stop request.
  unsigned wait(const Error& lost, Observer* observer, const std::stop_token& stop) {
    const auto wait = backoff_.next();
    if (!wait) throw given_up(lost);
    if (observer != nullptr)
      observer->on_retry({.attempt = backoff_.attempt(),
                          .attempts = backoff_.attempts(),
                          .wait = *wait,
                          .reason = lost.what()});
    Wakeup stopped;
    const std::stop_callback on_stop(stop, [&] { stopped.set(); });
    if (stopped.wait_for(-1, 0, static_cast<int>(wait->count())) == Wakeup::Result::woken)
      throw Error(ErrorKind::interrupted, "interrupted");
    return backoff_.attempt();
  }

 private:
  [[nodiscard]] Error given_up(const Error& lost) const {
    const unsigned attempts = backoff_.attempts();
    if (attempts == 0) return lost;
    return {ErrorKind::connect, std::string(lost.what()) + "; gave up after " +
                                    std::to_string(attempts) +
                                    (attempts == 1 ? " attempt" : " attempts") +
                                    " to connect again (the same command goes on where it was)"};
  }

  Backoff backoff_;
  std::optional<std::uint64_t> wanted_;  ///< of the batch that will be offered first
};

}  // namespace

struct Sender::State {
  SendOptions options;
  std::optional<TlsContext> tls;
  Observer* observer = nullptr;
  Statistics statistics;
  PipelineCounters counters;  ///< of the connection that there is
  TransferTotals totals;
  std::atomic<std::uint64_t> raw_bytes_before{0};  ///< over connections that were lost
  std::atomic<std::uint64_t> wire_bytes_before{0};
  std::atomic<unsigned> reconnecting{0};

  void run(Walker& walker, const std::stop_token& stop);

  /// The stages of a connection measure it by its own counters.
  void begin_anew() noexcept {
    raw_bytes_before += counters.raw_bytes.exchange(0);
    wire_bytes_before += counters.wire_bytes.exchange(0);
    totals.restart(raw_bytes_before);
  }

  [[nodiscard]] std::unique_ptr<Stream> connect(const std::stop_token& stop) const {
    if (tls) return connect_tls(options.peer, *tls, options.timeout, stop);
    return connect_tcp(options.peer, options.timeout, stop);
  }

  void finish(Clock::time_point begin) {
    statistics.seconds = seconds_since(begin);
    statistics.bytes = raw_bytes_before + counters.raw_bytes;
    statistics.wire_bytes = wire_bytes_before + counters.wire_bytes;
    statistics.resumed_bytes = totals.resumed_bytes;
  }
};

void Sender::State::run(Walker& walker, const std::stop_token& stop) {
  std::deque<OutgoingBatchPtr> unsettled;
  Reconnecting again(options.retries);
  LinkExperience experience(options);
  for (bool connected = false;;) {
    std::unique_ptr<Stream> stream;
    std::optional<SendSession> session;
    try {
      stream = connect(stop);
      session.emplace(SendSession::Setup{
          .options = options,
          .walker = walker,
          .stream = *stream,
          .observer = observer,
          .statistics = statistics,
          .counters = counters,
          .totals = totals,
          .unsettled = unsettled,
          .experience = experience.of(*stream),
          .learned = [&](const Experience& learned) { experience.learn(learned); }});
      if (connected) ++statistics.retries;
      reconnecting = 0;
      return session->run(stop);
    } catch (const Error& error) {
      // A receiver that could never be reached may not be there at all. One that is being started
      // again refuses connections, and one behind a tunnel may take them without a word.
      const bool gone = session ? session->lost() : false;
      if (!gone && (!connected || error.kind() != ErrorKind::connect ||
                    (session && session->receiver_gave_up())))
        throw;
      connected = true;
      if (session && session->lost_for_good())
        throw Error(error.kind(), std::string(error.what()) +
                                      "; what standard input gave is gone, so nothing can go on");
      if (session) again.note(*session, unsettled);
      reconnecting = again.wait(error, observer, stop);
      begin_anew();
    }
  }
}

Sender::Sender(SendOptions options, Observer* observer) : state_(std::make_unique<State>()) {
  validate(options);
  require_key(options.key, options.insecure);
  raise_descriptor_limit();
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
    state.run(walker, stop);
  } catch (...) {
    state.finish(begin);
    throw;
  }
  state.finish(begin);
  return state.statistics;
}

Progress Sender::progress() const noexcept {
  const State& state = *state_;
  return {.raw_bytes = state.raw_bytes_before + state.counters.raw_bytes,
          .wire_bytes = state.wire_bytes_before + state.counters.wire_bytes,
          .total_bytes = state.totals.wanted_bytes,
          .total_known = state.totals.known,
          .entries_done = state.totals.entries_done,
          .level = state.counters.level,
          .reconnecting = state.reconnecting};
}

const Statistics& Sender::statistics() const noexcept { return state_->statistics; }

}  // namespace adoc
