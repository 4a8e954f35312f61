#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <stdexcept>
#include <utility>

namespace adoc::testkit {

/// What a queue may be failed with.
inline std::exception_ptr failure(const char* what) {
  return std::make_exception_ptr(std::runtime_error(what));
}

/// Runs `action` in a thread of its own.
template <typename Action>
auto in_thread(Action action) {
  return std::async(std::launch::async, std::move(action));
}

/// Whether the thread still waits after a while.
template <typename T>
bool sleeps(std::future<T>& future) {
  return future.wait_for(std::chrono::milliseconds(30)) == std::future_status::timeout;
}

}  // namespace adoc::testkit
