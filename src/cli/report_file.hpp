#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "util/atomic_file.hpp"

namespace adoc::cli {

/// A file that appears whole, or not at all, in the place of what has its name; what is no regular
/// file, as a pipe, is written to as it is.
class ReportFile {
 public:
  /// Makes sure that it can be written. Before there are threads. Throws Error(local_file).
  explicit ReportFile(const std::string& path);

  /// Once. Throws Error(local_file).
  void write(std::string_view text);

 private:
  std::string path_;
  std::string name_;
  DirectoryPtr directory_;  ///< that it lies in
  Fd special_;              ///< if it is there and no regular file
  mode_t mode_ = 0;
};

}  // namespace adoc::cli
