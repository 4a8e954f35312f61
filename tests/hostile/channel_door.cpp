// Leads what hostile_sender says to the far side of a copy, through the channel that ssh would be,
// for tests/e2e/96-cp-hostile.sh:
//
//   channel_door DESTINATION COMMAND
//
// Says on which port of loopback it listens. For each connection a shell runs the command, which
// starts a far side that receives below DESTINATION; a line tells its exit code and the most memory
// that it had, in KiB. Ends with standard input, once all of them have.

#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <list>
#include <thread>

#include "adoc/error.hpp"
#include "adoc/key.hpp"
#include "io/channel_stream.hpp"
#include "io/record_pipe.hpp"
#include "io/tcp_listener.hpp"

namespace adoc::testkit {
namespace {

struct Started {
  pid_t pid = -1;
  Fd socket;
};

Started start(const char* command) {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) std::abort();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(pair[1], STDIN_FILENO);
    ::dup2(pair[1], STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", command, nullptr);
    ::_exit(127);
  }
  ::close(pair[1]);
  return {pid, Fd(pair[0])};
}

/// As an honest program up to where the transfer begins.
void begin(int socket, const char* destination) {
  RecordPipe pipe({.in = socket, .out = socket, .peer = "the far side"});
  static_cast<void>(pipe.expect_magic());
  pipe.write(RecordPipe::in_letters(FarRequest{.program = "0",
                                               .role = Role::receiver,
                                               .key = Key::generate().text(),
                                               .arguments = {"--", destination}}));
  if (pipe.hear<FarAnswer>().failed()) throw Error(ErrorKind::connect, "it refuses");
  pipe.write(RecordPipe::in_letters(FarGo{.only_channel = true}));
}

void pass_on(Stream& from, Stream& to) noexcept {
  Bytes piece(65'536);
  try {
    while (const std::size_t got = from.read_some(piece)) to.write_all(ByteSpan(piece).first(got));
    to.finish_writing();
  } catch (const std::exception&) {
    from.stop_reading();
    to.abort();
  }
}

void serve(std::unique_ptr<Stream> sender, const char* destination, const char* command) {
  Started far = start(command);
  try {
    begin(far.socket.get(), destination);
    Fd out(::dup(far.socket.get()));
    ChannelStream channel({.in = std::move(far.socket),
                           .out = std::move(out),
                           .peer = "the far side",
                           .link_name = ""});
    const std::jthread back([&] { pass_on(channel, *sender); });
    pass_on(*sender, channel);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  far.socket.reset();
  int status = 0;
  rusage usage{};
  ::wait4(far.pid, &status, 0, &usage);
  std::printf("%d %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
              usage.ru_maxrss);
  std::fflush(stdout);
}

int run(const char* destination, const char* command) {
  std::signal(SIGPIPE, SIG_IGN);
  TcpListener listener(Endpoint{.host = "127.0.0.1", .port = 0});
  std::printf("listening on port %d\n", listener.local().port);
  std::fflush(stdout);
  std::list<std::jthread> served;
  while (true) {
    std::array<pollfd, 2> polled{{{STDIN_FILENO, POLLIN, 0}, {listener.fd(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) return 0;
    TcpListener::Arrival arrival = listener.accept_now();
    if (arrival.stream)
      served.emplace_back([stream = std::move(arrival.stream), destination, command]() mutable {
        serve(std::move(stream), destination, command);
      });
  }
}

}  // namespace
}  // namespace adoc::testkit

int main(int argc, char** argv) {
  if (argc == 3) return adoc::testkit::run(argv[1], argv[2]);
  std::fputs("usage: channel_door DESTINATION COMMAND\n", stderr);
  return 2;
}
