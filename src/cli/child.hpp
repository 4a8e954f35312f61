#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "util/fd.hpp"

namespace adoc::cli {

/// Another program. Standard error is mostly shared with it.
class Child {
 public:
  enum class Streams {
    both,          ///< its standard input and output are one socket, of which we have the other end
    output,        ///< its standard output alone is; its input is empty
    quiet_output,  ///< that, and what it says on standard error is for nobody
  };

  /// Throws Error(local_file) when there is no such program.
  /// `standard_error` is its own where that is not ours.
  Child(const std::vector<std::string>& words, Streams streams, int standard_error = -1);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Closes the socket, and waits. What does not end by itself soon after that, because somebody
  /// on another machine keeps it, is ended.
  ~Child();

  /// Its standard input ends. What it still prints is not lost: an ssh whose output nobody takes
  /// any more ends before it has passed on what came on standard error.
  void say_no_more() noexcept;
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }

  /// Its exit code, 128 and the number of a signal that has ended it.
  int wait() noexcept;
  /// The same, if it ends soon.
  std::optional<int> wait_a_little() noexcept;
  /// SIGTERM.
  void end() noexcept;
  /// Not to be ended by the destructor: what stays goes on alone.
  void leave() noexcept { is_left_ = true; }

 private:
  void note(int status) noexcept;

  pid_t pid_ = -1;
  Fd socket_;
  std::optional<int> code_;
  bool is_left_ = false;
};

/// What a program writes to its standard output, at most `limit` bytes of it.
[[nodiscard]] std::string read_to_end(int fd, std::size_t limit);

}  // namespace adoc::cli
