#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "adoc/receive.hpp"
#include "cli/exit_code.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/recv_observer.hpp"
#include "cli/recv_options.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "pipeline/threads.hpp"

namespace adoc::cli {
namespace {

/// What the other side has to type to reach us.
std::string address_to_type(Endpoint endpoint) {
  if (endpoint.host == "0.0.0.0" || endpoint.host == "::") {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) endpoint.host = name.data();
  }
  return to_string(endpoint);
}

/// What was asked for and is not to be had is said, not just done otherwise.
void tell_of_fewer_threads(const ReceiveOptions& options) {
  const std::size_t threads = decompression_threads(options);
  if (options.threads <= threads) return;
  spdlog::warn(
      "warning: {} of {} threads decompress: the memory does not suffice for more (--memory)",
      threads, options.threads);
}

int receive(const RecvCommand& command, StatusLine& status) {
  spdlog::set_level(command.output.log_level);
  tell_of_fewer_threads(command.receive);
  const StopOnSignals signals;
  Printer printer(status);
  RecvObserver observer(command.output.json ? &printer : nullptr);
  Receiver receiver(command.receive, &observer);
  print("listening on " + to_string(receiver.local_endpoint()) + "\n");
  spdlog::info("on the other side: adoc-send PATH... {}",
               address_to_type(receiver.local_endpoint()));

  const ProgressTicker ticker(command.output.progress, status, [&] {
    return observer.active() > 0 ? std::optional(receiver.progress()) : std::nullopt;
  });
  const Verdict verdict = receiver.serve(signals.token());
  const int code = exit_code(verdict);
  return code == kExitDone && printer.failed() ? kExitLocalFile : code;
}

int run_recv(int argc, char** argv, StatusLine& status) {
  const RecvCommand command = parse_recv_command(argc, argv);
  if (!command.print) return receive(command, status);
  print(*command.print);
  return kExitDone;
}

}  // namespace
}  // namespace adoc::cli

int main(int argc, char** argv) {
  return adoc::cli::run_program("adoc-recv", [&](adoc::cli::StatusLine& status) {
    return adoc::cli::run_recv(argc, argv, status);
  });
}
