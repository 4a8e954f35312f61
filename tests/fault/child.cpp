#include "fault/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace adoc::fault {

namespace {

using Clock = std::chrono::steady_clock;

/// Of an executable file that is not one, so that it is not taken for an answer of the program.
constexpr int kCannotStart = 126;

bool ready_in_time(int fd, Clock::time_point end) {
  pollfd polled{fd, POLLIN, 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = ::poll(&polled, 1, static_cast<int>(std::max<long>(0, left)));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

}  // namespace

Child::Child(const Setup& setup) {
  // Before fork(): between it and exec() nothing may take memory, this process has threads.
  std::vector<char*> arguments;
  for (const std::string& argument : setup.command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (const std::string& variable : setup.environment)
    environment.push_back(const_cast<char*>(variable.c_str()));
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.push_back(*variable);
  environment.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  output_ = Fd(pipe[0]);
  const Fd write_end(pipe[1]);

  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("no process");
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int input = ::open(setup.input.c_str(), O_RDONLY);
    const int errors = ::open(setup.errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(input, 0);
    ::dup2(write_end.get(), 1);
    ::dup2(errors, 2);
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(kCannotStart);
  }
  handle_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  if (!handle_) throw std::runtime_error("no pidfd");
}

Child::~Child() {
  if (status_) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

std::optional<int> Child::wait(std::chrono::milliseconds limit) {
  if (status_ || !ready_in_time(handle_.get(), Clock::now() + limit)) return status_;
  int status = 0;
  ::waitpid(process_, &status, 0);
  status_ = status;
  return status_;
}

void Child::signal(int number) const noexcept {
  // By its handle: once it has ended, its number may be another's.
  ::syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0);
}

std::string Child::line(std::chrono::milliseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  std::array<char, 4'096> buffer{};
  while (read_.find('\n') == read_.npos) {
    if (!ready_in_time(output_.get(), end)) return {};
    const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
    if (got <= 0) return {};
    read_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const std::size_t length = read_.find('\n');
  std::string line = read_.substr(0, length);
  read_.erase(0, length + 1);
  return line;
}

}  // namespace adoc::fault
