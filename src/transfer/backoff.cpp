#include "transfer/backoff.hpp"

#include <algorithm>

namespace adoc {

std::optional<std::chrono::milliseconds> Backoff::next() noexcept {
  if (made_ == attempts_) return std::nullopt;
  const std::int64_t turn = std::min(kLongest.count(), kFirst.count() << std::min(made_, 16U));
  ++made_;
  random_ = random_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
  const auto part = static_cast<std::int64_t>(random_ >> 33U) % (turn / 2 + 1);
  return std::chrono::milliseconds(turn - turn / 4 + part);
}

}  // namespace adoc
