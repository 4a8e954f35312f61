#pragma once

#include <optional>
#include <string>

#include "codec/ladder.hpp"
#include "control/path_metrics.hpp"

namespace adoc {

/// Keeps what was learned of each link in a file of its own, named after the addresses at its ends:
/// a laptop that is elsewhere has another one. It is for speed alone, so nothing here fails: what
/// cannot be read is not known, what cannot be written is not kept. Used by one thread at a time.
class PathMetricsStore {
 public:
  /// `directory` is made when something is kept; empty: nothing is.
  explicit PathMetricsStore(std::string directory) : directory_(std::move(directory)) {}

  /// `link`: Stream::link_name(). What is older than kKeptFor is not known any more.
  [[nodiscard]] std::optional<PathMetrics> find(const std::string& link,
                                                const Ladder& ladder) const noexcept;
  /// In place of what there was; of too many links, what was not used for longest is forgotten.
  void keep(const std::string& link, const PathMetrics& path_metrics,
            const Ladder& ladder) const noexcept;

 private:
  std::string directory_;
};

}  // namespace adoc
