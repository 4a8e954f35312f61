#include "cli/cp_receive.hpp"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <thread>

#include "cli/recv_observer.hpp"
#include "cli/send_observer.hpp"
#include "util/safe_name.hpp"
#include "util/sandbox.hpp"

namespace adoc::cli {

namespace {

/// What a copy gets of its source's mode when nothing is said, as with cp and scp.
std::uint32_t mode_mask(const CpCommand& command) {
  if (command.preserve) return 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0777 & ~mask;
}

ReceiveOptions receive_options(const CpCommand& command, std::string directory,
                               std::function<bool(const std::string&)> expects) {
  ReceiveOptions options{.out_directory = std::move(directory)};
  options.resume = command.send.resume;
  options.timeout = command.send.timeout;
  options.memory_bytes = command.send.pipeline.memory_bytes;
  options.keep_special_bits = command.preserve;
  options.metadata = command.send.keep.anything();
  options.mode_mask = mode_mask(command);
  options.expects = std::move(expects);
  options.max_depth = kMaxDepth;
  options.min_free = 0;
  return options;
}

}  // namespace

void CpObserver::on_leftovers(const Leftovers& left) {
  if (!left.trouble.empty())
    spdlog::warn("warning: a copy that breaks off cannot be resumed: {}", left.trouble);
}

void CpObserver::on_entry(std::string_view path, EntryOutcome outcome, std::string_view message) {
  if (setup_.would_receive != nullptr && outcome == EntryOutcome::committed)
    setup_.would_receive->print(printable(path) + "\n");
  else
    log_entry(path, {outcome, message, setup_.lists_unchanged});
}

void CpObserver::on_verdict(const Verdict& verdict) {
  if (const std::string failure = failure_message(verdict); !failure.empty())
    spdlog::error("{}", failure);
}

CpReceiver::CpReceiver(Setup setup)
    : directory_(setup.directory),
      receiver_(receive_options(setup.command, setup.directory, std::move(setup.expects)),
                setup.observer) {}

Verdict CpReceiver::serve_confined(Stream& stream, ByteSpan heard, const std::stop_token& stop) {
  Verdict verdict;
  std::jthread([&] {
    const Sandbox sandbox = confine_to(directory_);
    spdlog::trace("{}", sandbox.summary(directory_));
    verdict = receiver_.serve(stream, heard, stop);
  }).join();
  return verdict;
}

}  // namespace adoc::cli
