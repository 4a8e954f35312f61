#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/queue_ends.hpp"

namespace adoc {

/// A queue for several producers whose items leave in an order that is fixed before they are made:
/// each producer opens a lane, and lanes leave one after the other. So blocks that are worked on
/// side by side come out in order, without a buffer in which they are sorted, and the first of them
/// leaves while it is still being made. (The queue of queues of pzstd.)
///
/// Items have weights. What can leave at once, the lanes up to the first that is still open, is
/// bounded by the capacity: its producer waits. The producers of later lanes never wait, or all
/// would for ever; what they hold is bounded by what one lane may get.
///
/// An item of weight 0 belongs to what comes next in its lane, or to the lane's end, and leaves
/// with it: whoever waits at the other end waits behind an item with a weight, or behind a lane.
///
/// Items have a size(), their bytes. All members may be called from any thread. Once fail() was
/// called, all that wait or take throw what it was given.
template <typename T>
class LaneQueue : public QueueEnds {
 public:
  using Lane = std::uint64_t;
  using QueueEnds::close;  // no more lanes

  explicit LaneQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits until there is less inside than the capacity, in all lanes; tells whether it had to.
  bool wait_for_room() {
    Lock lock = locked();
    rethrow_failure();
    if (weight_ < capacity_) return false;
    QueueEnds::wait_for_room(lock, [&] { return weight_ < capacity_; });
    return true;
  }

  /// The same, but waits no longer than this: false when the time comes first.
  [[nodiscard]] bool has_room_until(Clock::time_point deadline) {
    Lock lock = locked();
    rethrow_failure();
    return wait_for_room_until(lock, deadline, [&] { return weight_ < capacity_; });
  }

  /// Whether there is less inside than the capacity, in all lanes: a snapshot.
  [[nodiscard]] bool has_room() const {
    const Lock lock = locked();
    return weight_ < capacity_;
  }

  /// Waits until no more bytes can leave than this; false when the time comes first.
  bool wait_until_ready(std::size_t most_bytes, Clock::time_point deadline) {
    Lock lock = locked();
    return wait_for_room_until(lock, deadline, [&] { return ready_bytes_ <= most_bytes; });
  }

  /// Waits until nothing is inside, what was taken and not released included; false when the time
  /// comes first.
  [[nodiscard]] bool wait_until_empty(Clock::time_point deadline) {
    Lock lock = locked();
    return wait_for_room_until(lock, deadline, [&] { return bytes_ == 0; });
  }

  /// The lane behind all others. Never waits.
  [[nodiscard]] Lane open() {
    const Lock lock = locked();
    rethrow_failure();
    lanes_.emplace_back();
    return first_ + lanes_.size() - 1;
  }

  /// Tells whether it had to wait for room. An item of weight 0 needs none; one heavier than the
  /// capacity is let in when nothing else can leave. The lane must be open.
  bool push(Lane lane, T item, std::size_t weight = 1) {
    Lock lock = locked();
    rethrow_failure();
    const bool full = weight != 0 && !fits(lane, weight);
    if (full) QueueEnds::wait_for_room(lock, [&] { return fits(lane, weight); });
    put(lane, std::move(item), weight);
    return full;
  }

  /// The same, but waits no longer than this: false when the time comes first, and the item is
  /// where it was.
  [[nodiscard]] bool push_until(Lane lane, T& item, std::size_t weight,
                                Clock::time_point deadline) {
    Lock lock = locked();
    rethrow_failure();
    if (weight != 0 && !wait_for_room_until(lock, deadline, [&] { return fits(lane, weight); }))
      return false;
    put(lane, std::move(item), weight);
    return true;
  }

  /// No more comes into this lane.
  void close(Lane lane) {
    const Lock lock = locked();
    if (!failed()) close_locked(lane);
  }

  /// An item with a lane of its own. Never waits.
  void push(T item, std::size_t weight = 0) {
    const Lock lock = locked();
    put_alone(std::move(item), weight);
  }

  /// The same, for what says all that the one before it said: takes the place of that, as long as
  /// it has not left. So of these there is one at most, however long nothing leaves.
  void push_latest(T item) {
    const Lock lock = locked();
    rethrow_failure();
    if (latest_ && *latest_ >= first_ && !state(*latest_).items.empty()) {
      replace(*latest_, std::move(item));
      return;
    }
    put_alone(std::move(item), 0);
    latest_ = first_ + lanes_.size() - 1;
  }

  /// As push(), and the queue is closed behind it, with no moment between the two.
  void push_last(T item) {
    const Lock lock = locked();
    put_alone(std::move(item), 0);
    no_more_items();
  }

  /// Waits for an item, then takes up to `most` of those that can leave into `items`; false once
  /// the queue is closed and empty. They keep their weight, as if still inside, until it is
  /// released.
  [[nodiscard]] bool pop_some(std::vector<T>& items, std::size_t most) {
    Lock lock = locked();
    wait_for_items(lock, [&] { return something_leaves() || ended(); });
    take(items, most);
    return !items.empty();
  }

  enum class Popped { some, none_yet, ended };

  /// The same, but waits no longer than this.
  [[nodiscard]] Popped pop_some_until(std::vector<T>& items, std::size_t most,
                                      Clock::time_point deadline) {
    Lock lock = locked();
    if (!wait_for_items_until(lock, deadline, [&] { return something_leaves() || ended(); }))
      return Popped::none_yet;
    take(items, most);
    return items.empty() ? Popped::ended : Popped::some;
  }

