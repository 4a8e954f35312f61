#include "control/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace adoc {
namespace {

constexpr int kPriceSteps = 10;

/// A price is this power of the time that something takes over that of the processors.
constexpr double kPricePower = 3;

// The dearer a second, the less of it is used.
template <typename TooLow>
double bisect(TooLow too_low) {
  double high = std::log(kHighestPrice);
  double low = -high;
  for (int i = 0; i < kPriceSteps; ++i) {
    const double middle = (low + high) / 2;
    (too_low(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

LogPrices Frontier::balance(LogPrices before) const {
  LogPrices prices = before;
  prices.link = bisect([&](double log) {
    const Use use = cheapest({.link = log, .receiver = prices.receiver});
    return log < kPricePower * std::log(use.link / use.work);
  });
  const auto counts = [](const Level& level) { return level.use.receiver > 0; };
  if (std::ranges::none_of(levels_, counts)) return prices;
  prices.receiver = bisect([&](double log) {
    const Use use = cheapest({.link = prices.link, .receiver = log});
    return log < kPricePower * std::log(use.receiver / use.work);
  });
  return prices;
}

// Of a byte, each kind at the level that is cheapest at these prices.
Use Frontier::cheapest(const LogPrices& prices) const {
  const double link_price = std::exp(prices.link);
  const double receiver_price = std::exp(prices.receiver);
  Use sum{.work = work_};
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const std::size_t end = kind + 1 < kinds_.size() ? kinds_[kind + 1].first : levels_.size();
    const Use* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t level = kinds_[kind].first; level < end; ++level) {
      const Use& use = levels_[level].use;
      const double cost =
          (use.work + link_price * use.link + receiver_price * use.receiver) * levels_[level].part;
      if (best != nullptr && cost >= least) continue;
      least = cost;
      best = &use;
    }
    if (best == nullptr) continue;
    sum.work += kinds_[kind].share * best->work;
    sum.link += kinds_[kind].share * best->link;
    sum.receiver += kinds_[kind].share * best->receiver;
  }
  return sum;
}

}  // namespace adoc
