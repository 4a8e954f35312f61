#include "io/stream_bundle.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "adoc/error.hpp"
#include "io/bundle_pump.hpp"
#include "util/errno_error.hpp"
#include "util/file_size_signal.hpp"

namespace adoc {

using std::chrono::milliseconds;

namespace {

/// What is kept at first of a direction that says little, as the peer says that often what it has
/// read of it.
constexpr std::size_t kRepliesKept = 2 * kMostUntoldReplies;
/// At a round trip below that little is on its way.
constexpr double kShortSeconds = 1e-3;

}  // namespace

std::size_t kept_on_path(const SocketStream& first, std::size_t most) noexcept {
  const auto delivery = first.delivery();
  const bool is_short =
      delivery && delivery->round_trip_seconds > 0 && delivery->round_trip_seconds < kShortSeconds;
  return is_short ? std::min(kLeastKept, most) : most;
}

StreamBundle::StreamBundle(const Setup& setup)
    : shared_(setup.buffer, setup.window),
      first_(setup.first),
      splits_(setup.splits),
      border_(setup.before_frames),
      heard_bytes_(setup.heard_bytes) {
  const auto state = shared_.state.lock();
  state->plain_bytes = setup.said_bytes;
  if (setup.keeps == 0) return;
  shared_.out.make(setup.keeps);
  state->out.keep(setup.keeps);
  state->keeps = true;
  // As long as it has not said more, see allow().
  state->peer_window = kMinStreamWindow;
  state->out.hear(0, state->peer_window);
}

StreamBundle::~StreamBundle() {
  {
    const auto state = shared_.state.lock();
    state->closing = true;
  }
  wake_thread();
  thread_ = {};
}

void StreamBundle::allow(std::size_t connections, std::uint64_t limit) {
  const auto state = shared_.state.lock();
  state->most_at_once = connections;
  state->peer_window = limit;
  state->out.hear(state->out.arrived(), (state->keeps ? state->out.arrived() : 0) + limit);
}

bool StreamBundle::join(JoiningStream& stream) {
  bool begins = false;
  bool replaces = false;
  {
    const auto state = shared_.state.lock();
    // Of one that lasts the thread that has them has the longest silent go.
    const bool is_full = state->patience ? state->joining.size() >= kMaxStreams
                                         : state->connections >= state->most_at_once;
    if (is_full || state->aborted || state->closing || state->gives_up || state->is_over)
      return false;
    const bool has_plain = !state->reads_records || !state->writes_records;
    if (stream.replaces && has_plain && !state->first_is_lost) {
      if (!state->outlives_first()) return false;
      state->lose_first();
      replaces = true;
    }
    state->joining.reserve(state->joining.size() + 1);
    begins = has_begun(*state);
    state->joining.push_back(std::move(stream));
    most_ = std::max(most_.load(), ++state->connections);
  }
  // Whoever reads it finds that out, once all that has come was read.
  if (replaces) first_.abort();
  if (begins) start_thread();
  if (splits_) wants_split_ = true;
  shared_.state.wake_all();
  wake_thread();
  return true;
}

void StreamBundle::outlast(std::chrono::milliseconds limit, std::function<void()> before_records) {
  before_records_ = std::move(before_records);
  const bool begins = !shared_.out.is_made();
  if (begins) shared_.out.make(std::min(kRepliesKept, shared_.buffer));
  const auto state = shared_.state.lock();
  if (begins) state->out.keep(shared_.out.size());
  state->patience = limit;
  state->peer_knows = state->peer_knows || splits_;
  if (state->keeps || state->writes_records) return;
  // What was said before is heard by whoever knows how to come back.
  state->keeps = true;
  state->out.begin_at(state->plain_bytes);
  // As far as is known before its records say so.
  state->peer_window = shared_.buffer;
  state->out.hear(state->plain_bytes, state->plain_bytes + state->peer_window);
}

void StreamBundle::keep_nothing() noexcept {
  {
    const auto state = shared_.state.lock();
    if (!state->keeps || state->patience) return;
    state->keeps = false;
    state->out = RecordPlan(shared_.out.size(), 0);
  }
  shared_.state.wake_all();
}

void StreamBundle::note_acknowledged(std::uint64_t bytes) {
  {
    const auto state = shared_.state.lock();
    state->peer_knows = true;
    if (!state->keeps || state->writes_records) return;
    state->hear(bytes, std::min(bytes, state->out.given()) + state->peer_window);
  }
  shared_.state.wake_all();
}

void StreamBundle::expect_end() noexcept {
  shared_.state.lock()->expects_end = true;
  shared_.state.wake_all();
}

void StreamBundle::give_up(std::exception_ptr why) noexcept {
  {
    const auto state = shared_.state.lock();
    state->gives_up = true;
    if (!state->failure) state->failure = std::move(why);
  }
  wake_thread();
}

bool StreamBundle::has_begun(BundleState& state) {
  if (state.has_thread) return false;
  shared_.changed.emplace();
  return state.has_thread = true;
}

void StreamBundle::wake_thread() noexcept {
  const auto state = shared_.state.lock();
  if (state->has_thread) shared_.changed->set();
}

void StreamBundle::start_thread() {
  try {
    thread_ = std::jthread([this]() noexcept {
      block_file_size_signal();
      BundlePump({.shared = shared_, .first = first_, .connects = splits_}).run();
    });
  } catch (const std::system_error& error) {
    throw errno_error(ErrorKind::internal, "start a thread", error.code().value());
  }
}

StreamBundle::Figures StreamBundle::figures() const {
  const auto delivered = delivery();
  const auto state = shared_.state.lock();
  Figures figures{.connections = state->connections,
                  .is_safe = state->reads_records && state->writes_records,
                  .is_alone = state->is_alone,
                  .lasts = state->patience.has_value(),
                  .is_over = state->is_over || state->closing || state->aborted,
                  .acknowledged = state->out.arrived(),
                  .last_lost = state->last_lost};
  if (!delivered) return figures;
  figures.arrived_bytes = delivered->arrived_bytes + delivered->ahead_bytes;
  figures.waiting_bytes = delivered->unsent_bytes;
  figures.round_trip_seconds = delivered->round_trip_seconds;
  figures.queue_seconds = delivered->queue_seconds;
  return figures;
}

std::optional<Delivery> StreamBundle::delivery() const noexcept {
  if (!writes_records_) return first_.delivery();
  const auto state = shared_.state.lock();
  const std::uint64_t given = (state->keeps ? 0 : state->plain_bytes) + state->out.given();
  const std::uint64_t waiting = state->out.unassigned();
  const std::uint64_t arrived = given - std::min(given, waiting + state->on_the_way);
  state->most_arrived = std::max(state->most_arrived, arrived);
  return Delivery{.arrived_bytes = state->most_arrived,
                  .unsent_bytes = waiting + state->unsent,
                  .ahead_bytes = state->ahead,
                  .queue_seconds = state->queue_seconds,
                  .in_slow_start = state->in_slow_start,
                  .round_trip_seconds = state->round_trip_seconds,
                  .receive_window_seconds = state->receive_window_seconds,
                  .send_buffer_seconds = state->send_buffer_seconds,
                  .retransmitted_bytes = state->retransmitted_bytes,
                  .connections = std::min(state->connections, state->used)};
}

bool StreamBundle::delivery_waits() const noexcept {
  return !writes_records_ && first_.delivery_waits();
}

void StreamBundle::set_unsent_limit(std::size_t bytes) noexcept {
  shared_.state.lock()->unsent_limit = bytes;
  if (!writes_records_) first_.set_unsent_limit(bytes);
}

void StreamBundle::set_read_timeout(milliseconds limit) {
  read_timeout_ = limit;
  if (!reads_records_) first_.set_read_timeout(limit);
}

void StreamBundle::set_silence_limit(milliseconds limit) {
  read_timeout_ = limit;
  promised_to_speak_ = true;
  if (!reads_records_) first_.set_silence_limit(limit);
}

std::optional<std::chrono::nanoseconds> StreamBundle::waited_to_read() const noexcept {
  const auto before = first_.waited_to_read();
  if (!before) return std::nullopt;
  return *before + waited_;
}

Stream::PeerEnd StreamBundle::peer_end() const noexcept {
  if (!reads_records_)
    return shared_.state.lock()->outlives_first() ? PeerEnd::none : first_.peer_end();
  const auto state = shared_.state.lock();
  if (state->in.has_end()) return PeerEnd::finished;
  return state->is_over ? PeerEnd::gone : PeerEnd::none;
}

void StreamBundle::stop_reading() noexcept {
  shared_.state.lock()->stopping = true;
  shared_.state.wake_all();
  first_.stop_reading();
}

void StreamBundle::abort() noexcept {
  shared_.state.lock()->aborted = true;
  shared_.state.wake_all();
  wake_thread();
  first_.abort();
}

}  // namespace adoc