  /// The oldest item that pop_some() gave is dealt with: its weight leaves the queue.
  void release() {
    const Lock lock = locked();
    weight_ -= taken_.front().weight;
    ready_ -= taken_.front().weight;
    ready_bytes_ -= taken_.front().bytes;
    bytes_ -= taken_.front().bytes;
    taken_.pop_front();
    if (ready_ == 0) dry_since_ = Clock::now();
    made_room();
  }

  /// The first failure wins; the items are dropped.
  void fail(std::exception_ptr failure) noexcept {
    const Lock lock = locked();
    if (fail_first(std::move(failure))) lanes_.clear();
  }

  /// Whether the queue was closed and its last item taken, before any failure.
  [[nodiscard]] bool all_taken() const {
    const Lock lock = locked();
    return all_taken_;
  }

  /// The weight inside, in all lanes: a snapshot.
  [[nodiscard]] std::size_t size() const {
    const Lock lock = locked();
    return weight_;
  }

  /// The sum of size() of all items inside: a snapshot.
  [[nodiscard]] std::size_t bytes() const {
    const Lock lock = locked();
    return bytes_;
  }

  /// Of these, what is in no lane behind an open one: a snapshot.
  [[nodiscard]] std::size_t ready_bytes() const {
    const Lock lock = locked();
    return ready_bytes_;
  }

  /// For how long the other end has had nothing left, if it is this lane that it waits for.
  [[nodiscard]] double starved_seconds(Lane lane) const {
    const Lock lock = locked();
    if (failed() || ready_ != 0 || lane != first_open()) return 0;
    return seconds_since(dry_since_);
  }

 private:
  struct Taken {
    std::size_t weight = 0;
    std::size_t bytes = 0;
  };
  struct LaneState {
    std::deque<std::pair<T, std::size_t>> items;
    std::size_t weight = 0;  ///< of all that was ever put in
    std::size_t bytes = 0;   ///< the same
    bool open = true;
  };

  [[nodiscard]] LaneState& state(Lane lane) {
    return lanes_[static_cast<std::size_t>(lane - first_)];
  }
  [[nodiscard]] bool fits(Lane lane, std::size_t weight) const noexcept {
    return lane != first_open() || ready_ == 0 || ready_ + weight <= capacity_;
  }

  /// The lane whose items can leave as they come.
  [[nodiscard]] Lane first_open() const noexcept { return first_ + closed_lanes_; }

  void put(Lane lane, T item, std::size_t weight) {
    LaneState& into = state(lane);
    const std::size_t bytes = item.size();
    bytes_ += bytes;
    into.bytes += bytes;
    into.items.emplace_back(std::move(item), weight);
    into.weight += weight;
    weight_ += weight;
    if (lane != first_open()) return;
    ready_ += weight;
    ready_bytes_ += bytes;
    if (weight != 0) put_items();
  }

  void put_alone(T item, std::size_t weight) {
    rethrow_failure();
    lanes_.emplace_back();
    const Lane lane = first_ + lanes_.size() - 1;
    put(lane, std::move(item), weight);
    close_locked(lane);
  }

  /// The only item of a closed lane, without weight.
  void replace(Lane lane, T item) {
    T& old = state(lane).items.front().first;
    const std::size_t more = item.size() - old.size();  // which may wrap around
    bytes_ += more;
    state(lane).bytes += more;
    if (lane < first_open()) ready_bytes_ += more;
    old = std::move(item);
  }

  void close_locked(Lane lane) {
    state(lane).open = false;
    if (lane != first_open()) return;
    // All closed ones behind it can leave now, and of the next open one what is there.
    while (closed_lanes_ < lanes_.size() && !lanes_[closed_lanes_].open) {
      ++closed_lanes_;
      if (closed_lanes_ == lanes_.size()) break;
      ready_ += lanes_[closed_lanes_].weight;
      ready_bytes_ += lanes_[closed_lanes_].bytes;
    }
    put_items();
    made_room();
  }

  void take(std::vector<T>& items, std::size_t most) {
    for (; most != 0 && something_leaves(); --most) {
      auto& [item, weight] = lanes_.front().items.front();
      taken_.push_back({weight, item.size()});
      items.push_back(std::move(item));
      lanes_.front().items.pop_front();
    }
    all_taken_ = !something_leaves() && ended();
  }

  /// Nothing is left and nothing comes; after something_leaves().
  [[nodiscard]] bool ended() const noexcept { return closed() && lanes_.empty(); }

  /// Whether there is an item that can leave, at the front; lanes that have left are dropped.
  bool something_leaves() {
    while (closed_lanes_ != 0 && lanes_.front().items.empty()) {
      lanes_.pop_front();
      ++first_;
      --closed_lanes_;
    }
    if (lanes_.empty()) return false;
    const auto& items = lanes_.front().items;
    return !items.empty() && (closed_lanes_ != 0 || items.size() > 1 || items.front().second != 0);
  }

  const std::size_t capacity_;
  std::deque<LaneState> lanes_;
  Lane first_ = 0;                              ///< number of the lane at the front
  std::size_t closed_lanes_ = 0;                ///< at the front
  std::optional<Lane> latest_;                  ///< of push_latest()
  std::deque<Taken> taken_;                     ///< given by pop_some() and not released
  std::size_t bytes_ = 0;                       ///< of all
  std::size_t weight_ = 0;                      ///< of all
  std::size_t ready_bytes_ = 0;                 ///< of what can leave and what is taken
  std::size_t ready_ = 0;                       ///< of what can leave and what is taken
  Clock::time_point dry_since_ = Clock::now();  ///< that is 0
  bool all_taken_ = false;
};

}  // namespace adoc
