#pragma once

#include "control/level_range.hpp"
#include "control/policy.hpp"

namespace adoc {

/// The law of Jeannot 2002, Fig. 2: slow-start increase while the FIFO grows and is longer than 10
/// packets, halving when it shrinks, no change when it stays. At level 0 one packet is read at a
/// time, above it a whole block (Fig. 1). With the range 0..9 it is the paper's to the letter; a
/// range only cuts off what lies outside.
class AdocPolicy final : public Policy {
 public:
  /// Section 3.5: the paper's sizes.
  struct Setup {
    LevelRange range{};
    std::size_t block_bytes = 204'800;
    std::size_t packet_bytes = 8'192;
  };

  /// Section 3.4: keeps a fast network from being taken for a slow one.
  static constexpr std::size_t kThresholdPackets = 10;

  explicit AdocPolicy(const Setup& setup) noexcept
      : setup_(setup), next_{.level = setup.range.min, .reason = "first"} {}

  [[nodiscard]] Plan plan(const LinkState&) override {
    const bool raw = next_.level == 0;
    return {.block_bytes = raw ? setup_.packet_bytes : setup_.block_bytes, .paper_yield = raw};
  }
  [[nodiscard]] Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
    return next_;
  }
  void learn(const LinkState&, const BlockResult& result) override { next_ = after(result); }

 private:
  [[nodiscard]] Choice after(const BlockResult& result) const noexcept;

  Setup setup_;
  Choice next_;
};

}  // namespace adoc
