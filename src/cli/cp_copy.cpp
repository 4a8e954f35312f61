#include "cli/cp_copy.hpp"

#include <spdlog/spdlog.h>

#include <iterator>
#include <optional>

#include "adoc/error.hpp"
#include "adoc/send.hpp"
#include "cli/child.hpp"
#include "cli/cp_connection.hpp"
#include "cli/cp_paths.hpp"
#include "cli/cp_receive.hpp"
#include "cli/cp_relay.hpp"
#include "cli/exit_code.hpp"
#include "cli/far_side.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/recv_observer.hpp"
#include "cli/report.hpp"
#include "cli/send_observer.hpp"
#include "cli/standard_streams.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

std::vector<std::string> paths_of(const std::vector<Place>& places) {
  std::vector<std::string> paths;
  for (const Place& place : places) paths.push_back(without_final_slashes(place.path));
  return paths;
}

void refuse_several(const Place& destination) {
  throw Error(ErrorKind::usage,
              adoc::quoted(to_string(destination)) +
                  " is not a directory, and there is more than one source for it");
}

/// Where the far side can find this one: it knows the address, as ssh came from there.
FarGo go_to(const FarAnswer& answer, const std::optional<Rendezvous>& rendezvous) {
  FarGo go{.only_channel = !rendezvous};
  if (!rendezvous || rendezvous->port() == 0) return go;
  go.whereabouts.port = rendezvous->port();
  if (!answer.whereabouts.peer.empty()) go.whereabouts.addresses.push_back(answer.whereabouts.peer);
  return go;
}

CpConnection meet_far_side(const CopySetup& setup, FarSide& far_side, const FarAnswer& answer,
                           std::optional<Rendezvous>& rendezvous, Role role) {
  return meet(
      {.role = role,
       .via = setup.command.via,
       .rendezvous = rendezvous ? &*rendezvous : nullptr,
       .targets = rendezvous ? far_side.targets(answer.whereabouts) : std::vector<Endpoint>(),
       .in = far_side.channel(),
       .out = far_side.channel(),
       .peer = far_side.name(),
       .stop = setup.stop});
}

void report(const CopySetup& setup, const char* verb, const Statistics& statistics) {
  log_not_kept(statistics.not_kept);
  spdlog::info("{} {}", verb, figures_line(statistics));
  if (setup.command.output.json) print(to_json(statistics) + "\n");
}

}  // namespace

int push(const CopySetup& setup) {
  const CpCommand& command = setup.command;
  const Key key = Key::generate();
  FarSide far_side({.command = command, .place = command.destination, .stop = setup.stop});
  const FarAnswer answer =
      far_side.ask({.role = Role::receiver,
                    .key = key,
                    .paths = {command.destination.path},
                    .into_directory = setup.several || setup.sources.size() > 1});
  std::optional<Rendezvous> rendezvous;
  if (command.via != Via::ssh) rendezvous.emplace(key, Role::sender);
  far_side.go(go_to(answer, rendezvous));
  CpConnection connection = meet_far_side(setup, far_side, answer, rendezvous, Role::sender);
  SendOptions options = command.send;
  options.paths = paths_of(setup.sources);
  options.name = answer.name;
  options.peer.host = far_side.name();
  Printer printer(setup.status);
  SendObserver observer(nullptr, options.dry_run ? &printer : nullptr);
  Sender sender(options, std::move(connection.stream), &observer);
  Statistics statistics;
  {
    const ProgressTicker ticker(command.output.progress, setup.status, [&] {
      return std::optional<ProgressTicker::Moment>(
          {.progress = sender.progress(), .waiting_for = observer.waiting_for()});
    });
    statistics = sender.run(setup.stop);
  }
  report(setup, command.send.dry_run ? "would send" : "sent", statistics);
  return exit_code(statistics);
}

int pull(const CopySetup& setup) {
  const CpCommand& command = setup.command;
  const Destination destination = find_destination(command.destination.path);
  if (!destination.is_directory && setup.several) refuse_several(command.destination);
  const Key key = Key::generate();
  FarSide far_side({.command = command, .place = setup.sources.front(), .stop = setup.stop});
  const FarAnswer answer =
      far_side.ask({.role = Role::sender, .key = key, .paths = paths_of(setup.sources)});
  if (!destination.is_directory && answer.sources > 1) refuse_several(command.destination);
  std::optional<Rendezvous> rendezvous;
  if (command.via != Via::ssh) rendezvous.emplace(key, Role::receiver);
  FarGo go = go_to(answer, rendezvous);
  go.name = destination.name;
  far_side.go(go);
  const CpConnection connection =
      meet_far_side(setup, far_side, answer, rendezvous, Role::receiver);
  CpObserver observer;
  std::function<bool(const std::string&)> expects = names_of(paths_of(setup.sources));
  if (!destination.is_directory)
    expects = [name = destination.name](const std::string& first) { return first == name; };
  CpReceiver receiver({.command = command,
                       .directory = destination.directory,
                       .expects = std::move(expects),
                       .observer = &observer});
  Verdict verdict;
  {
    const ProgressTicker ticker(command.output.progress, setup.status, [&] {
      return std::optional<ProgressTicker::Moment>(
          {.progress = receiver.progress(), .waiting_for = {}});
    });
    verdict = receiver.serve(*connection.stream, connection.heard, setup.stop);
  }
  if (verdict.failure == nullptr)
    report(setup, command.send.dry_run ? "would receive" : "received", verdict.statistics);
  return exit_code(verdict);
}

int pass(const CopySetup& setup) {
  const CpCommand& command = setup.command;
  const Key key = Key::generate();
  FarSide to({.command = command, .place = command.destination, .stop = setup.stop});
  FarSide from({.command = command, .place = setup.sources.front(), .stop = setup.stop});
  const FarAnswer there =
      to.ask({.role = Role::receiver, .key = key, .paths = {command.destination.path}});
  const FarAnswer here =
      from.ask({.role = Role::sender, .key = key, .paths = paths_of(setup.sources)});
  if (!there.is_directory && (setup.several || here.sources > 1))
    refuse_several(command.destination);
  // Where each can find the other, as seen from here.
  const bool only_channel = command.through_here || command.via == Via::ssh;
  const auto whereabouts = [&](FarSide& side, const FarAnswer& answer) {
    Whereabouts result{.port = only_channel ? std::uint16_t{0} : answer.whereabouts.port};
    if (only_channel) return result;
    for (const Endpoint& target : side.targets(answer.whereabouts))
      result.addresses.push_back(target.host);
    return result;
  };
  to.go({.whereabouts = whereabouts(from, here), .only_channel = only_channel});
  from.go({.whereabouts = whereabouts(to, there),
           .name = there.name,
           .only_channel = only_channel,
           .reports = true});
  relay(from.channel(), to.channel(), setup.stop);
  const int code = from.wait();
  return code == kExitDone ? to.wait() : code;
}

int copy_here(const CopySetup& setup) {
  std::vector<std::string> words{"cp"};
  if (setup.command.recursive) words.emplace_back("-r");
  if (setup.command.preserve) words.emplace_back("-p");
  words.emplace_back("--");
  for (const Place& source : setup.sources) words.push_back(source.path);
  words.push_back(setup.command.destination.path);
  return Child(words, Child::Streams::none).wait();
}

}  // namespace adoc::cli
