#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "adoc/error.hpp"
#include "cli/cp_copy.hpp"
#include "cli/cp_far.hpp"
#include "cli/cp_here.hpp"
#include "cli/cp_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/far_words.hpp"
#include "cli/program.hpp"
#include "cli/signals.hpp"
#include "cli/standard_streams.hpp"
#include "cli/words.hpp"

namespace adoc::cli {
namespace {

/// Those of one machine together, machines in the order of their first source.
std::vector<std::vector<Place>> by_machine(const std::vector<Place>& sources) {
  std::vector<std::vector<Place>> groups;
  for (const Place& source : sources) {
    const auto group = std::ranges::find_if(
        groups, [&](const auto& any) { return any.front().is_same_machine(source); });
    if (group != groups.end())
      group->push_back(source);
    else
      groups.push_back({source});
  }
  return groups;
}

std::string title_of_copy(const CpCommand& command) {
  const auto words = [](const Place& place) {
    return place.is_far() ? place.host + ":" + place.path : place.path;
  };
  std::vector<std::string> paths;
  for (const Place& source : command.sources) paths.push_back(words(source));
  return title_of(paths) + " to " + words(command.destination);
}

int copy(const CopySetup& setup) {
  const bool from_far = setup.sources.front().is_far();
  const bool to_far = setup.command.destination.is_far();
  if (from_far && to_far) return pass(setup);
  if (from_far) return pull(setup);
  return to_far ? push(setup) : copy_here(setup);
}

/// What fails of one machine keeps nobody from copying what is on the others; the first code that
/// is not 0 is the program's.
int copy_all(const CpCommand& command, StatusLine& status) {
  TransferSummary summary({.report_file = command.report_file,
                           .explains = command.explains,
                           .program = "adoc-cp",
                           .title = title_of_copy(command)});
  const StopOnSignals signals;
  // Its thread leaves signals to the one that waits for them.
  std::optional<FarWords> far_words;
  const bool is_far =
      command.destination.is_far() ||
      std::ranges::any_of(command.sources, [](const Place& p) { return p.is_far(); });
  if (is_far) far_words.emplace(status);
  const auto groups = by_machine(command.sources);
  int code = kExitDone;
  for (const std::vector<Place>& sources : groups) {
    int ended = kExitDone;
    try {
      ended = copy({.command = command,
                    .sources = sources,
                    .several = groups.size() > 1,
                    .status = status,
                    .standard_error = far_words ? far_words->fd() : -1,
                    .stop = signals.token(),
                    .summary = &summary});
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted || &sources == &groups.back()) throw;
      spdlog::error("{}", words_of(error));
      ended = exit_code(error.kind());
    }
    if (code == kExitDone) code = ended;
  }
  return code;
}

int run_cp(int argc, char** argv, StatusLine& status) {
  const CpCommand command = parse_cp_command(argc, argv);
  if (command.print) {
    print(*command.print);
    return kExitDone;
  }
  if (command.is_far_side) return run_far_side();
  spdlog::set_level(command.output.log_level);
  return copy_all(command, status);
}

}  // namespace
}  // namespace adoc::cli

int main(int argc, char** argv) {
  return adoc::cli::run_program("adoc-cp", [&](adoc::cli::StatusLine& status) {
    return adoc::cli::run_cp(argc, argv, status);
  });
}
