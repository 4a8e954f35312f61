#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "control/auto/data_model.hpp"
#include "control/auto/link_model.hpp"
#include "control/auto/params.hpp"
#include "control/auto/price.hpp"
#include "control/auto/receiver_model.hpp"
#include "control/contention.hpp"
#include "control/level_range.hpp"
#include "control/policy.hpp"

namespace adoc {

/// For each block the level and the length with the least expected cost a byte:
///
///     processors' price * work + channel's price * (wire / rate + lateness)
///
/// relative to what the transfer takes at those prices at best, in the mean over all rates that the
/// link may have: while little is known of it, a choice is worth as much as it saves a slow link
/// and as little as it costs a fast one. A block is late by what it keeps the link waiting. What is
/// sent later keeps no link waiting; to compress and to send take their time one after the other.
class AutoPolicy final : public Policy {
 public:
  struct Setup {
    const Ladder& ladder;
    LevelRange range{};
    std::size_t threads = 1;
    std::size_t block_bytes = 0;          ///< 0: chosen
    std::size_t memory_bytes = SIZE_MAX;  ///< of one thread
    LevelPrior prior = level_prior(ladder);
    PathMetrics path_metrics{};  ///< of an earlier transfer; its rate has a deviation then
    /// Bytes a second of the link over which all is sent later, once all is compressed; 0: now.
    double later_rate = 0;
  };

  explicit AutoPolicy(const Setup& setup);

  [[nodiscard]] Plan plan(const LinkState& link) override;
  [[nodiscard]] Choice choose(const LinkState& link, const SampleStats& stats,
                              std::size_t raw_bytes) override;
  void learn(const LinkState& link, const BlockResult& result) override;
  void observe(const LinkState& link) override { see(link); }
  [[nodiscard]] bool gives_up(const LinkState& link, std::uint64_t ticket) override;
  [[nodiscard]] std::optional<double> link_price() const override { return link_price_; }
  [[nodiscard]] std::optional<PathMetrics> path_metrics() const override;

 private:
  struct Candidate {
    std::size_t kind = 0;
    int level = 0;
    double bytes = 0;
    bool search = false;  ///< for what came far before

    bool operator==(const Candidate&) const = default;
  };
  /// A block that was chosen and not yet learned of.
  struct Begun {
    std::uint64_t ticket = 0;
    double begin = 0;
    double seconds = 0;
    double wire = 0;
    bool streams = false;
    Candidate made{};

    /// That is still to come of it.
    [[nodiscard]] double wire_left(double now) const {
      if (!streams || seconds <= 0) return wire;
      return wire * std::clamp((begin + seconds - now) / seconds, 0.0, 1.0);
    }
  };
  /// What the link may be like, and what that means for the block that is begun now.
  struct Case {
    double weight = 0;  ///< how likely it is, over the seconds of all that is to come then
    double rate = 0;
    double slack = 0;  ///< seconds until the link comes to the block
    Prices prices{};
  };

  void see(const LinkState& link);
  void stay_near(const LinkState& link, Plan& plan);
  /// `read_bytes`: of the block that is chosen for, if it was read already.
  void find_cases(const LinkState& link, std::size_t kind, double read_bytes);
  [[nodiscard]] Candidate best_of(const LinkState& link, std::size_t kind, double given_bytes);
  [[nodiscard]] const Expected& expected(const Candidate& candidate);
  template <typename Delay>
  [[nodiscard]] double cost_with(const Candidate& candidate, double work, const Delay& delay);
  [[nodiscard]] double cost(const Candidate& candidate);
  /// The same if it keeps nobody waiting.
  [[nodiscard]] double cost_in_time(const Candidate& candidate);
  /// The same of what is left of a block for which the link waits.
  [[nodiscard]] double cost_left(const Candidate& candidate, double begun_seconds);
  /// What the receiver has to decompress once a block's last byte has arrived: nothing of one that
  /// it decompresses while it arrives.
  [[nodiscard]] double seconds_to_undo(const Candidate& candidate);
  [[nodiscard]] double at_end(const Candidate& candidate, double seconds, const Case& may) const;
  /// Calls `with(level, search)` for all that a block may be made with.
  template <typename With>
  void for_each_way(const LinkState& link, const With& with) const;
  [[nodiscard]] double own_bytes(int level) const;
  [[nodiscard]] double slack(const LinkState& link, double rate) const;
  [[nodiscard]] double receiver_seconds(int level, double bytes, double wire_per_byte) const;
  [[nodiscard]] double processors() const;
  [[nodiscard]] bool later() const noexcept { return setup_.later_rate > 0; }
  [[nodiscard]] FilterPrices filter_prices(const Candidate& chosen);
  [[nodiscard]] bool knows_rate() {
    return later() || link_.rate().log_deviation() <= params::kUnsure;
  }
  /// Whether the next block is to be begun after those that are being made.
  [[nodiscard]] bool waits_for_begun();
  [[nodiscard]] std::string_view reason(const Candidate& chosen);

  Setup setup_;
  bool searches_ = false;  ///< some level that is allowed, for what came far before
  DataModel data_;
  LinkModel link_;
  ReceiverModel receiver_;
  Contention contention_;
  double sending_seconds_ = params::kSendingSeconds;  ///< and what another program takes for it
  std::vector<Begun> begun_;
  std::uint64_t tickets_ = 0;  ///< given so far; 0 is none
  std::vector<Case> cases_;
  std::optional<double> link_price_;  ///< in the mean over the cases of the latest decision
  FilterPrices filter_prices_{};      ///< in the latest decision
  std::vector<Demand> demands_;
  std::optional<double> left_bytes_;  ///< raw, the block that is chosen for included
  /// What was expected last, for each level of what was asked for.
  std::vector<std::vector<std::pair<Candidate, Expected>>> known_;
  std::size_t known_version_ = 0;
  std::optional<Candidate> planned_;
  std::size_t kind_ = 0;  ///< of the last block
  double read_bytes_ = 0;
  double seen_bytes_;  ///< the same, and of earlier transfers
};

}  // namespace adoc
