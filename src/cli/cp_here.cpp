#include "cli/cp_here.hpp"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "adoc/error.hpp"
#include "cli/cp_paths.hpp"
#include "cli/cp_receive.hpp"
#include "cli/cp_send.hpp"
#include "cli/exit_code.hpp"
#include "io/channel_stream.hpp"
#include "source/walker.hpp"
#include "util/errno_error.hpp"
#include "util/fd.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {

namespace {

/// For the sending end to go, which it does at once unless the program is stopped.
constexpr std::chrono::milliseconds kLinger{2'000};

struct Ends {
  std::unique_ptr<Stream> sending, receiving;
};

std::unique_ptr<Stream> end_of_pair(int socket) {
  Fd in(socket);
  Fd out(::dup(socket));
  return std::make_unique<ChannelStream>(ChannelStream::Setup{
      .in = std::move(in), .out = std::move(out), .peer = "this machine", .link_name = ""});
}

Ends pair_of_streams() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw errno_error(ErrorKind::internal, "make a socket", errno);
  return {.sending = end_of_pair(pair[0]), .receiving = end_of_pair(pair[1])};
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? real.get() : std::string();
}

/// Whether the source is what it would be copied to, or holds it: a copy into what is being walked
/// would not end.
bool leads_to_itself(const std::string& source, const Destination& destination) {
  struct stat from {};
  struct stat to {};
  if (::stat(source.c_str(), &from) != 0) return false;
  const std::string name = destination.name.empty() ? destination_name(source) : destination.name;
  const std::string target = destination.directory + "/" + name;
  if (::stat(target.c_str(), &to) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
    return true;
  if (!S_ISDIR(from.st_mode)) return false;
  const std::string tree = real_path(source);
  return !tree.empty() && (real_path(destination.directory) + "/").starts_with(tree + "/");
}

/// Failures are told by the sending end, which hears of each.
class SilentReceiver : public ReceiveObserver {};

}  // namespace

int copy_here(const CopySetup& given) {
  expect_source(paths_of(given.sources));
  CpCommand command = given.command;
  // As cp(1), which scp leaves this to: links in a tree stay links.
  if (command.recursive && !command.follows_links) command.send.copy_links = false;
  const CopySetup setup{.command = command,
                        .sources = given.sources,
                        .several = given.several,
                        .status = given.status,
                        .stop = given.stop,
                        .summary = given.summary};
  const std::string& path = command.destination.path;
  const bool several = setup.several || setup.sources.size() > 1 || needs_directory(command);
  const Destination destination = several ? make_destination(path) : find_destination(path);
  if (!destination.missing_directory.empty() &&
      is_no_directory(paths_of(setup.sources).front(), command.send.copy_links))
    refuse_missing_directory(path, ErrorKind::local_file);
  std::vector<std::string> sources;
  bool refused = false;
  for (const std::string& source : paths_of(setup.sources)) {
    if (!leads_to_itself(source, destination)) {
      sources.push_back(source);
      continue;
    }
    spdlog::error("{} cannot be copied to itself or into itself", adoc::quoted(source));
    refused = true;
  }
  if (sources.empty()) return kExitSomeFailed;
  Ends ends = pair_of_streams();
  SilentReceiver observer;
  CpReceiver receiver(
      {.command = command, .directory = destination.directory, .observer = &observer});
  std::jthread receiving([&] {
    static_cast<void>(receiver.serve_confined(*ends.receiving, setup.stop));
    // Closed with something unread it would be lost to the other end, which may have more to hear.
    ends.receiving->linger(kLinger);
    ends.receiving.reset();
  });
  const int code = send_and_tell(setup, {.stream = std::move(ends.sending),
                                         .sources = std::move(sources),
                                         .name = destination.name,
                                         .peer = "this machine",
                                         .verb = "copied"});
  return code == kExitDone && refused ? kExitSomeFailed : code;
}

}  // namespace adoc::cli
