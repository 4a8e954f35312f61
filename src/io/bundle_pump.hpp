#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "io/bundle_link.hpp"
#include "io/bundle_state.hpp"
#include "io/poll_set.hpp"
#include "util/clock.hpp"

namespace adoc {

/// What the thread of a bundle does that has its connections: it waits for all of them at once and
/// for none of them alone. What it finds out, that one is lost above all, is in the state.
class BundlePump {
 public:
  struct Setup {
    BundleShared& shared;
    SocketStream& first;
    /// This side makes those that join, and has the memory for what comes over them at once.
    bool connects = false;
  };

  explicit BundlePump(const Setup& setup) noexcept
      : shared_(setup.shared), first_(setup.first), connects_(setup.connects) {}

  /// Until the bundle closes or is aborted, or no connection is left. Does not throw: the failure
  /// is in the state.
  void run() noexcept;

 private:
  void pump();
  void take_in();
  [[nodiscard]] bool waits_for_others(BundleState& state);
  [[nodiscard]] Clock::time_point waits_until(const BundleState& state) const;
  [[nodiscard]] bool goes_on();
  [[nodiscard]] bool has_all_gone() const;
  void watch();
  [[nodiscard]] bool reads(const BundleLink& link) const noexcept;
  void attend();
  void hear_all();
  void say_all();
  void lose(BundleLink& link, std::exception_ptr why);
  void lose_all();
  void lose_silent();
  void lose_longest_silent();
  void drop_lost();
  void decide_telling();
  void measure();
  void lose_dead(std::chrono::milliseconds patience);
  void share_unsent_limit(std::size_t limit);
  void end(std::exception_ptr failure) noexcept;

  BundleShared& shared_;
  SocketStream& first_;
  bool connects_;
  std::vector<std::unique_ptr<BundleLink>> links_;  ///< null: lost
  RecordPlan::Number last_number_ = BundleLink::kFirst;
  bool has_first_ = false;
  bool first_writes_ = false;
  bool reads_joined_ = false;

  PollSet set_;
  std::size_t link_number_ = 0;   ///< of the first one in the set
  std::size_t turn_ = 0;          ///< of who is first to send
  BundleLink* teller_ = nullptr;  ///< who is to tell the peer what is here
  Clock::time_point now_{};
  Clock::time_point closes_at_ = Clock::time_point::max();
  Clock::time_point alone_until_ = Clock::time_point::max();
  std::optional<int> refused_;      ///< since all were lost and until another brings something
  Clock::time_point arrived_at_{};  ///< something, over any of them

  // What the peer was told of its direction.
  std::uint64_t told_arrived_ = 0;
  Clock::time_point told_at_{};
  Clock::time_point tell_at_ = Clock::time_point::max();
  bool tell_again_ = false;

  Clock::time_point measured_at_{};
  std::size_t unsent_limit_ = 0;  ///< of each connection, as it was set
};

}  // namespace adoc
