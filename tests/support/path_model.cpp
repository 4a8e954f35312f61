#include "support/path_model.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace adoc::testkit {
namespace {

constexpr double kForEver = std::numeric_limits<double>::infinity();

}  // namespace

PathModel::PathModel(PathSetup setup) : setup_(std::move(setup)), random_(setup_.seed) {
  if (setup_.rate.empty() || setup_.rate.front().at_seconds > 0)
    throw std::invalid_argument("a path needs a rate from second 0 on");
  if (setup_.policer) tokens_ = setup_.policer->burst_bytes;
}

std::optional<double> PathModel::pass(double seconds, std::size_t bytes) {
  // Drawn for each packet, so that the fate of one does not decide on that of the others.
  const bool is_lost = happens(setup_.loss);
  const bool is_late = happens(setup_.reordering);
  if (!has_tokens(seconds, static_cast<double>(bytes))) {
    ++policed_;
    return std::nullopt;
  }
  if (queued(seconds) + static_cast<double>(bytes) > setup_.queue_bytes) {
    ++dropped_;
    return std::nullopt;
  }
  free_at_ = through(std::max(seconds, free_at_), static_cast<double>(bytes));
  if (is_lost || free_at_ == kForEver) {
    ++lost_;
    return std::nullopt;
  }
  ++passed_;
  return free_at_ + setup_.delay_seconds + (is_late ? setup_.reordering_seconds : 0);
}

bool PathModel::has_tokens(double seconds, double bytes) noexcept {
  if (!setup_.policer) return true;
  const double come = (seconds - filled_at_) * setup_.policer->bytes_per_second;
  tokens_ = std::min(tokens_ + come, setup_.policer->burst_bytes);
  filled_at_ = seconds;
  if (tokens_ < bytes) return false;
  tokens_ -= bytes;
  return true;
}

double PathModel::queued(double seconds) const noexcept {
  return free_at_ == kForEver ? kForEver : carried(seconds, free_at_);
}

double PathModel::carried(double from, double to) const noexcept {
  double bytes = 0;
  for (std::size_t i = 0; i < setup_.rate.size(); ++i) {
    const double end = i + 1 < setup_.rate.size() ? setup_.rate[i + 1].at_seconds : kForEver;
    const double seconds = std::min(end, to) - std::max(setup_.rate[i].at_seconds, from);
    if (seconds > 0) bytes += seconds * setup_.rate[i].bytes_per_second;
  }
  return bytes;
}

double PathModel::through(double from, double bytes) const noexcept {
  for (std::size_t i = 0; i < setup_.rate.size(); ++i) {
    const double end = i + 1 < setup_.rate.size() ? setup_.rate[i + 1].at_seconds : kForEver;
    if (end <= from) continue;
    const double rate = setup_.rate[i].bytes_per_second;
    const double needed = rate > 0 ? bytes / rate : kForEver;
    if (from + needed <= end) return from + needed;
    bytes -= (end - from) * rate;
    from = end;
  }
  return kForEver;
}

bool PathModel::happens(double chance) {
  return std::uniform_real_distribution<double>(0, 1)(random_) < chance;
}

}  // namespace adoc::testkit
