#pragma once

#include <array>
#include <deque>

#include "control/level_model.hpp"
#include "control/level_range.hpp"
#include "control/link_rate.hpp"
#include "control/policy.hpp"

namespace adoc {

/// Chooses for each block the level that is predicted to bring the whole transfer across soonest:
/// the least of
///
///     compress_seconds / threads + price * wire_bytes / link_rate
///
/// The price says how scarce the link is beside the processors. Where both are used to the full it
/// is the one at which, of the data as it is now, the two take the same time; so neither waits for
/// the other, and where no single level does that, two are mixed. The queue corrects it: less in it
/// than should be lowers the price, more raises it. An empty queue is an idle link.
class AutoPolicy final : public Policy {
 public:
  struct Setup {
    const Ladder& ladder;
    LevelRange range{};
    std::size_t threads = 1;
    std::size_t block_bytes = 0;  ///< 0: chosen
    double fifo_bytes = 0;        ///< what the queue has room for
  };

  explicit AutoPolicy(const Setup& setup);

  [[nodiscard]] Plan plan(const LinkState& link) override;
  [[nodiscard]] Choice choose(const LinkState& link, const Look& look,
                              std::size_t raw_bytes) override;
  void learn(const LinkState& link, const BlockResult& result) override;

 private:
  /// A block that was chosen and not yet learned of.
  struct Begun {
    int level = 0;
    Look look{};
    double begin = 0;
    double seconds = 0;  ///< predicted
    double wire = 0;     ///< predicted
  };
  /// What a decision weighs; `reach` is when the link will come to the block.
  struct Terms {
    double price = 1;
    double raw = 0;
    double reach = 0;
  };

  [[nodiscard]] double balanced_price();
  [[nodiscard]] std::size_t best_level(std::size_t kind, const Terms& terms);
  [[nodiscard]] double link_rate() const;
  [[nodiscard]] double reach(const LinkState& link) const;
  void see(const LinkState& link);

  Setup setup_;
  LevelModel model_;
  LinkRate rate_;
  std::array<double, LevelModel::kKinds> shares_{};  ///< of the data lately
  double read_bytes_ = 0;
  std::size_t blocks_ = 0;
  std::size_t kind_ = 0;
  std::size_t level_ = 0;
  std::deque<Begun> begun_;
  double receiver_factor_ = 1;
  double seen_seconds_ = 0;
};

}  // namespace adoc
