#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "support/patience.hpp"
#include "support/temporary_directory.hpp"

namespace adoc::testkit {

/// A program under test that runs beside it; killed when the test is over before it.
class Program {
 public:
  /// Starts `command`: a path and its arguments. Standard input is empty.
  explicit Program(std::vector<std::string> command);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Its exit code; the test fails when it does not end in time, or by a signal (then -1).
  int wait(std::chrono::seconds limit = kPatience);
  /// Asks it to end, as kill(1) does.
  void terminate() const noexcept;

  [[nodiscard]] std::string output() const { return contents_of(files_ / "out"); }
  [[nodiscard]] std::string errors() const { return contents_of(files_ / "err"); }
  /// Waits until standard output or standard error shows `text`; the test fails when it does not.
  void wait_for_text(const std::string& text) const;
  /// Of an adoc-recv: the port it says it listens on.
  [[nodiscard]] std::uint16_t listening_port() const;

 private:
  TemporaryDirectory files_;
  int process_ = -1;
};

}  // namespace adoc::testkit
