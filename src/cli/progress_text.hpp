#pragma once

#include <cstddef>
#include <string>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// A progress and how fast it grows.
struct ProgressView {
  Progress progress;
  std::string waiting_for{};  ///< shown first, and alone while nothing has been sent; may be empty
  std::string file{};         ///< a name, whose contents arrive now; may be empty
  double raw_bytes_per_second = 0;
  double wire_bytes_per_second = 0;
  double seconds = 0;  ///< that all of it took, once it is over; 0: it is under way
};

/// One line of at most `width` columns: a bar, and as much of rate, time left, files done, the
/// file's name, ratio, level and wire rate as there is room for.
[[nodiscard]] std::string progress_bar(const ProgressView& view, std::size_t width);

/// Where a sender is that waits for its turn: "waiting for its turn: 2 before it, 1 transfer under
/// way".
[[nodiscard]] std::string place_text(const Progress& progress);

/// The same in words, for a log.
[[nodiscard]] std::string progress_sentence(const ProgressView& view);

}  // namespace adoc::cli
