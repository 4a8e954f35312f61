#include "cli/slots.hpp"

#include <algorithm>
#include <cmath>

#include "cli/trace_columns.hpp"

namespace adoc::cli {
namespace {

constexpr double kSlotSeconds = 0.05;
constexpr std::size_t kFewestSlots = 20;
constexpr std::size_t kMostSlots = 240;

Observation between(const Observation& from, const Observation& to, double part) noexcept {
  Observation seen;
  for (const SeenColumn& column : kSeenColumns)
    std::visit(
        [&](auto member) {
          const auto a = static_cast<double>(from.*member);
          const auto b = static_cast<double>(to.*member);
          using Value = std::remove_reference_t<decltype(seen.*member)>;
          seen.*member = static_cast<Value>(a + part * (b - a));
        },
        column.member);
  return seen;
}

/// What was seen at any time, as if everything grew evenly between two moments at which it was.
class Curve {
 public:
  explicit Curve(const Series& series) : points_(1), made_(1) {
    Made made;
    for (const Series::Bin& bin : series.bins()) {
      if (!bin.used) continue;
      points_.push_back(bin.seen);
      made.raw_bytes += static_cast<double>(bin.raw_bytes);
      made.wire_bytes += static_cast<double>(bin.wire_bytes);
      if (bin.blocks > 0) made_.push_back(made);
    }
    const auto arrived = static_cast<double>(series.last().arrived_bytes);
    if (arrived > made.wire_bytes) blocks_share_ = made.wire_bytes / arrived;
  }

  /// For times that do not go back.
  [[nodiscard]] Observation at(double seconds) {
    while (next_ < points_.size() && points_[next_].time_seconds <= seconds) ++next_;
    Observation seen = points_[next_ - 1];
    if (next_ < points_.size()) {
      const double begin = seen.time_seconds;
      const double length = points_[next_].time_seconds - begin;
      seen = between(seen, points_[next_], length > 0 ? (seconds - begin) / length : 1);
    }
    seen.time_seconds = seconds;
    return seen;
  }

  /// How much of the data was in what had arrived: blocks arrive in the order in which they are
  /// made, with a little between them that is no data.
  [[nodiscard]] double raw_bytes(const Observation& seen) const {
    const double arrived = static_cast<double>(seen.arrived_bytes) * blocks_share_;
    const auto next = std::ranges::upper_bound(made_, arrived, {}, &Made::wire_bytes);
    if (next == made_.end()) return made_.back().raw_bytes;
    const Made& before = *(next - 1);
    const double part = (arrived - before.wire_bytes) / (next->wire_bytes - before.wire_bytes);
    return before.raw_bytes + part * (next->raw_bytes - before.raw_bytes);
  }

 private:
  /// By some time.
  struct Made {
    double raw_bytes = 0;
    double wire_bytes = 0;
  };

  std::vector<Observation> points_;
  std::vector<Made> made_;
  double blocks_share_ = 1;  ///< of what arrived
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
  Observation before = curve.at(0);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    slot.begin = each * static_cast<double>(i);
    slot.end = each * static_cast<double>(i + 1);
    const Observation now = curve.at(slot.end);
    const auto rate = [each](double from, double to) { return std::max(0.0, to - from) / each; };
    slot.raw_bytes_per_second = rate(curve.raw_bytes(before), curve.raw_bytes(now));
    slot.wire_bytes_per_second =
        rate(static_cast<double>(before.arrived_bytes), static_cast<double>(now.arrived_bytes));
    slot.queued_bytes = static_cast<double>(now.queued_bytes);
    slot.link_price = now.link_price;
    slot.streams = std::max(1.0, static_cast<double>(now.streams));
    slot.limits = limits_between(before, now);
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
