#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "adoc/options.hpp"

namespace adoc {

/// What is known when a block has been compressed and put into the FIFO.
struct Observation {
  int level = 0;                ///< that the block was compressed at
  std::size_t fifo_before = 0;  ///< packets in the FIFO before the block was read
  std::size_t fifo_after = 0;   ///< and after its last packet was put in
};

struct Choice {
  int level = 0;            ///< of the next block
  std::string_view reason;  ///< of static storage, without commas: a column of the trace
};

/// Chooses the level of each next block from what was observed. No clock, no threads, no I/O: the
/// same observations give the same choices, in a transfer as in a simulation.
class Policy {
 public:
  virtual ~Policy() = default;

  [[nodiscard]] virtual int first_level() const noexcept = 0;
  [[nodiscard]] virtual Choice next(const Observation& observation) = 0;
};

/// The policy that the options name, for a ladder whose densest level is `top`. Throws Error(usage)
/// for levels that the ladder does not have.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PipelineOptions& options, int top);

}  // namespace adoc
