#pragma once

#include <stdexcept>
#include <string>

namespace adoc {

/// What went wrong, coarse enough to choose an exit code from.
enum class ErrorKind {
  usage,        ///< an option or argument that cannot be meant; nothing was started
  connect,      ///< the peer cannot be reached, does not speak AdOC, or was lost
  refused,      ///< the peer does not let us in
  corrupt,      ///< bytes from the peer break the protocol or fail their checksum
  local_file,   ///< a file on this side cannot be read or written
  remote_file,  ///< the peer could not read or write a file
  interrupted,  ///< the caller asked to stop
  internal,     ///< a promise inside AdOC was broken: a bug
};

/// The one exception that leaves the library. `what()` is a whole sentence without a program name:
/// what failed, on which path, why, and where it helps what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace adoc
