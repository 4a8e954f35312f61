#include "cli/slots.hpp"

#include <algorithm>
#include <cmath>

#include "cli/trace_columns.hpp"

namespace adoc::cli {
namespace {

constexpr double kSlotSeconds = 0.05;
constexpr std::size_t kFewestSlots = 20;
constexpr std::size_t kMostSlots = 240;

/// What was seen by then.
struct Seen {
  Observation sums{};
  double raw_bytes = 0;
};

Seen between(const Seen& from, const Seen& to, double part) noexcept {
  Seen seen{.raw_bytes = from.raw_bytes + part * (to.raw_bytes - from.raw_bytes)};
  for (const SeenColumn& column : kSeenColumns)
    std::visit(
        [&](auto member) {
          const auto a = static_cast<double>(from.sums.*member);
          const auto b = static_cast<double>(to.sums.*member);
          using Value = std::remove_reference_t<decltype(seen.sums.*member)>;
          seen.sums.*member = static_cast<Value>(a + part * (b - a));
        },
        column.member);
  return seen;
}

/// What was seen at any time, as if everything grew evenly between two moments at which it was.
class Curve {
 public:
  explicit Curve(const Series& series) : points_(1) {
    Seen seen;
    for (const Series::Bin& bin : series.bins()) {
      if (!bin.used) continue;
      seen.raw_bytes += static_cast<double>(bin.raw_bytes);
      seen.sums = bin.seen;
      points_.push_back(seen);
    }
  }

  /// For times that do not go back.
  [[nodiscard]] Seen at(double seconds) {
    while (next_ < points_.size() && points_[next_].sums.time_seconds <= seconds) ++next_;
    Seen seen = points_[next_ - 1];
    if (next_ < points_.size()) {
      const double begin = seen.sums.time_seconds;
      const double length = points_[next_].sums.time_seconds - begin;
      seen = between(seen, points_[next_], length > 0 ? (seconds - begin) / length : 1);
    }
    seen.sums.time_seconds = seconds;
    return seen;
  }

 private:
  std::vector<Seen> points_;
  std::size_t next_ = 1;
};

void add_levels(std::vector<Slot>& slots, const Series& series, double slot_seconds) {
  std::vector<double> bytes(slots.size());
  for (const Series::Bin& bin : series.bins()) {
    if (bin.blocks == 0) continue;
    const auto at = static_cast<std::size_t>(std::max(0.0, bin.seen.time_seconds) / slot_seconds);
    const std::size_t i = std::min(at, slots.size() - 1);
    Slot& slot = slots[i];
    slot.lowest = slot.level ? std::min(slot.lowest, bin.lowest) : bin.lowest;
    slot.highest = slot.level ? std::max(slot.highest, bin.highest) : bin.highest;
    const auto raw = static_cast<double>(bin.raw_bytes);
    slot.level = bytes[i] + raw > 0
                     ? (slot.level.value_or(0) * bytes[i] + bin.level_bytes) / (bytes[i] + raw)
                     : bin.lowest;
    bytes[i] += raw;
  }
}

}  // namespace

std::vector<Slot> slots_of(const Series& series, double seconds) {
  seconds = std::max(seconds, series.last().time_seconds);
  std::vector<Slot> slots;
  if (seconds <= 0) return slots;
  slots.resize(static_cast<std::size_t>(
      std::clamp(seconds / kSlotSeconds, double{kFewestSlots}, double{kMostSlots})));
  const double each = seconds / static_cast<double>(slots.size());
  Curve curve(series);
  Seen before = curve.at(0);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    slot.begin = each * static_cast<double>(i);
    slot.end = each * static_cast<double>(i + 1);
    const Seen now = curve.at(slot.end);
    const auto rate = [each](double from, double to) { return std::max(0.0, to - from) / each; };
    slot.raw_bytes_per_second = rate(before.raw_bytes, now.raw_bytes);
    slot.wire_bytes_per_second = rate(static_cast<double>(before.sums.arrived_bytes),
                                      static_cast<double>(now.sums.arrived_bytes));
    slot.queued_bytes = static_cast<double>(now.sums.queued_bytes);
    slot.link_price = now.sums.link_price;
    slot.limits = limits_between(before.sums, now.sums);
    before = now;
  }
  add_levels(slots, series, each);
  return slots;
}

LimitShares limits_of(const std::vector<Slot>& slots) noexcept {
  LimitShares all;
  for (const Slot& slot : slots)
    for (std::size_t i = 0; i < kLimits; ++i)
      all.share[i] += slot.limits.share[i] / static_cast<double>(slots.size());
  return all;
}

}  // namespace adoc::cli
