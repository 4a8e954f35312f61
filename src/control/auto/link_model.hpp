#pragma once

#include "control/auto/params.hpp"
#include "control/auto/rate_belief.hpp"
#include "control/policy.hpp"

namespace adoc {

/// Turns what is seen of a link into observations of its rate, each an interval.
///
/// A link that has something to send all the time takes what arrives between two arrivals, no more
/// and no less; when either happened is known to between two observations. A shaper lets pass at
/// once what it has saved up. Arrivals are seen in steps, so that a link from which nothing comes
/// for a while is only known to be slower than one more step would be. A link that waits for its
/// sender, its receiver or the window of TCP's slow start may be any faster than what arrives. It
/// waits for neither sender nor window while bytes are overdue: they stand in a queue on the way.
class LinkModel {
 public:
  LinkModel() = default;
  explicit LinkModel(const RateBelief& remembered) : before_(remembered) {}

  void see(const LinkState& link);

  /// With all that was seen until now.
  [[nodiscard]] const RateBelief& rate() const;

 private:
  enum class Kind { idle, busy, waiting };

  /// What is seen of the link while it is of one kind.
  struct Window {
    Kind kind = Kind::idle;
    double begin = 0;       ///< seconds; of a busy one no later than its first arrival
    double begin_late = 0;  ///< no earlier than that
    double end_late = 0;    ///< no earlier than its last arrival
    double now = 0;
    double bytes = 0;  ///< that arrived after the first arrival; while it waits, all
    bool arrived = false;
  };

  [[nodiscard]] Kind kind_of(const LinkState& now) const;
  void add(const LinkState& now, double at);
  void observe_window(RateBelief& rate) const;
  void begin_window(Kind kind);

  RateBelief before_;  ///< without the window
  mutable RateBelief rate_;
  mutable bool is_current_ = false;
  LinkState last_{};
  double last_seconds_ = 0;  ///< when it was so
  Window window_{};
  double saved_bytes_ = params::kBurstBytes;  ///< that a shaper may let pass at once
};

}  // namespace adoc
