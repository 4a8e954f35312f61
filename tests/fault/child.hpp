#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "util/fd.hpp"

namespace adoc::fault {

/// A program under test; killed at the end of its scope.
class Child {
 public:
  struct Setup {
    std::vector<std::string> command;
    std::vector<std::string> environment{};  ///< NAME=VALUE, beside what this process has
    std::string input = "/dev/null";
    std::string errors;  ///< the file that standard error goes to
  };

  explicit Child(const Setup& setup);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  /// Its status as waitpid() has it; none when it does not end in time.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit);
  void signal(int number) const noexcept;

  /// The next line of its standard output; empty when it ends, or says none in time.
  [[nodiscard]] std::string line(std::chrono::milliseconds limit);

 private:
  int process_ = -1;
  std::optional<int> status_;
  Fd handle_;  ///< readable once it has ended
  Fd output_;
  std::string read_;
};

}  // namespace adoc::fault
