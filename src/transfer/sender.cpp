#include <algorithm>
#include <cerrno>
#include <cmath>
#include <deque>
#include <optional>
#include <string>

#include "adoc/send.hpp"
#include "codec/apart.hpp"
#include "io/congestion.hpp"
#include "io/stream_bundle.hpp"
#include "io/tls.hpp"
#include "source/standard_input.hpp"
#include "transfer/connection_source.hpp"
#include "transfer/path_metrics_store.hpp"
#include "transfer/reconnecting.hpp"
#include "transfer/recording_stream.hpp"
#include "transfer/require_key.hpp"
#include "transfer/send_session.hpp"
#include "transfer/widening.hpp"
#include "util/clock.hpp"
#include "util/descriptor_limit.hpp"

namespace adoc {

namespace {

/// What is known of the link before a connection, and what each one adds to it.
class LinkMetrics {
 public:
  explicit LinkMetrics(const SendOptions& options)
      : options_(options),
        ladder_(Ladder::of(options.pipeline.ladder)),
        store_(options.path_metrics_directory) {}

  [[nodiscard]] std::optional<PathMetrics> of(const Stream& stream) {
    const std::string link = stream.link_name();
    if (link != link_) known_ = store_.find(link, ladder_);
    link_ = link;
    std::optional<PathMetrics> path_metrics = known_;
    if (path_metrics && options_.bandwidth_limit != 0)
      path_metrics->log_rate =
          std::min(path_metrics->log_rate, std::log(static_cast<double>(options_.bandwidth_limit)));
    return path_metrics;
  }

  /// Also of a session that has failed. What is learned under a limit is not the link's.
  void learn(const PathMetrics& learned) {
    if (options_.bandwidth_limit != 0) return;
    known_ = learned;
    store_.keep(link_, learned, ladder_);
  }

 private:
  const SendOptions& options_;
  Ladder ladder_;
  PathMetricsStore store_;
  std::string link_;
  std::optional<PathMetrics> known_;
};

}  // namespace

struct Sender::State {
  SendOptions options;
  std::optional<TlsContext> tls;
  std::optional<RecordingFile> file;  ///< that it is written to
  // Instead of connecting; one of them or none.
  std::unique_ptr<Stream> given;
  bool is_given = false;
  ConnectionSource* source = nullptr;
  Observer* observer = nullptr;
  LossyObserver* lossy_observer = nullptr;
  LossyTotals lossy;
  Statistics statistics;
  PipelineCounters counters;  ///< of the connection that there is
  TransferTotals totals;
  std::optional<StandardInput> input;  ///< if it is among the sources
  // Over connections that were lost.
  std::atomic<std::uint64_t> wire_bytes_before{0};
  std::atomic<std::uint64_t> crossed_raw_before{0};
  std::atomic<std::uint64_t> crossed_wire_before{0};
  std::atomic<unsigned> reconnecting{0};
  std::atomic<bool> finished{false};
  std::atomic<bool> answers_loss{false};  ///< the path loses packets without being full
  Clock::time_point began = Clock::now();
  Observation observed{};  ///< of connections that have ended

  class Widened;
  /// Whether the connection that there is can have others, and is to be looked after for that.
  [[nodiscard]] bool widens() const noexcept {
    return (options.streams != 1 || options.congestion == kAutomaticCongestion || input) &&
           !is_given && (source == nullptr || source->has_others());
  }
  /// What cannot be sent again outlives that all connections are lost.
  [[nodiscard]] bool rejoins() const noexcept {
    return input && widens() && options.retry_for.count() != 0;
  }

  void run(Walker& walker, const std::stop_token& stop);

  /// The stages of a connection measure it by its own counters. What was made for the one that is
  /// lost and has not arrived is made again.
  void begin_anew() noexcept {
    counters.raw_bytes = 0;
    wire_bytes_before += counters.wire_bytes.exchange(0);
    crossed_raw_before += totals.crossed_raw_bytes;
    crossed_wire_before += totals.crossed_wire_bytes;
    totals.restart(crossed_raw_before);
  }

  /// A further connection to the receiver that one leads to.
  [[nodiscard]] std::unique_ptr<SocketStream> connect_again(const Endpoint& receiver,
                                                            const std::stop_token& stop,
                                                            std::chrono::milliseconds most) const {
    const auto limit =
        most < options.timeout || (options.timeout.count() == 0 && most != most.max())
            ? most
            : options.timeout;
    const ConnectTo to{.peer = receiver, .limit = limit, .stop = stop};
    std::unique_ptr<SocketStream> stream;
    if (source != nullptr)
      stream = source->another(stop);
    else if (tls)
      stream = connect_tls(to, *tls);
    else
      stream = connect_tcp(to);
    choose_congestion(*stream);
    return stream;
  }

