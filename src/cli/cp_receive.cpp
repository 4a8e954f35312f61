#include "cli/cp_receive.hpp"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <thread>

#include "cli/exit_code.hpp"
#include "cli/recv_observer.hpp"
#include "cli/send_observer.hpp"
#include "cli/words.hpp"
#include "util/safe_name.hpp"
#include "util/sandbox.hpp"

namespace adoc::cli {

namespace {

/// Connections in a row that bring nothing. A sender takes the channel after fewer (cp_ways.cpp),
/// and the channel is the last.
constexpr unsigned kMostConnectionsInVain = 3;

/// What a copy gets of its source's mode when nothing is said, as with cp and scp.
std::uint32_t mode_mask(const CpCommand& command) {
  if (command.preserve) return 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0777 & ~mask;
}

ReceiveOptions receive_options(const CpCommand& command, std::string directory,
                               std::optional<Asked> asked) {
  ReceiveOptions options{.out_directory = std::move(directory)};
  options.words = words_of;
  options.resume = command.send.resume;
  options.timeout = command.send.timeout;
  options.memory_bytes = command.send.pipeline.memory_bytes;
  options.keep_special_bits = command.preserve;
  options.metadata = command.send.keep.anything();
  options.mode_mask = mode_mask(command);
  options.asked = std::move(asked);
  options.max_depth = kMaxDepth;
  options.min_free = 0;
  return options;
}

}  // namespace

void CpObserver::on_leftovers(const Leftovers& left) {
  if (!left.trouble.empty())
    spdlog::warn("warning: a copy that breaks off cannot be resumed: {}", left.trouble);
}

void CpObserver::on_lossy_file(std::string_view path, const Lossy& lossy) {
  log_lossy_file(path, lossy);
}

void CpObserver::on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) {
  if (setup_.would_receive != nullptr && outcome == EntryOutcome::committed)
    setup_.would_receive->print(printable_name(path) + "\n");
  else
    log_entry(path, {outcome, message, setup_.lists_unchanged});
}

void CpObserver::on_verdict(const Verdict& verdict) {
  const std::string failure = failure_message(verdict);
  if (failure.empty()) return;
  const int code = exit_code(verdict);
  const bool goes_on = setup_.resumes && (code == kExitConnect || code == kExitInterrupted);
  spdlog::error("{}{}", failure, goes_on ? " (the same command goes on where it was)" : "");
}

CpReceiver::CpReceiver(Setup setup)
    : directory_(setup.directory),
      receiver_(receive_options(setup.command, setup.directory, std::move(setup.asked)),
                setup.observer) {}

Verdict CpReceiver::serve_each(CpWays& ways, const ServeOne& serve_one,
                               const std::stop_token& stop) {
  unsigned in_vain = 0;
  try {
    while (true) {
      CpConnection connection = ways.take();
      const bool expects_sender =
          serve_one({.stream = *connection.stream, .heard = connection.heard, .door = ways.door()});
      connection.stream.reset();
      if (!expects_sender || !ways.has_more()) break;
      in_vain = receiver_.got_on() ? 0 : in_vain + 1;
      if (in_vain > kMostConnectionsInVain) {
        spdlog::warn("the other side comes back again and again, and brings nothing");
        break;
      }
      spdlog::warn("the connection is lost; the other side is looked for again");
      ways.again(0, stop);
    }
  } catch (const Error& error) {
    // The verdict, of the connection that was lost, is what is told.
    spdlog::debug("{}", words_of(error));
  }
  return receiver_.finish();
}

bool CpReceiver::serve_one(const Way& way, const std::stop_token& stop) {
  auto* const socket = dynamic_cast<SocketStream*>(&way.stream);
  if (way.door && socket != nullptr) return receiver_.serve(*socket, way.heard, *way.door, stop);
  return receiver_.serve(way.stream, way.heard, stop);
}

Verdict CpReceiver::serve(CpWays& ways, const std::stop_token& stop) {
  return serve_each(
      ways, [&](const Way& way) { return serve_one(way, stop); }, stop);
}

bool CpReceiver::serve_in_thread(const Way& way, const std::stop_token& stop) {
  bool expects_sender = false;
  std::jthread([&] {
    const Sandbox sandbox = confine_to(directory_);
    spdlog::trace("{}", sandbox.summary(directory_));
    expects_sender = serve_one(way, stop);
  }).join();
  return expects_sender;
}

Verdict CpReceiver::serve_confined(CpWays& ways, const std::stop_token& stop) {
  return serve_each(
      ways, [&](const Way& way) { return serve_in_thread(way, stop); }, stop);
}

Verdict CpReceiver::serve_confined(Stream& stream, const std::stop_token& stop) {
  static_cast<void>(serve_in_thread({.stream = stream}, stop));
  return receiver_.finish();
}

}  // namespace adoc::cli
