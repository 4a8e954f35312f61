#include "transfer/backoff.hpp"

#include <algorithm>

namespace adoc {

using std::chrono::milliseconds;

std::optional<milliseconds> Backoff::next(Clock::time_point now, milliseconds longest) noexcept {
  if (!since_) since_ = now;
  const milliseconds rest = left(now);
  if (rest.count() <= 0) return std::nullopt;
  const std::int64_t turn = std::min(longest.count(), kFirst.count() << std::min(made_, 16U));
  ++made_;
  random_ = random_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  const auto part = static_cast<std::int64_t>(random_ >> 33U) % (turn / 2 + 1);
  return std::min(rest, milliseconds(turn - turn / 4 + part));
}

void Backoff::connected(Clock::time_point since) noexcept {
  if (since_) spent_ += since - *since_;
  since_.reset();
}

void Backoff::reset() noexcept {
  made_ = 0;
  spent_ = {};
  since_.reset();
}

milliseconds Backoff::left(Clock::time_point now) const noexcept {
  const Clock::duration spent = spent_ + (since_ ? now - *since_ : Clock::duration::zero());
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(budget_ - spent));
}

}  // namespace adoc
