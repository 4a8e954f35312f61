#pragma once

#include "adoc/options.hpp"

namespace adoc::cli {

class CommandLine;

/// What a program that sends is told to keep besides names, modes, times and holes. Lives as long
/// as the command line is parsed.
class KeepOptions {
 public:
  enum class Names {
    rsync,  ///< all have rsync's letters
    scp,    ///< some letters are scp's and ssh's
  };

  KeepOptions(CommandLine& line, Names names);
  KeepOptions(const KeepOptions&) = delete;
  KeepOptions& operator=(const KeepOptions&) = delete;

  /// After the command line was parsed.
  [[nodiscard]] Keep keep() const noexcept;
  [[nodiscard]] bool archive() const noexcept { return archive_; }

 private:
  bool archive_ = false;
  Keep keep_;
};

}  // namespace adoc::cli
