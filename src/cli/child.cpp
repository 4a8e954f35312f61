#include "cli/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "adoc/error.hpp"
#include "util/clock.hpp"
#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

extern char** environ;  // NOLINT: POSIX says that it is declared by whoever uses it

namespace adoc::cli {

namespace {

/// For a program that has nothing left to do to end.
constexpr std::chrono::milliseconds kALittle{1'000};
constexpr std::chrono::milliseconds kLookAgain{2};

/// What is done between fork and exec.
class Preparation {
 public:
  Preparation() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    // Blocked and ignored signals are ours, not the program's.
    sigset_t none{};
    sigset_t ours{};
    ::sigemptyset(&none);
    ::sigemptyset(&ours);
    for (const int number : {SIGPIPE, SIGXFSZ}) ::sigaddset(&ours, number);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &ours);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

}  // namespace

Child::Child(const std::vector<std::string>& words, Streams streams, int standard_error) {
  std::vector<char*> arguments;
  // exec takes them as they are and does not write to them.
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw errno_error(ErrorKind::internal, "make a socket", errno);
  socket_ = Fd(pair[0]);
  const Fd theirs(pair[1]);
  Preparation preparation;
  ::posix_spawn_file_actions_adddup2(&preparation.actions, theirs.get(), STDOUT_FILENO);
  if (streams == Streams::both)
    ::posix_spawn_file_actions_adddup2(&preparation.actions, theirs.get(), STDIN_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&preparation.actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                       0);
  if (streams == Streams::quiet_output)
    ::posix_spawn_file_actions_addopen(&preparation.actions, STDERR_FILENO, "/dev/null", O_WRONLY,
                                       0);
  else if (standard_error >= 0)
    ::posix_spawn_file_actions_adddup2(&preparation.actions, standard_error, STDERR_FILENO);
  const int error_number = ::posix_spawnp(&pid_, arguments.front(), &preparation.actions,
                                          &preparation.attributes, arguments.data(), environ);
  if (error_number != 0)
    throw errno_error(ErrorKind::local_file, "run " + adoc::quoted(words.front()), error_number);
}

Child::~Child() {
  if (is_left_)
    say_no_more();
  else
    socket_.reset();
  if (wait_a_little() || is_left_) return;
  end();
  if (wait_a_little()) return;
  ::kill(pid_, SIGKILL);
  static_cast<void>(wait());
}

int Child::wait() noexcept {
  if (code_) return *code_;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  note(status);
  return *code_;
}

std::optional<int> Child::wait_a_little() noexcept {
  const Clock::time_point end = Clock::now() + kALittle;
  while (!code_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_)
      note(status);
    else if (Clock::now() >= end)
      break;
    else
      std::this_thread::sleep_for(kLookAgain);
  }
  return code_;
}

void Child::say_no_more() noexcept { ::shutdown(socket_.get(), SHUT_WR); }

void Child::end() noexcept {
  if (!code_) ::kill(pid_, SIGTERM);
}

void Child::note(int status) noexcept {
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_to_end(int fd, std::size_t limit) {
  std::string text;
  std::array<char, 4'096> piece{};
  while (text.size() < limit) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text.substr(0, limit);
}

}  // namespace adoc::cli
