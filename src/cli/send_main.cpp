#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <optional>

#include "adoc/levels.hpp"
#include "adoc/send.hpp"
#include "adoc/version.hpp"
#include "cli/ending.hpp"
#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/key_options.hpp"
#include "cli/level_table.hpp"
#include "cli/lossy_values.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/report_file.hpp"
#include "cli/report_page.hpp"
#include "cli/save_key.hpp"
#include "cli/send_observer.hpp"
#include "cli/send_options.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "cli/to_file_options.hpp"
#include "cli/trace_reader.hpp"
#include "cli/transfer_summary.hpp"
#include "cli/words.hpp"
#include "pipeline/threads.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

/// The object is the last line of standard output also of a transfer that came to no good end.
void print_failure(Printer& printer, const Sender& sender, const Error& error) {
  Statistics statistics = sender.statistics();
  statistics.errors.emplace_back(words_of(error));
  printer.print(to_json(statistics, sender.lossy_totals()) + "\n");
}

/// What was asked for and is not to be had is said, not just done otherwise.
void tell_of_fewer_threads(const PipelineOptions& pipeline) {
  const ThreadCount threads = compression_threads(pipeline, Ladder::of(pipeline.ladder));
  if (threads.why_fewer.empty()) return;
  spdlog::warn("warning: {} of {} threads compress: {}", threads.count, pipeline.threads,
               words_of(Error(ErrorKind::usage, std::string(threads.why_fewer), threads.hint)));
}

std::string what_was_done(const SendOptions& options) {
  if (options.dry_run) return "would send";
  if (options.to_file.empty()) return "sent";
  return options.to_file == "-" ? "wrote" : "wrote " + adoc::quoted(options.to_file) + ":";
}

/// Before anything is read; whoever comes in between is found out in the end.
void expect_no_file(const SendOptions& options) {
  const std::string& file = options.to_file;
  struct stat status {};
  if (options.replace_file || file.empty() || file == "-" || ::lstat(file.c_str(), &status) != 0)
    return;
  throw Error(ErrorKind::local_file, "cannot write " + adoc::quoted(file) +
                                         ": it is there already (--force replaces a file)");
}

int send(const SendCommand& command, StatusLine& status) {
  spdlog::set_level(command.output.log_level);
  tell_of_fewer_threads(command.send.pipeline);
  expect_no_file(command.send);
  TransferSummary summary({.report_file = command.report_file,
                           .explains = command.explains,
                           .program = "adoc-send",
                           .title = title_of(command.send),
                           .standard_input = sends_standard_input(command.send)});
  const StopOnSignals signals(what_is_written(command.send));
  std::optional<TraceWriter> trace;
  if (!command.trace_file.empty()) trace.emplace(command.trace_file);
  Printer printer(status);
  SendObserver observer({.trace = trace ? &*trace : nullptr,
                         .series = summary.series(),
                         .would_send = command.send.dry_run ? &printer : nullptr,
                         .lists_unchanged = command.output.lists_unchanged});
  SendOptions options = command.send;
  if (options.to_file.empty()) {
    if (const auto key = key_to_send_with(command.key, options.peer)) {
      options.key = key->key;
      options.key_advice = advice_on_key(*key, options.peer);
    }
  }
  Sender sender(options, &observer);
  if (command.lossy) sender.lose(*command.lossy, &observer);

  Statistics statistics;
  try {
    const ProgressTicker ticker(command.output.progress, status, [&] {
      return std::optional<ProgressTicker::Moment>({.progress = sender.progress(),
                                                    .waiting_for = observer.waiting_for(),
                                                    .file = observer.file()});
    });
    statistics = sender.run(signals.token());
  } catch (const Error& why) {
    const Error error = with_what_is_there(why, sender.statistics(), options);
    if (command.output.json) print_failure(printer, sender, error);
    summary.tell_failed(sender.statistics());
    throw error;
  }
  spdlog::info("{} {}", what_was_done(options), figures_line(statistics));
  if (const std::string line = lossy_line(sender.lossy_totals()); !line.empty())
    spdlog::info("{}", line);
  if (command.later_rate != 0) spdlog::info("{}", sent_later_line(statistics, command.later_rate));
  if (command.output.json)
    printer.print(to_json(statistics, sender.lossy_totals(), command.later_rate) + "\n");
  log_not_kept(statistics.not_kept);
  observer.tell_of_buffers();
  summary.tell(statistics);
  if (trace) trace->finish();
  const ExitCode code = exit_code(statistics);
  return code == kExitDone && printer.failed() ? kExitLocalFile : code;
}

int list_measured_levels(const SendCommand& command, StatusLine& status) {
  spdlog::set_level(command.output.log_level);
  const bool shown = command.output.progress != ProgressMode::never;
  const StopOnSignals signals;
  const LevelFigures figures = measure_levels(
      {.path = command.send.paths.front(),
       .filters = command.send.filters,
       .pipeline = command.send.pipeline},
      {.on_level =
           [&](std::size_t done, std::size_t of) {
             if (!shown || !status.can_draw()) return;
             status.draw("measuring levels: " + std::to_string(done) + " of " + std::to_string(of));
           },
       .on_left_out =
           [](std::string_view path, std::string_view why) {
             spdlog::warn("cannot read {}: {}", adoc::quoted(path), why);
           }},
      signals.token());
  status.erase();
  print(level_table(command.send.paths.front(), figures));
  return kExitDone;
}

int report_from_trace(const SendCommand& command) {
  spdlog::set_level(command.output.log_level);
  std::optional<ReportFile> file;
  if (!command.report_file.empty() && command.report_file != "-") file.emplace(command.report_file);
  const Series series = read_trace(command.report_from);
  const Reported reported{
      .title = command.report_from == "-" ? "standard input" : command.report_from,
      .about = "adoc-send " + std::string(version()) + ", from a trace",
      .series = series};
  if (command.explains) tell(explain(reported));
  const std::string page = report_page(reported);
  if (file) {
    file->write(page);
  } else {
    print(page);
  }
  return kExitDone;
}

int run_send(int argc, char** argv, StatusLine& status) {
  const SendCommand command = parse_send_command(argc, argv);
  if (command.save_key) {
    spdlog::set_level(command.output.log_level);
    return save_key(*command.save_key);
  }
  if (!command.report_from.empty()) return report_from_trace(command);
  if (command.measures_levels) return list_measured_levels(command, status);
  if (!command.print) return send(command, status);
  print(*command.print);
  return kExitDone;
}

}  // namespace
}  // namespace adoc::cli

int main(int argc, char** argv) {
  return adoc::cli::run_program("adoc-send", [&](adoc::cli::StatusLine& status) {
    return adoc::cli::run_send(argc, argv, status);
  });
}
