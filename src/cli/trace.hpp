#pragma once

#include <string>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// Writes decisions to a CSV file (RFC 4180), a header line first, each row at once so that the
/// file can be followed. For one thread at a time.
class TraceWriter {
 public:
  /// Throws Error(local_file) when the file cannot be made or takes no header.
  explicit TraceWriter(const std::string& path);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// After a write error it does nothing; the transfer matters more than its trace.
  void write(const Decision& decision) noexcept;

  /// Closes the file. Throws Error(local_file) if any row is missing in it.
  void finish();

 private:
  void write_line(const std::string& line);

  std::string path_;
  int fd_;
  int errno_ = 0;  ///< of the first write that failed
};

/// The names of the columns, without the line end.
[[nodiscard]] std::string trace_header();
/// One row without its line end.
[[nodiscard]] std::string to_csv(const Decision& decision);

}  // namespace adoc::cli
