#include "pipeline/block_source.hpp"

namespace adoc {

PredictedNumbers first_windows(const PredictedNumbers& numbers, std::size_t bytes) {
  PredictedNumbers first{.type = numbers.type};
  std::size_t end = 0;
  for (const NumberWindow& window : numbers.windows) {
    end += window.skipped + window.numbers * number_bytes(numbers.type);
    if (end > bytes) break;
    first.windows.push_back(window);
  }
  return first;
}

PredictedNumbers last_windows(const PredictedNumbers& numbers, std::size_t bytes) {
  PredictedNumbers last{.type = numbers.type};
  std::size_t end = 0;
  std::size_t last_end = bytes;
  for (NumberWindow window : numbers.windows) {
    const std::size_t begin = end + window.skipped;
    end = begin + window.numbers * number_bytes(numbers.type);
    if (begin < bytes) continue;
    window.skipped = begin - last_end;
    last_end = end;
    last.windows.push_back(window);
  }
  return last;
}

}  // namespace adoc