  /// Of a connection of this side's own.
  void choose_congestion(const SocketStream& stream) const {
    if (answers_loss) answer_loss(stream.fd());
    if (options.congestion.empty() || options.congestion == kAutomaticCongestion) return;
    if (const int error = set_congestion(stream.fd(), options.congestion); error != 0)
      throw Error(ErrorKind::usage, "", Hint::congestion,
                  " " + options.congestion + ": " +
                      (error == EPERM ? "the system does not allow it (sysctl "
                                        "net.ipv4.tcp_allowed_congestion_control)"
                                      : "the system has none of that name (sysctl "
                                        "net.ipv4.tcp_available_congestion_control)"));
  }

  /// What a connection came to.
  void note_observed(SendSession& session) {
    observed = session.observation();
    if (observer != nullptr) observer->on_observation(observed);
  }

  [[nodiscard]] std::unique_ptr<Stream> connect(const Reconnecting& again,
                                                const std::stop_token& stop) {
    const LiveTime::Doing connecting(counters.times.connecting);
    if (given) return std::move(given);
    if (source != nullptr) return source->next(again.attempt(), stop);
    const ConnectTo to{.peer = options.peer,
                       .limit = again.limit(),
                       .stop = stop,
                       .tell = [this](const Connecting& step) {
                         if (observer != nullptr) observer->on_connecting(step);
                       }};
    if (tls) return connect_tls(to, *tls);
    return connect_tcp(to);
  }

  /// What the walk has seen; the rest is counted where files are read.
  void note(const NotKept& seen) {
    statistics.not_kept.special = seen.special;
    statistics.not_kept.special_paths = seen.special_paths;
    statistics.not_kept.owners = seen.owners;
    statistics.not_kept.hard_links = seen.hard_links;
    statistics.not_kept.attributes += seen.attributes;
    statistics.not_kept.access_lists += seen.access_lists;
  }

  void finish(Clock::time_point begin, const std::optional<Walker>& walker) {
    if (walker) note(walker->not_kept());
    statistics.seconds = seconds_since(begin);
    statistics.bytes = crossed_raw_before + counters.raw_bytes;
    statistics.wire_bytes = wire_bytes_before + counters.wire_bytes;
    statistics.resumed_bytes = totals.resumed_bytes;
  }
};

/// The connection of a session, and those that join it.
class Sender::State::Widened {
 public:
  Widened(State& state, SocketStream& first)
      : state_(state),
        first_(first),
        receiver_(peer_endpoint(first.fd())),
        bundle_({.first = first,
                 .buffer = buffer_for(state),
                 .window = kMinStreamWindow,
                 .splits = true,
                 .keeps = state.rejoins() ? kept_on_path(first, buffer_for(state)) : 0}),
        rejoining_(state.options.retry_for, state.observer),
        widening_({.bundle = bundle_,
                   .streams = state.options.streams,
                   .on_look = [this](bool is_full) { return look_for_loss(is_full); },
                   .on_connections =
                       [this](std::size_t count) {
                         if (state_.observer != nullptr) state_.observer->on_connections(count);
                       },
                   .connect =
                       [this](const std::stop_token& stop, std::chrono::milliseconds most) {
                         return state_.connect_again(receiver_, stop, most);
                       },
                   .hello = Liveness(state.options.timeout).hello(Role::sender),
                   .on_lost = [this](const Error& why,
                                     std::uint64_t arrived) { return note_lost(why, arrived); },
                   .on_back = [this] { note_back(); }}) {}
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  ~Widened() {
    state_.statistics.streams =
        std::max<std::uint64_t>(state_.statistics.streams, bundle_.most_connections());
  }

  [[nodiscard]] Stream& bundle() noexcept { return bundle_; }
  void say_gone() noexcept { widening_.say_gone(); }
  [[nodiscard]] std::function<void(const StreamsOffer&, std::chrono::milliseconds)> may_join() {
    return [this](const StreamsOffer& offer, std::chrono::milliseconds patience) {
      rejoining_.expect(patience);
      widening_.begin(offer);
    };
  }

