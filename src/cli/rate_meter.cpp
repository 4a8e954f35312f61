#include "cli/rate_meter.hpp"

namespace adoc::cli {
namespace {

constexpr std::chrono::seconds kWindow{3};

}  // namespace

void RateMeter::add(const Progress& progress, Clock::time_point now) {
  if (!samples_.empty() && (progress.raw_bytes < samples_.back().raw_bytes ||
                            progress.wire_bytes < samples_.back().wire_bytes)) {
    samples_.clear();
  }
  samples_.push_back({now, progress.raw_bytes, progress.wire_bytes});
  // The first sample is the one at the window's border or just before it.
  while (samples_.size() > 2 && samples_[1].time <= now - kWindow) samples_.pop_front();
}

double RateMeter::raw_bytes_per_second() const { return per_second(&Sample::raw_bytes); }
double RateMeter::wire_bytes_per_second() const { return per_second(&Sample::wire_bytes); }

double RateMeter::per_second(std::uint64_t Sample::*bytes) const {
  if (samples_.size() < 2) return 0;
  const Sample& first = samples_.front();
  const Sample& last = samples_.back();
  const double seconds = std::chrono::duration<double>(last.time - first.time).count();
  return seconds > 0 ? static_cast<double>(last.*bytes - first.*bytes) / seconds : 0;
}

}  // namespace adoc::cli
