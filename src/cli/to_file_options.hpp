#pragma once

#include <cstdint>
#include <string>

#include "adoc/observer.hpp"
#include "adoc/options.hpp"
#include "cli/command_line.hpp"

namespace adoc::cli {

/// The options of adoc-send that write a transfer to a file instead of sending it.
class ToFileOptions {
 public:
  explicit ToFileOptions(CommandLine& line) : line_(line) {}

  void add();
  [[nodiscard]] bool given() const noexcept;
  /// Once all others are in `send`. Throws Error(usage) for what does not go together.
  void finish(SendOptions& send);
  /// Of --for, in bytes a second; 0 if it was not given.
  [[nodiscard]] std::uint64_t rate() const noexcept { return rate_; }

 private:
  CommandLine& line_;
  std::string file_;
  std::string for_;
  std::uint64_t rate_ = 0;
};

/// What sending later will take, over a link of that rate.
struct SentLater {
  double seconds = 0;
  double raw_seconds = 0;  ///< of what is in the file, not compressed
};
[[nodiscard]] SentLater sent_later(const Statistics& statistics, std::uint64_t rate) noexcept;

/// "over 1.25 MB/s: 3.1 s to compress and 12.0 s to send, 15.1 s in all; 80.0 s if sent raw".
[[nodiscard]] std::string sent_later_line(const Statistics& statistics, std::uint64_t rate);

}  // namespace adoc::cli
