#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// What a transfer was like over time, in memory that does not grow with it: whatever falls into
/// one of at most kBins equal parts of its time is kept together. For one thread at a time.
class Series {
 public:
  static constexpr std::size_t kBins = 1024;

  /// A block got another level than the one before.
  struct Change {
    double time_seconds = 0;
    std::uint64_t block = 0;
    int from = 0;
    int to = 0;
    std::string codec;
    std::string reason;
  };
  /// Sums but for the first and the last change are up to here, from the transfer's begin.
  struct Bin {
    bool used = false;
    Observation seen{};           ///< the last
    std::uint64_t raw_bytes = 0;  ///< of blocks that were made in it
    std::uint64_t wire_bytes = 0;
    std::uint64_t blocks = 0;
    int lowest = 0;  ///< level, and highest, if there are blocks
    int highest = 0;
    double level_bytes = 0;  ///< raw bytes, each times its level
    std::uint64_t changes = 0;
    std::optional<Change> change{};  ///< the furthest of them
  };
  struct Sums {
    std::uint64_t blocks = 0;
    std::uint64_t raw_bytes = 0;
    std::uint64_t wire_bytes = 0;
    std::string codec{};  ///< of the last; what did not shrink goes raw at any level
  };

  Series();

  void add(const Decision& decision);
  void add(const Observation& seen);

  [[nodiscard]] const std::vector<Bin>& bins() const noexcept { return bins_; }
  [[nodiscard]] const std::vector<Sums>& levels() const noexcept { return levels_; }
  /// By class of data (class_name()).
  static constexpr std::size_t kClasses = 5;
  [[nodiscard]] const std::array<Sums, kClasses>& classes() const noexcept { return classes_; }
  [[nodiscard]] const Sums& all() const noexcept { return all_; }
  [[nodiscard]] const Observation& last() const noexcept { return last_; }
  [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

  /// "2 to 4 bits a byte": what the order-0 entropy of a sample says.
  [[nodiscard]] static const char* class_name(std::size_t index) noexcept;
  /// What a level may be in a trace.
  static constexpr int kMostLevel = 99;

 private:
  [[nodiscard]] Bin& bin_at(double seconds);
  void widen();

  double width_ = 1.0 / 256;  ///< seconds
  std::vector<Bin> bins_;
  std::vector<Sums> levels_;
  std::array<Sums, kClasses> classes_{};
  Sums all_;
  Observation last_{};
  std::optional<int> level_;  ///< of the block before
  std::uint64_t changes_ = 0;
};

}  // namespace adoc::cli
