#include "cli/cp_send.hpp"

#include <spdlog/spdlog.h>

#include <optional>

#include "adoc/send.hpp"
#include "cli/cp_paths.hpp"
#include "cli/ending.hpp"
#include "cli/exit_code.hpp"
#include "cli/json.hpp"
#include "cli/lossy_values.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "cli/send_observer.hpp"
#include "cli/standard_streams.hpp"
#include "cli/words.hpp"

namespace adoc::cli {

namespace {

Statistics run(const CopySetup& setup, Sender& sender, SendObserver& observer) {
  const ProgressTicker ticker(setup.command.output.progress, setup.status, [&] {
    return std::optional<ProgressTicker::Moment>({.progress = sender.progress(),
                                                  .waiting_for = observer.waiting_for(),
                                                  .file = observer.file()});
  });
  return sender.run(setup.stop);
}

}  // namespace

std::vector<std::string> paths_of(const std::vector<Place>& places) {
  std::vector<std::string> paths;
  for (const Place& place : places) paths.push_back(plain_path(without_final_slashes(place.path)));
  return paths;
}

void tell_done(const CopySetup& setup, const char* verb, const Statistics& statistics,
               const LossyTotals& lossy) {
  log_not_kept(statistics.not_kept);
  spdlog::info("{} {}", verb, figures_line(statistics));
  if (const std::string line = lossy_line(lossy); !line.empty()) spdlog::info("{}", line);
  if (setup.command.output.json) print(to_json(statistics, lossy) + "\n");
}

int send_and_tell(const CopySetup& setup, SendingEnd end) {
  SendOptions options = setup.command.send;
  options.paths = std::move(end.sources);
  options.name = std::move(end.name);
  options.peer.host = std::move(end.peer);
  Printer printer(setup.status);
  SendObserver observer({.series = setup.summary != nullptr ? setup.summary->series() : nullptr,
                         .would_send = options.dry_run ? &printer : nullptr,
                         .lists_unchanged = setup.command.output.lists_unchanged});
  std::optional<Sender> sending;
  if (end.connections != nullptr)
    sending.emplace(options, *end.connections, &observer);
  else
    sending.emplace(options, std::move(end.stream), &observer);
  Sender& sender = *sending;
  if (setup.command.lossy) sender.lose(*setup.command.lossy, &observer);
  try {
    const Statistics statistics = run(setup, sender, observer);
    tell_done(setup, options.dry_run ? "would copy" : end.verb, statistics, sender.lossy_totals());
    observer.tell_of_buffers();
    if (setup.summary != nullptr) setup.summary->tell(statistics);
    if (statistics.failed > 0) return exit_code(statistics);
    return printer.failed() ? kExitLocalFile : kExitDone;
  } catch (const Error& why) {
    // That a name here is like the host's is no mistake: it has a colon.
    options.peer.host.clear();
    Statistics statistics = sender.statistics();
    const Error error =
        with_what_is_there(end.explain ? end.explain(why) : why, statistics, options);
    statistics.errors.emplace_back(words_of(error));
    if (setup.command.output.json) printer.print(to_json(statistics, sender.lossy_totals()) + "\n");
    if (setup.summary != nullptr) setup.summary->tell_failed(statistics);
    throw error;
  }
}

}  // namespace adoc::cli
