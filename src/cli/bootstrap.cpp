#include "cli/bootstrap.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/utsname.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "adoc/error.hpp"
#include "adoc/version.hpp"
#include "cli/child.hpp"
#include "cli/standard_streams.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {

namespace {

constexpr std::size_t kMostOfAnAnswer = 4'096;
constexpr std::size_t kHashLetters = 64;

/// From the directory that this program is in.
constexpr const char* kStaticProgram = ADOC_STATIC_PROGRAM;

std::string kind_of_this_machine() {
  utsname name{};
  ::uname(&name);
  return std::string(name.sysname) + " " + name.machine;
}

/// Also when it was replaced or moved since it was started.
std::string this_program() { return "/proc/" + std::to_string(::getpid()) + "/exe"; }

/// What needs no libraries over there, where it was installed beside this one and is of the same
/// version; else this program.
std::string program_to_copy() {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string other = (own.parent_path() / kStaticProgram).lexically_normal().string();
  if (error || ::access(other.c_str(), X_OK) != 0) return this_program();
  Child program({other, "--version"}, Child::Streams::output);
  const std::string answer = read_to_end(program.socket(), kMostOfAnAnswer);
  const bool is_same = program.wait() == 0 && answer == "adoc-cp " + std::string(version()) + "\n";
  return is_same ? other : this_program();
}

std::string hash_of(const std::string& file) {
  Child program({"sha256sum", file}, Child::Streams::output);
  const std::string line = read_to_end(program.socket(), kMostOfAnAnswer);
  if (program.wait() != 0 || line.size() < kHashLetters)
    throw Error(ErrorKind::local_file, "cannot compute the hash of this program by sha256sum");
  return line.substr(0, kHashLetters);
}

/// Any login shell takes it as it is: it has no single quotes, and sh reads what is in them.
std::string script(const std::string& hash) {
  return "sh -c 'umask 077; d=${XDG_CACHE_HOME:-$HOME/.cache}/adoc; f=$d/adoc-cp-" + hash +
         "; [ \"$(uname -s) $(uname -m)\" = \"" + kind_of_this_machine() +
         "\" ] || { echo \"kind $(uname -s) $(uname -m)\"; exit; }; "
         "same() { [ \"$(sha256sum <\"$1\")\" = \"" +
         hash +
         "  -\" ]; }; "
         "if [ -x \"$f\" ] && same \"$f\"; then echo \"have $f\"; exit; fi; "
         "echo send; mkdir -p \"$d\" && t=$f.$$ && cat >\"$t\" && same \"$t\" && chmod 700 \"$t\" "
         "&& { \"$t\" --version >/dev/null || { rm -f \"$t\"; echo lacks; exit; }; } "
         "&& mv \"$t\" \"$f\" && echo \"have $f\"'";
}

/// One line, without its end; empty at the end.
std::string read_line(int fd) {
  std::string line;
  char next = 0;
  while (line.size() < kMostOfAnAnswer && ::read(fd, &next, 1) == 1 && next != '\n') line += next;
  return line;
}

/// From its first word on nobody over there is asked for a password.
void expect_no_silence(int fd, std::chrono::milliseconds patience) {
  pollfd first{fd, POLLIN, 0};
  while (::poll(&first, 1, -1) < 0 && errno == EINTR) {
  }
  const timeval limit{.tv_sec = patience.count() / 1'000,
                      .tv_usec = patience.count() % 1'000 * 1'000};
  for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO})
    ::setsockopt(fd, SOL_SOCKET, direction, &limit, sizeof(limit));
}

/// What the script says beside what a login shell may print.
std::string hear(int fd) {
  for (int lines = 0; lines < 1'000; ++lines) {
    const std::string line = read_line(fd);
    for (const std::string_view word : {"have ", "kind ", "send", "lacks"})
      if (line.starts_with(word)) return line;
    if (line.empty()) break;
  }
  return {};
}

void copy_program(const std::string& file, int to) {
  const Fd program(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 64 << 10> piece{};
  while (true) {
    const ssize_t got = program ? ::read(program.get(), piece.data(), piece.size()) : -1;
    if (got < 0) throw errno_error(ErrorKind::local_file, "read this program", errno);
    if (got == 0) break;
    if (write_all(to, {piece.data(), static_cast<std::size_t>(got)}) != 0)
      throw Error(ErrorKind::connect, "the connection is lost");
  }
}

std::string quoted_for_shell(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'')
      result += "'\\''";
    else
      result += letter;
  }
  return result + "'";
}

}  // namespace

std::string bring_program(const Bringing& bringing) {
  const auto& [options, place, patience, standard_error] = bringing;
  spdlog::info("copying adoc-cp to the cache of {}", place.host);
  const std::string program = program_to_copy();
  Child ssh(ssh_command(options, place, script(hash_of(program))), Child::Streams::both,
            standard_error);
  expect_no_silence(ssh.socket(), patience);
  std::string answer = hear(ssh.socket());
  if (answer == "send") {
    copy_program(program, ssh.socket());
    ::shutdown(ssh.socket(), SHUT_WR);
    answer = hear(ssh.socket());
  }
  if (answer.starts_with("have ")) return quoted_for_shell(answer.substr(5));
  if (answer.starts_with("kind "))
    throw Error(ErrorKind::connect, place.host + " is another kind of machine (" +
                                        printable(answer.substr(5)) +
                                        "), where this program does not run");
  if (answer == "lacks")
    throw Error(ErrorKind::connect,
                "this program does not run on " + place.host +
                    ", which lacks what it was linked with: use one that was built with "
                    "-DADOC_STATIC=ON, or install the package adoc there");
  throw Error(ErrorKind::connect, "cannot copy adoc-cp to " + place.host +
                                      " (is there room in ~/.cache, and sha256sum?)");
}

}  // namespace adoc::cli
