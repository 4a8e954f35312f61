#include "cli/status_line.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "cli/columns.hpp"
#include "cli/standard_streams.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

/// To the end of the screen: a terminal that got narrower has broken the line into several.
constexpr const char* kErase = "\r\033[J";

bool is_capable_terminal(int fd) {
  const char* const type = std::getenv("TERM");
  return ::isatty(fd) == 1 && type != nullptr && std::string_view(type) != "dumb";
}

/// Escapes here, so that no message can be forgotten.
class StatusLineSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit StatusLineSink(std::shared_ptr<StatusLine> status) : status_(std::move(status)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    spdlog::details::log_msg escaped = message;
    escaped.payload = text;
    spdlog::memory_buf_t line;
    formatter_->format(escaped, line);
    status_->print_above({line.data(), line.size()});
  }

  void flush_() override {}

 private:
  std::shared_ptr<StatusLine> status_;
};

}  // namespace

StatusLine::StatusLine(int fd) : fd_(fd), terminal_(is_capable_terminal(fd)) {}

bool StatusLine::can_draw() const noexcept { return terminal_ && ::tcgetpgrp(fd_) == ::getpgrp(); }

std::size_t StatusLine::width() const noexcept {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool known = ::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // A character in the last column makes some terminals wrap.
  return (known ? std::size_t{size.ws_col} : kUsual) - 1;
}

void StatusLine::draw(const std::string& text) {
  const std::lock_guard lock(mutex_);
  drawn_ = text;
  static_cast<void>(write_all(fd_, kErase + redrawn()));
}

// The cursor waits at the beginning: however a terminal that is resized arranges the line anew,
// that is where it begins.
std::string StatusLine::redrawn() const { return first_columns(drawn_, width()) + '\r'; }

void StatusLine::keep() {
  const std::lock_guard lock(mutex_);
  if (drawn_.empty()) return;
  static_cast<void>(write_all(fd_, kErase + first_columns(drawn_, width()) + '\n'));
  drawn_.clear();
}

void StatusLine::erase() {
  const std::lock_guard lock(mutex_);
  if (drawn_.empty()) return;
  drawn_.clear();
  static_cast<void>(write_all(fd_, kErase));
}

void StatusLine::print_above(std::string_view line) {
  const std::lock_guard lock(mutex_);
  const std::string text(line);
  static_cast<void>(write_all(fd_, drawn_.empty() ? text : kErase + text + redrawn()));
}

void StatusLine::step_aside(const std::function<void()>& print) {
  const std::lock_guard lock(mutex_);
  if (!drawn_.empty()) static_cast<void>(write_all(fd_, kErase));
  print();
  if (!drawn_.empty()) static_cast<void>(write_all(fd_, redrawn()));
}

std::shared_ptr<StatusLine> start_log(const std::string& program) {
  auto status = std::make_shared<StatusLine>(STDERR_FILENO);
  auto logger = std::make_shared<spdlog::logger>(program, std::make_shared<StatusLineSink>(status));
  logger->set_pattern("%n: %v");
  spdlog::set_default_logger(std::move(logger));
  return status;
}

}  // namespace adoc::cli
