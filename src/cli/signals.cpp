#include "cli/signals.hpp"

#include <poll.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <system_error>
#include <utility>

#include "adoc/error.hpp"
#include "cli/exit_code.hpp"
#include "util/clock.hpp"
#include "util/errno_error.hpp"

namespace adoc::cli {
namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

/// nohup ignores SIGHUP, and means it. SIGINT is ignored in what a script starts in the background,
/// and heard all the same: a receiver does not outlive the script that Ctrl-C has ended.
bool stays_ignored(int signal) {
  struct sigaction action {};
  return signal == SIGHUP && ::sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

void end_at_once(int) { ::_exit(kExitInterrupted); }

/// The terminal may be what all wait for, so the message has a limit, too.
[[noreturn]] void end_now(const std::string& left) {
  constexpr itimerval kLimit{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 200'000}};
  struct sigaction action {};
  action.sa_handler = end_at_once;
  ::sigaction(SIGALRM, &action, nullptr);
  ::setitimer(ITIMER_REAL, &kLimit, nullptr);
  spdlog::error("interrupted{}{}", left.empty() ? "" : "; ", left);
  ::_exit(kExitInterrupted);
}

sigset_t block_stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kStopSignals)
    // A blocked signal would arrive although it is ignored.
    if (!stays_ignored(signal)) sigaddset(&signals, signal);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace

void end_at_once_on_signals() noexcept {
  for (const int signal : kStopSignals) {
    if (stays_ignored(signal)) continue;
    struct sigaction action {};
    action.sa_handler = end_at_once;
    ::sigaction(signal, &action, nullptr);
  }
}

StopOnSignals::StopOnSignals(std::string left) : left_(std::move(left)) {
  ::signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = block_stop_signals();
  signal_fd_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
  end_fd_ = ::eventfd(0, EFD_CLOEXEC);
  if (signal_fd_ < 0 || end_fd_ < 0) {
    throw Error(ErrorKind::internal, "cannot listen for signals: too many open files");
  }
  try {
    watcher_ = std::jthread([this] { watch(); });
  } catch (const std::system_error& error) {
    throw errno_error(ErrorKind::internal, "start a thread", error.code().value());
  }
}

StopOnSignals::~StopOnSignals() {
  const std::uint64_t one = 1;
  const ssize_t written = ::write(end_fd_, &one, sizeof one);
  static_cast<void>(written);
  watcher_.join();
  ::close(signal_fd_);
  ::close(end_fd_);
}

void StopOnSignals::watch() noexcept {
  std::array<pollfd, 2> events{pollfd{signal_fd_, POLLIN, 0}, pollfd{end_fd_, POLLIN, 0}};
  Clock::time_point end = Clock::time_point::max();
  while (true) {
    const int left_ms = end == Clock::time_point::max() ? -1 : poll_ms(end - Clock::now());
    const int ready = ::poll(events.data(), events.size(), left_ms);
    if (ready < 0) continue;
    if (ready == 0) end_now(left_);
    if (events[1].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signal_fd_, &info, sizeof info) != sizeof info) continue;
    if (!source_.request_stop()) ::_exit(kExitInterrupted);
    end = Clock::now() + kTimeToEnd;
  }
}

}  // namespace adoc::cli
