#include "support/program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <thread>

extern char** environ;

namespace adoc::testkit {

namespace {

using std::chrono::steady_clock;

void pause_briefly() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

}  // namespace

Program::Program(std::vector<std::string> command) {
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&actions, 1, (files_ / "out").c_str(), flags, 0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, (files_ / "err").c_str(), flags, 0600);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  // The first of a name counts. What it learns is for itself alone, and not for who runs the tests.
  std::string cache = "XDG_CACHE_HOME=" + files_ / "cache";
  std::vector<char*> environment{cache.data()};
  for (char** variable = environ; *variable != nullptr; ++variable)
    environment.push_back(*variable);
  environment.push_back(nullptr);
  if (::posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(),
                    environment.data()) != 0) {
    ADD_FAILURE() << "cannot start " << command.front();
    process_ = -1;
  }
  ::posix_spawn_file_actions_destroy(&actions);
}

Program::~Program() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

int Program::wait(std::chrono::seconds limit) {
  const auto deadline = steady_clock::now() + limit;
  int status = 0;
  while (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == 0) {
    if (steady_clock::now() > deadline) {
      ADD_FAILURE() << "the program hangs; it said: " << errors();
      return -1;
    }
    pause_briefly();
  }
  process_ = -1;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  ADD_FAILURE() << "the program died of signal " << WTERMSIG(status) << ": " << errors();
  return -1;
}

void Program::terminate() const noexcept { ::kill(process_, SIGTERM); }

void Program::wait_for_text(const std::string& text) const {
  const auto deadline = steady_clock::now() + kPatience;
  while ((output() + errors()).find(text) == std::string::npos) {
    if (steady_clock::now() > deadline) {
      ADD_FAILURE() << "\"" << text << "\" does not come, but: " << output() << errors();
      return;
    }
    pause_briefly();
  }
}

std::uint16_t Program::listening_port() const {
  wait_for_text("listening on ");
  wait_for_text("\n");
  const std::string line = output();
  return static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
}

}  // namespace adoc::testkit
