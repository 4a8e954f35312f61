#pragma once

#include <array>
#include <limits>
#include <vector>

#include "control/frontier.hpp"
#include "control/hindrance.hpp"
#include "control/level_model.hpp"
#include "control/level_range.hpp"
#include "control/link_rate.hpp"
#include "control/policy.hpp"
#include "control/receiver_model.hpp"

namespace adoc {

/// Chooses for each block the level that is predicted to bring the whole transfer across soonest:
/// the least of
///
///     compress_seconds / threads + price * (wire_bytes / link_rate + late_seconds)
///
/// The price says how scarce the link is beside the processors: it rises with the time that the
/// link takes over the time that they take, for the data as it is now, so that neither waits much
/// for the other. Where no single level does that, two are mixed. A block is late when it is not
/// ready by the time that the link has sent all that is ahead of it; so an idle link gets its next
/// block raw or nearly so, and long dense blocks are compressed where enough waits to be sent
/// meanwhile. README.md tells what was tried.
class AutoPolicy final : public Policy {
 public:
  struct Setup {
    const Ladder& ladder;
    LevelRange range{};
    std::size_t threads = 1;
    std::size_t block_bytes = 0;  ///< 0: chosen
    double fifo_bytes = 8 << 20;  ///< what the queue has room for
    std::optional<Experience> experience{};
  };

  explicit AutoPolicy(const Setup& setup);

  [[nodiscard]] Plan plan(const LinkState& link) override;
  [[nodiscard]] Choice choose(const LinkState& link, const Look& look,
                              std::size_t raw_bytes) override;
  [[nodiscard]] std::optional<Remake> remake(const LinkState& link,
                                             std::span<const WaitingBlock> waiting) override;
  [[nodiscard]] std::optional<Trial> trial(const LinkState& link, const Look& look,
                                           std::size_t raw_bytes) override;
  void learn(const LinkState& link, const BlockResult& result) override;
  void observe(const LinkState& link) override { see(link); }
  [[nodiscard]] std::optional<Experience> experience() const override;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kLeastTelling = 4'096;
  /// Of a block that shows what a level does to long ones.
  static constexpr double kLongBlockBytes = 1 << 20;
  /// Of a processor, for a byte on its way out and in; rather too much, like kHandlingSeconds.
  static constexpr double kSendingSeconds = 0.5e-9;
  /// Of a processor, for a raw byte to be read, checked and written; with both ends on one machine,
  /// so that it is rather too much.
  static constexpr double kHandlingSeconds = 0.9e-9;
  /// How many times slower what is not known of a level's speed may make it.
  static constexpr double kCaution = 3;

  /// A block that was chosen and not yet learned of; seconds and wire bytes as predicted.
  struct Begun {
    std::uint64_t ticket = 0;
    int level = 0;
    double begin = 0;
    double seconds = 0;
    double wire = 0;
  };
  /// What a decision weighs; `reach` is in how many seconds the link comes to the block, `rate`
  /// what it is thought to send a second.
  struct Terms {
    double price = 1;           ///< of a second of the link
    double receiver_price = 0;  ///< and of the receiver
    double raw = 0;
    double reach = 0;
    double rate = 1;
    double hope = 0;    ///< how many times more what was not tried may shrink than predicted
    double errors = 0;  ///< of how many standard errors it is thought to shrink better than seen
  };

  /// What the link comes to before anything that is begun now.
  struct Ahead {
    double bytes = 0;
    double making_seconds = 0;  ///< until all of it is ready
  };

  void see(const LinkState& link);
  void may_climb_from(int level);
  [[nodiscard]] double processors() const;
  [[nodiscard]] double seconds_per_byte(const Prediction& prediction) const;
  [[nodiscard]] double link_rate() const;
  [[nodiscard]] std::size_t block_bytes(const LinkState& link);
  void find_lengths(double ahead);
  [[nodiscard]] double needed_queue(double raw);
  [[nodiscard]] Ahead ahead(const LinkState& link) const;
  [[nodiscard]] double reach(const LinkState& link) const;
  /// For what is decided now, of which the raw bytes and the reach are still to be told; the link
  /// is so many times dearer than its price.
  [[nodiscard]] Terms terms(double urgency = 1) const;
  [[nodiscard]] LogPrices balance();
  void follow_prices(double seconds);
  /// Infinite where the work alone is seen to cost as much as `most`.
  [[nodiscard]] double cost(std::size_t kind, std::size_t level, const Terms& terms,
                            double most = kNever);
  /// Of a processor, for the block alone.
  [[nodiscard]] double first_use(std::size_t kind, std::size_t level, const Terms& terms) const;
  [[nodiscard]] std::size_t best_level(std::size_t kind, const Terms& terms);
  [[nodiscard]] Uncut uncut() const;
  [[nodiscard]] bool keeps() const;
  [[nodiscard]] bool vanishes(double raw);
  [[nodiscard]] bool being_made(int level) const;
  [[nodiscard]] bool next_to_tried(int level) const;
  /// The block's ticket.
  [[nodiscard]] std::uint64_t begin(const LinkState& link, double raw);
  void end(const BlockResult& result);
  [[nodiscard]] std::string_view reason(const LinkState& link, const Look& look) const;

  Setup setup_;
  LevelModel model_;
  int top_;  ///< the densest level that may be tried by now
  LinkRate rate_;
  double sending_seconds_ = kSendingSeconds;  ///< that, and what another program takes for it
  ReceiverModel receiver_;
  std::array<double, LevelModel::kKinds> shares_{};  ///< of the blocks lately
  std::array<double, LevelModel::kKinds> seen_{};    ///< blocks of each in this transfer
  std::vector<Begun> begun_;
  std::uint64_t tickets_ = 0;        ///< given so far; 0 is none
  std::vector<double> table_bytes_;  ///< of each level's compressor
  double used_bytes_ = 0;            ///< the most that one took with its block in this transfer
  bool compressed_ = false;          ///< any block of it
  std::vector<bool> tried_;          ///< that made a long block in this transfer, or had a trial
  std::vector<double> lengths_;      ///< for each level, what the next block would have; in bytes
  bool after_cut_ = false;           ///< the next to be chosen is the rest of a block that was cut
  double read_bytes_ = 0;
  std::size_t kind_ = 0;
  std::size_t level_ = 0;
  double receiver_factor_ = 1;  ///< of the price
  Hindrance hindrance_;
  double seen_seconds_ = 0;
  LogPrices balanced_;         ///< for what was known when the prices were followed last
  LogPrices prices_;           ///< the same, averaged
  double prices_seconds_ = 0;  ///< when that was
};

}  // namespace adoc