 private:
  /// Its part of the memory.
  [[nodiscard]] static std::size_t buffer_for(const State& state) {
    return std::clamp(state.options.pipeline.memory_limit() / 8,
                      state.rejoins() ? kLeastKept : kMinStreamWindow, kMaxStreamWindow);
  }

  /// All are lost, and the receiver waits for another one. By the thread of `widening_`.
  [[nodiscard]] std::chrono::milliseconds note_lost(const Error& why, std::uint64_t arrived) {
    const auto wait = rejoining_.next(why, arrived);
    state_.reconnecting = rejoining_.attempt();
    return wait;
  }
  void note_back() {
    rejoining_.note_joined();
    ++state_.statistics.retries;
    state_.reconnecting = 0;
  }

  /// Connections go another way about it once there is such a loss.
  Widening::Looked look_for_loss(bool is_full) {
    const auto counts = packet_counts(first_.fd());
    if (counts) loss_.look(*counts, is_full);
    if (!loss_.is_there()) return {};
    if (state_.options.congestion != kAutomaticCongestion || answered_)
      return {.loss_limits = slows_for_loss(first_.fd())};
    answered_ = true;
    state_.answers_loss = true;
    answer_loss(first_.fd());
    bundle_.answer_loss();
    return {.is_another = true, .loss_limits = slows_for_loss(first_.fd())};
  }

