#include "cli/trace.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "adoc/error.hpp"
#include "cli/standard_streams.hpp"
#include "cli/trace_columns.hpp"
#include "util/errno_error.hpp"

namespace adoc::cli {
namespace {

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

std::string trace_header() {
  std::string header(kDecisionColumns);
  for (const SeenColumn& column : kSeenColumns) header.append(",").append(column.name);
  header.append(",").append(kFilterColumn);
  return header;
}

std::string to_csv(const Decision& decision) {
  std::string row =
      fmt::format("{:.6f},{},{},{},{},{},{},{:.0f},{},{:.2f},{}", decision.time_seconds,
                  decision.block, decision.raw_bytes, decision.wire_bytes, decision.level,
                  csv_field(decision.codec), decision.fifo_packets, decision.drain_bytes_per_second,
                  csv_field(decision.reason), decision.entropy_bits, decision.random ? 1 : 0);
  for (const SeenColumn& column : kSeenColumns) {
    if (const auto* seconds = std::get_if<double Observation::*>(&column.member))
      fmt::format_to(std::back_inserter(row), ",{:.6f}", decision.seen.*(*seconds));
    else
      fmt::format_to(std::back_inserter(row), ",{}",
                     decision.seen.*std::get<std::uint64_t Observation::*>(column.member));
  }
  return row.append(",").append(decision.filter);
}

TraceWriter::TraceWriter(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (fd_ < 0) throw cannot_write(path_, errno);
  write_line(trace_header());
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
