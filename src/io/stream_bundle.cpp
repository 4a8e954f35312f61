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

StreamBundle::StreamBundle(const Setup& setup)
    : shared_(setup.buffer, setup.window),
      first_(setup.first),
      splits_(setup.splits),
      border_(setup.before_frames) {}

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
  state->out.hear(state->out.arrived(), limit);
}

bool StreamBundle::join(JoiningStream& stream) {
  bool begins = false;
  {
    const auto state = shared_.state.lock();
    if (state->connections >= state->most_at_once || state->aborted || state->closing ||
        state->is_over)
      return false;
    state->joining.reserve(state->joining.size() + 1);
    begins = has_begun(*state);
    state->joining.push_back(std::move(stream));
    most_ = std::max(most_.load(), ++state->connections);
  }
  if (begins) start_thread();
  if (splits_) wants_split_ = true;
  wake_thread();
  return true;
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
      BundlePump({.shared = shared_, .first = first_, .reads_at_once = splits_}).run();
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
                  .is_over = state->is_over || state->closing || state->aborted};
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
  const std::uint64_t given = state->plain_bytes + state->out.given();
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
  if (!reads_records_) return first_.peer_end();
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
