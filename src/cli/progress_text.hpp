#pragma once

#include <cstddef>
#include <string>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// A progress and how fast it grows.
struct ProgressView {
  Progress progress;
  std::string waiting_for{};  ///< shown first, and alone while nothing has been sent; may be empty
  double raw_bytes_per_second = 0;
  double wire_bytes_per_second = 0;
};

/// One line of at most `width` columns (ASCII): a bar, and as much of rate, time left, ratio,
/// level and wire rate as there is room for.
[[nodiscard]] std::string progress_bar(const ProgressView& view, std::size_t width);

/// Where a sender is that waits for its turn: "waiting for its turn: 2 before it, 1 transfer under
/// way".
[[nodiscard]] std::string place_text(const Progress& progress);

/// The same in words, for a log.
[[nodiscard]] std::string progress_sentence(const ProgressView& view);

}  // namespace adoc::cli
