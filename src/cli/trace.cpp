#include "cli/trace.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string_view>
#include <utility>

#include "adoc/error.hpp"
#include "cli/standard_streams.hpp"
#include "util/errno_error.hpp"

namespace adoc::cli {
namespace {

constexpr const char* kHeader =
    "time_s,block,raw_bytes,wire_bytes,level,codec,fifo_packets,drain_bytes_per_s,reason";

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

Error cannot_write(const std::string& path, int error) {
  return Error(ErrorKind::local_file, "cannot write the trace " + path + ": " + errno_text(error));
}

}  // namespace

std::string to_csv(const Decision& decision) {
  return fmt::format("{:.6f},{},{},{},{},{},{},{:.0f},{}", decision.time_seconds, decision.block,
                     decision.raw_bytes, decision.wire_bytes, decision.level,
                     csv_field(decision.codec), decision.fifo_packets,
                     decision.drain_bytes_per_second, csv_field(decision.reason));
}

TraceWriter::TraceWriter(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (fd_ < 0) throw cannot_write(path_, errno);
  write_line(kHeader);
  if (errno_ != 0) {
    ::close(fd_);
    throw cannot_write(path_, errno_);
  }
}

TraceWriter::~TraceWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void TraceWriter::write(const Decision& decision) noexcept {
  try {
    write_line(to_csv(decision));
  } catch (const std::exception&) {
    errno_ = ENOMEM;
  }
}

void TraceWriter::write_line(const std::string& line) {
  if (errno_ == 0) errno_ = write_all(fd_, line + '\n');
}

void TraceWriter::finish() {
  // Some file systems report a full disk only here.
  if (::close(std::exchange(fd_, -1)) != 0 && errno_ == 0) errno_ = errno;
  if (errno_ != 0) throw cannot_write(path_, errno_);
}

}  // namespace adoc::cli
