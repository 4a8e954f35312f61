#pragma once

#include <atomic>
#include <cstdint>

#include "util/clock.hpp"

namespace adoc {

/// How long something was done in all, what is under way included. One thread at a time does it;
/// any thread may ask.
class LiveTime {
 public:
  /// Done as long as it exists.
  class Doing {
   public:
    explicit Doing(LiveTime& time) noexcept : time_(time) { time_.begin(clock_ns()); }
    ~Doing() { time_.end(clock_ns()); }
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

   private:
    LiveTime& time_;
  };

  void begin(std::int64_t now_ns) noexcept { since_ns_ = now_ns; }

  /// Nothing if it was not begun.
  void end(std::int64_t now_ns) noexcept {
    const std::int64_t since = since_ns_.exchange(kNever);
    if (since != kNever) sum_ns_ += now_ns - since;
  }

  /// Whoever asks while it ends may be told of what was before: less, never more.
  [[nodiscard]] double seconds(std::int64_t now_ns) const noexcept {
    while (true) {
      const std::int64_t sum = sum_ns_;
      const std::int64_t since = since_ns_;
      if (sum != sum_ns_) continue;
      const bool under_way = since != kNever && since < now_ns;
      return static_cast<double>(under_way ? sum + now_ns - since : sum) * 1e-9;
    }
  }

 private:
  static constexpr std::int64_t kNever = INT64_MIN;

  std::atomic<std::int64_t> sum_ns_{0};
  std::atomic<std::int64_t> since_ns_{kNever};
};

}  // namespace adoc
