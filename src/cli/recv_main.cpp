#include <spdlog/spdlog.h>
#include <unistd.h>

#include <optional>

#include "adoc/receive.hpp"
#include "cli/exit_code.hpp"
#include "cli/key_options.hpp"
#include "cli/listen_hint.hpp"
#include "cli/passed_socket.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/recv_observer.hpp"
#include "cli/recv_options.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "cli/words.hpp"
#include "destination/output_tree.hpp"
#include "pipeline/threads.hpp"
#include "util/sandbox.hpp"

namespace adoc::cli {
namespace {

void tell_of_new_key(const ChosenKey& key) {
  spdlog::info("a new key is in {}", key.file);
  if (key.replaced)
    spdlog::warn(
        "the old key lets nobody in from the next start of adoc-recv on: give the new one to all "
        "who send");
}

/// What was asked for and is not to be had is said, not just done otherwise.
void tell_of_fewer_threads(const ReceiveOptions& options) {
  const ThreadCount threads = decompression_threads(options);
  if (threads.why_fewer.empty()) return;
  spdlog::warn("warning: {} of {} threads decompress: {}", threads.count, options.threads,
               words_of(Error(ErrorKind::usage, std::string(threads.why_fewer), threads.hint)));
}

int receive(const RecvCommand& command, StatusLine& status) {
  spdlog::set_level(command.output.log_level);
  Fd passed;
  if (!command.only_key) {
    passed = take_passed_socket();
    if (passed && command.chose_address)
      throw Error(ErrorKind::usage,
                  "the socket to listen on was passed by LISTEN_FDS: --listen has nothing to do "
                  "(ListenStream= of the socket unit says where)");
    tell_of_fewer_threads(command.receive);
    // Before a key is made, which nobody would have been told of.
    validate(command.receive);
    static_cast<void>(open_destination(command.receive.out_directory));
  }
  const auto key = key_to_receive_with(command.key);
  if (key && key->is_new) tell_of_new_key(*key);
  if (key && command.key.show) print(key->key.text() + "\n");
  if (command.only_key) return kExitDone;
  ReceiveOptions options = command.receive;
  if (key) options.key = key->key;
  options.words = words_of;
  Printer printer(status);
  RecvObserver observer({.figures = command.output.json ? &printer : nullptr,
                         .out = command.receive.out_directory,
                         .lists_unchanged = command.output.lists_unchanged});
  Receiver receiver(options, passed.release(), &observer);
  const ListenHint hint{.listening = receiver.local_endpoint(),
                        .machine = machine_address(),
                        .key = key,
                        .shows_key = ::isatty(STDERR_FILENO) == 1};
  // Once it has what it needs, and before it has threads: those that there are would not be held.
  const Sandbox sandbox = confine_to(command.receive.out_directory);
  spdlog::debug("{}", sandbox.summary(command.receive.out_directory));
  const StopOnSignals signals;
  print("listening on " + to_string(receiver.local_endpoint()) + "\n");
  for (const std::string& line : lines_to_type(hint)) spdlog::info("{}", line);

  const ProgressTicker ticker(command.output.progress, status, [&] {
    const Progress progress = receiver.progress();
    return progress.wire_bytes > 0
               ? std::optional<ProgressTicker::Moment>({.progress = progress, .waiting_for = {}})
               : std::nullopt;
  });
  const Verdict verdict = receiver.serve(signals.token());
  const int code = exit_code(verdict);
  return code == kExitDone && printer.failed() ? kExitLocalFile : code;
}

int unpack(const RecvCommand& command, StatusLine& status) {
  spdlog::set_level(command.output.log_level);
  tell_of_fewer_threads(command.receive);
  ReceiveOptions options = command.receive;
  options.words = words_of;
  Printer printer(status);
  RecvObserver observer({.figures = command.output.json ? &printer : nullptr,
                         .out = command.receive.out_directory,
                         .lists_unchanged = command.output.lists_unchanged,
                         .unpacks = true});
  Unpacker unpacker(options, command.from_file, &observer);
  // Once the file is open, and before there are threads.
  const Sandbox sandbox = confine_to(command.receive.out_directory);
  spdlog::debug("{}", sandbox.summary(command.receive.out_directory));
  const StopOnSignals signals;
  const ProgressTicker ticker(command.output.progress, status, [&] {
    return std::optional<ProgressTicker::Moment>(
        {.progress = unpacker.progress(), .waiting_for = {}});
  });
  const int code = exit_code(unpacker.run(signals.token()));
  return code == kExitDone && printer.failed() ? kExitLocalFile : code;
}

int run_recv(int argc, char** argv, StatusLine& status) {
  const RecvCommand command = parse_recv_command(argc, argv);
  if (!command.print)
    return command.from_file.empty() ? receive(command, status) : unpack(command, status);
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
