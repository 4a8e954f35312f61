#pragma once

#include "control/policy.hpp"

namespace adoc {

/// One level throughout, in blocks of one size.
class FixedPolicy final : public Policy {
 public:
  FixedPolicy(int level, std::size_t block_bytes) noexcept
      : level_(level), block_bytes_(block_bytes) {}

  [[nodiscard]] Plan plan(const LinkState&) override { return {.block_bytes = block_bytes_}; }
  [[nodiscard]] Choice choose(const LinkState&, const SampleStats&, std::size_t) override {
    return {level_, "fixed"};
  }
  void learn(const LinkState&, const BlockResult&) override {}

 private:
  int level_;
  std::size_t block_bytes_;
};

}  // namespace adoc
