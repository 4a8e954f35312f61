#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "util/errno_error.hpp"
#include "util/file_size_signal.hpp"

namespace adoc {

/// Ties the threads of a transfer together: when one fails, all end, and the first failure is what
/// the transfer failed of.
class Lifeline {
 public:
  /// `end_all` is called once, at the first failure, by the thread that failed: it must wake every
  /// thread of the transfer and must not throw.
  explicit Lifeline(std::function<void(std::exception_ptr)> end_all)
      : end_all_(std::move(end_all)) {}

  void fail(std::exception_ptr failure) noexcept {
    if (claimed_.test_and_set()) return;
    first_ = failure;
    end_all_(std::move(failure));
  }

  /// A stop request came. Allocates nothing: a stop callback must not throw.
  void interrupt() noexcept { fail(interrupted_); }

  /// A thread whose failure is everybody's; none when the system has no more to give, which is a
  /// failure, too: those that are running must not wait for the one that is not.
  template <typename Body>
  [[nodiscard]] std::jthread start(Body body) noexcept {
    std::jthread thread;
    guard([&] {
      try {
        thread = std::jthread([this, body = std::move(body)]() mutable {
          block_file_size_signal();
          guard(body);
        });
      } catch (const std::system_error& error) {
        throw errno_error(ErrorKind::internal, "start a thread", error.code().value());
      }
    });
    return thread;
  }

  /// Runs `body` in this thread in the same way.
  template <typename Body>
  void guard(Body&& body) noexcept {
    try {
      body();
    } catch (...) {
      fail(std::current_exception());
    }
  }

  /// The first failure, or null. Once all threads are joined.
  [[nodiscard]] std::exception_ptr failure() const noexcept { return first_; }

 private:
  std::function<void(std::exception_ptr)> end_all_;
  const std::exception_ptr interrupted_ =
      std::make_exception_ptr(Error(ErrorKind::interrupted, "interrupted"));
  std::atomic_flag claimed_;
  std::exception_ptr first_;
};

}  // namespace adoc
