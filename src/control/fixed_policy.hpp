#pragma once

#include "control/policy.hpp"

namespace adoc {

/// One level throughout.
class FixedPolicy final : public Policy {
 public:
  explicit FixedPolicy(int level) noexcept : level_(level) {}

  [[nodiscard]] int first_level() const noexcept override { return level_; }
  [[nodiscard]] Choice next(const Observation&) override { return {level_, "fixed"}; }

 private:
  int level_;
};

}  // namespace adoc
