#pragma once

#include <memory>
#include <stop_token>

#include "io/stream.hpp"

namespace adoc {

/// Where a sender has its connections from, one after the other. Used by the thread of
/// Sender::run().
class ConnectionSource {
 public:
  virtual ~ConnectionSource() = default;

  /// Whether there may be another one after the one that was lost.
  [[nodiscard]] virtual bool has_more() const = 0;
  /// Those before are gone. `attempt` is 0 for the first one, then counts those since anything was
  /// got across. What it throws ends the transfer.
  [[nodiscard]] virtual std::unique_ptr<Stream> next(unsigned attempt,
                                                     const std::stop_token& stop) = 0;
};

}  // namespace adoc
