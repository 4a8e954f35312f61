#pragma once

#include <cstddef>
#include <vector>

namespace adoc {

/// Of the three that each byte needs, in seconds.
struct Use {
  double work = 0;  ///< of all processors that compress
  double link = 0;
  double receiver = 0;
};

/// Logarithms of what a second of the link and one of the receiver are worth, in seconds of the
/// processors.
struct LogPrices {
  double link = 0;
  double receiver = 0;
};

/// A second is never worth more seconds of the processors than this, nor less than the inverse:
/// beyond it, all that decides is how exact the predictions are.
inline constexpr double kHighestPrice = 64;

/// What the levels can do for data of several kinds together.
class Frontier {
 public:
  /// `work` is what each byte takes, whatever its level.
  explicit Frontier(double work) : work_(work) {}

  /// Of the data, so much is of a kind whose levels follow: at least one.
  void add(double share) { kinds_.push_back({.share = share, .first = levels_.size()}); }
  /// `part` of what it costs is what it is thought to cost.
  void add(const Use& of_a_byte, double part) { levels_.push_back({of_a_byte, part}); }

  /// The prices at which the time w of the processors, l of the link and d of the receiver make the
  /// least of w^4 + l^4 + d^4: (l/w)^3 and (d/w)^3, the slope of the frontier there. If none ever
  /// waited for another only the longest would count, and the power be infinite. Each is found with
  /// the other as it was; that of a receiver that takes no time stays as it was.
  [[nodiscard]] LogPrices balance(LogPrices before) const;

 private:
  struct Kind {
    double share = 0;
    std::size_t first = 0;
  };
  struct Level {
    Use use{};
    double part = 1;
  };

  [[nodiscard]] Use cheapest(const LogPrices& prices) const;

  double work_;
  std::vector<Kind> kinds_;
  std::vector<Level> levels_;
};

}  // namespace adoc