  State& state_;
  SocketStream& first_;
  UnexplainedLoss loss_;
  bool answered_ = false;
  Endpoint receiver_;
  StreamBundle bundle_;
  Rejoining rejoining_;
  Widening widening_;
};

void Sender::State::run(Walker& walker, const std::stop_token& stop) {
  std::deque<OutgoingBatchPtr> unsettled;
  Reconnecting again(options);
  LinkMetrics path_metrics(options);
  while (true) {
    // What the stages of a lost connection have left has memory that the next ones are to take.
    wait_for_work_left_alone([&] {
      if (stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    });
    std::unique_ptr<Stream> stream;
    std::optional<Widened> widened;
    std::optional<SendSession> session;
    Clock::time_point since;
    try {
      stream = connect(again, stop);
      since = Clock::now();
      // A channel has none, and of one that was given its owner has chosen.
      if (auto* const socket = dynamic_cast<SocketStream*>(stream.get()); socket && !is_given)
        choose_congestion(*socket);
      if (widens()) widened.emplace(*this, dynamic_cast<SocketStream&>(*stream));
      observed.time_seconds = seconds_since(began);
      session.emplace(SendSession::Setup{
          .options = options,
          .walker = walker,
          .stream = widened ? widened->bundle() : *stream,
          .observer = observer,
          .lossy_observer = lossy_observer,
          .lossy = lossy,
          .statistics = statistics,
          .counters = counters,
          .totals = totals,
          .unsettled = unsettled,
          .path_metrics = path_metrics.of(*stream),
          .before = observed,
          .learned = [&](const PathMetrics& learned) { path_metrics.learn(learned); },
          .may_join = widened ? widened->may_join() : nullptr,
          .input = input ? &*input : nullptr,
          .rejoins = rejoins()});
      if (again.reached()) ++statistics.retries;
      reconnecting = 0;
      session->run(stop);
      return note_observed(*session);
    } catch (const Error& error) {
      if (session) note_observed(*session);
      const bool ends =
          session && (session->lost() ? session->lost_for_good() : !session->receiver_gave_up());
      if (widened && ends && source == nullptr) widened->say_gone();
      // Besides a receiver that was heard and lost: one that is being started, or started again,
      // refuses connections, and one behind a tunnel may take them without a word.
      // One that serves somebody else is not this transfer's yet.
      const bool sent_away = session && session->sent_away();
      const bool gone = session && session->lost() && (!sent_away || again.reached());
      again.note_sent_away(sent_away);
      if (!gone && (error.kind() != ErrorKind::connect || (session && session->receiver_gave_up())))
        throw;
      if (source != nullptr && (!stream || !source->has_more())) throw;
      if (session && session->lost_for_good())
        throw error.followed_by("; what standard input gave is gone, so nothing can go on");
      // The other end waits for it, and what comes before the next one may take long.
      if (source != nullptr) source->tell_lost(stop);
      if (gone) again.note_lost(*session, since, unsettled);
      const unsigned attempt = again.wait(error, observer, stop);
      if (again.reached()) reconnecting = attempt;
      begin_anew();
    }
  }
}

Sender::Sender(SendOptions options, Observer* observer) : state_(std::make_unique<State>()) {
  if (options.to_file.empty()) {
    require_key(options.key, options.insecure);
    begin(std::move(options), observer);
    return;
  }
  options.retry_for = options.wait_for = options.timeout = std::chrono::milliseconds(0);
  options.key.reset();
  begin(std::move(options), observer);
  state_->file.emplace(state_->options.to_file, state_->options.replace_file);
  state_->given = std::make_unique<RecordingStream>(*state_->file);
  state_->is_given = true;
}

Sender::Sender(SendOptions options, std::unique_ptr<Stream> connection, Observer* observer)
    : state_(std::make_unique<State>()) {
  options.retry_for = options.wait_for = std::chrono::milliseconds(0);
  options.key.reset();
  begin(std::move(options), observer);
  state_->given = std::move(connection);
  state_->is_given = true;
}

Sender::Sender(SendOptions options, ConnectionSource& connections, Observer* observer)
    : state_(std::make_unique<State>()) {
  // It is there, whether or not it was heard over the first one.
  options.wait_for = options.retry_for;
  options.key.reset();
  begin(std::move(options), observer);
  state_->source = &connections;
}

void Sender::begin(SendOptions options, Observer* observer) {
  validate(options);
  raise_descriptor_limit();
  if (options.key)
    state_->tls.emplace(*options.key, TlsContext::Side::connects, options.key_advice);
  state_->options = std::move(options);
  if (!state_->options.stdin_name.empty()) state_->input.emplace();
  state_->observer = observer;
  state_->statistics.dry_run = state_->options.dry_run;
}

void Sender::lose(const Lossy& lossy, LossyObserver* observer) {
  const std::string what = "lossy " + to_string(lossy);
  if (const std::string why = why_not(lossy); !why.empty())
    throw Error(ErrorKind::usage, what + why);
  if (!state_->options.stdin_name.empty())
    throw Error(ErrorKind::usage, what + ": of files and trees, and not of standard input");
  state_->lossy.how = lossy;
  state_->lossy_observer = observer;
}

Sender::~Sender() = default;

Statistics Sender::run(std::stop_token stop) {
  State& state = *state_;
  const SendOptions& options = state.options;
  const Clock::time_point begin = state.began = Clock::now();
  std::optional<Walker> walker;
  try {
    walker.emplace(
        Walker::Setup{.paths = options.paths,
                      .stdin_name = options.stdin_name,
                      .filter = Filter(options.filters),
                      .hash_contents = options.compare_contents,
                      .one_file_system = options.one_file_system,
                      .copy_links = options.copy_links,
                      .recursive = options.recursive,
                      .keep = options.keep,
                      .shard = options.shard,
                      .name = options.name,
                      .own_file = state.file ? state.file->identity() : std::nullopt,
                      .listed = options.listed,
                      .left_out = [&state](const std::string& path, const std::string& why) {
                        if (state.observer != nullptr) state.observer->on_left_out(path, why);
                      }});
    state.run(*walker, stop);
  } catch (...) {
    state.finish(begin, walker);
    // Of a file that is not there nothing is.
    if (state.file)
      state.statistics.committed = state.statistics.committed_directories =
          state.statistics.committed_links = 0;
    throw;
  }
  state.finish(begin, walker);
  state.finished = true;
  return state.statistics;
}

Progress Sender::progress() const noexcept {
  const State& state = *state_;
  const TransferTotals& totals = state.totals;
  return {.raw_bytes = state.crossed_raw_before + totals.crossed_raw_bytes,
          .wire_bytes = state.crossed_wire_before + totals.crossed_wire_bytes,
          .total_bytes = totals.wanted_bytes - totals.skipped_bytes,
          .total_known = totals.known,
          .flushing = totals.all_crossed && !state.finished,
          .finished = state.finished,
          .resumed_bytes = totals.resumed_bytes,
          .files_done = totals.files_done,
          .files_found = totals.files_found,
          .all_found = totals.all_found,
          .entries_done = totals.entries_done,
          .level = state.counters.level,
          .reconnecting = state.reconnecting,
          .queue_position = state.totals.queue_position,
          .transfers_ahead = state.totals.transfers_ahead};
}

const Statistics& Sender::statistics() const noexcept { return state_->statistics; }

const LossyTotals& Sender::lossy_totals() const noexcept { return state_->lossy; }

}  // namespace adoc
