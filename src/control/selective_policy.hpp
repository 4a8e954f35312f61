#pragma once

#include "control/policy.hpp"

namespace adoc {

/// Niwa 2022, Algorithm 1: what is long is always compressed, what is short only while the network
/// is busy. The paper's packet is our block, its data types what its sample statistics tell
/// (`else: no compression` is what looks random), its injection queue our FIFO. Its N, the flits
/// received lately, says that the network is busy; here a FIFO that is not empty says so, as its Q
/// does.
class SelectivePolicy final : public Policy {
 public:
  struct Setup {
    int level = 0;  ///< of all that is compressed: the paper has one codec for a type of data
    std::size_t block_bytes = 204'800;
  };

  /// L_th. Equation 1 has compression pay from L - L / C = D on, all in times on the link: with a
  /// ratio C of 2, an overhead D of 0.1 ms a block (it changes threads twice on either side) and
  /// 1 Gbit/s, the paper's injection rate today, that is 25,000 bytes.
  static constexpr std::size_t kLongBytes = 25'000;

  explicit SelectivePolicy(const Setup& setup) noexcept : setup_(setup) {}

  [[nodiscard]] Plan plan(const LinkState&) override { return {.block_bytes = setup_.block_bytes}; }
  [[nodiscard]] Choice choose(const LinkState& link, const SampleStats& stats,
                              std::size_t raw_bytes) override;
  void learn(const LinkState&, const BlockResult&) override {}

 private:
  Setup setup_;
};

}  // namespace adoc
