#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace adoc::cli {

/// The last line of the terminal behind standard error: log lines scroll past above it. Without a
/// terminal there is no such line, only log lines. From any thread.
class StatusLine {
 public:
  explicit StatusLine(int fd);

  /// Whether there is a terminal that takes a line which is drawn over, and we are in its
  /// foreground.
  [[nodiscard]] bool can_draw() const noexcept;

  /// Columns that a line may fill without wrapping.
  [[nodiscard]] std::size_t width() const noexcept;

  /// `text` is printable.
  void draw(const std::string& text);
  void erase();
  /// What is drawn stays: it is a line like others from now on.
  void keep();

  /// `line` ends in a newline.
  void print_above(std::string_view line);

  /// Calls `print`, which writes lines to the same terminal some other way. It must not use the
  /// status line, nor the log.
  void step_aside(const std::function<void()>& print);

 private:
  int fd_;
  bool terminal_;
  /// What draws the line again, as long as the terminal is wide now.
  [[nodiscard]] std::string redrawn() const;

  std::mutex mutex_;
  std::string drawn_;
};

/// Sends spdlog's default logger to standard error as "PROGRAM: message", printable
/// (util/safe_name.hpp), above the status line that is returned. Call it before any thread starts;
/// calling it again changes the program.
std::shared_ptr<StatusLine> start_log(const std::string& program);

}  // namespace adoc::cli
