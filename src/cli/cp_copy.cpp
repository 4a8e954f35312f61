#include "cli/cp_copy.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <iterator>
#include <optional>

#include "adoc/error.hpp"
#include "cli/cp_asked.hpp"
#include "cli/cp_connection.hpp"
#include "cli/cp_little.hpp"
#include "cli/cp_paths.hpp"
#include "cli/cp_receive.hpp"
#include "cli/cp_relay.hpp"
#include "cli/cp_send.hpp"
#include "cli/cp_ways.hpp"
#include "cli/exit_code.hpp"
#include "cli/far_side.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/recv_observer.hpp"
#include "cli/standard_streams.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

void refuse_several(const Place& destination) {
  throw Error(ErrorKind::usage,
              adoc::quoted(to_string(destination)) +
                  " is not a directory, and there is more than one source for it");
}

/// What is listed has the names that it has below its source, so it needs a directory.
Destination destination_here(const CpCommand& command) {
  const std::string& path = command.destination.path;
  const bool is_made = needs_directory(command) && !command.send.dry_run;
  return is_made ? make_destination(path) : find_destination(path);
}

void refuse_listed(const CpCommand& command) {
  if (!command.send.listed) return;
  throw Error(ErrorKind::usage, adoc::quoted(to_string(command.destination)) +
                                    " is not a directory, which what is listed needs");
}

/// Over there is nothing of the destination's name, and one source here.
void expect_directory_for(const CpCommand& command, const std::string& source) {
  if (command.destination.path.ends_with('/') && is_no_directory(source, command.send.copy_links))
    refuse_missing_directory(to_string(command.destination), ErrorKind::remote_file);
}

/// Where the far side can find this one: it knows the address, as ssh came from there.
FarGo go_to(const FarAnswer& answer, const std::optional<Rendezvous>& rendezvous) {
  FarGo go{.only_channel = !rendezvous};
  if (!rendezvous || rendezvous->port() == 0) return go;
  go.whereabouts.port = rendezvous->port();
  if (!answer.whereabouts.peer.empty()) go.whereabouts.addresses.push_back(answer.whereabouts.peer);
  return go;
}

MeetSetup with_far_side(const CopySetup& setup, FarSide& far_side,
                        std::optional<Rendezvous>& rendezvous, Role role) {
  return {.role = role,
          .via = setup.command.via,
          .rendezvous = rendezvous ? &*rendezvous : nullptr,
          .in = far_side.channel(),
          .out = far_side.channel(),
          .peer = far_side.name(),
          .stop = setup.stop,
          .timeout = setup.command.send.timeout};
}

/// Where there is no choice, or nothing to be gained by making a connection.
bool goes_through_ssh(const CpCommand& command, const std::vector<std::string>& sources) {
  return command.via == Via::ssh ||
         (command.via == Via::automatic && is_little(sources, command.send));
}

/// Begins what takes its time, while ssh logs in or the other side is at work, too.
void look_for_a_way(FarSide& far_side, std::optional<Rendezvous>& rendezvous, const Key& key,
                    Role role) {
  far_side.look_for_it();
  rendezvous.emplace(key, role);
  rendezvous->prepare();
}

/// Where to connect to. Behind a jump host there is nothing, and the far side takes that for this
/// machine: then nobody needs to look for a way.
std::vector<Endpoint> targets_of(FarSide& far_side, const FarAnswer& answer, Via via,
                                 std::optional<Rendezvous>& rendezvous) {
  if (!rendezvous) return {};
  std::vector<Endpoint> targets = far_side.targets(answer.whereabouts);
  if (via == Via::automatic && targets.empty() && !is_own_address(answer.whereabouts.peer))
    rendezvous.reset();
  return targets;
}

/// Of the two sides of a transfer between other machines, which tell the rest themselves.
int ended(FarSide& side) {
  const auto code = side.wait();
  if (!code) throw Error(ErrorKind::connect, "adoc-cp on " + side.name() + " does not end");
  return *code;
}

}  // namespace

int push(const CopySetup& setup) {
  expect_source(paths_of(setup.sources));
  const CpCommand& command = setup.command;
  const Key key = Key::generate();
  FarSide far_side({.command = command,
                    .place = command.destination,
                    .standard_error = setup.standard_error,
                    .stop = setup.stop});
  FarSide::Request request{
      .role = Role::receiver,
      .key = key,
      .paths = {command.destination.path},
      .into_directory = setup.several || setup.sources.size() > 1 || needs_directory(command),
      .only_channel = goes_through_ssh(command, paths_of(setup.sources))};
  std::optional<Rendezvous> rendezvous;
  if (request.only_channel)
    request.go.emplace(FarGo{.only_channel = true});
  else
    look_for_a_way(far_side, rendezvous, key, Role::sender);
  const FarAnswer answer = far_side.ask(request);
  const auto targets = targets_of(far_side, answer, command.via, rendezvous);
  if (!answer.is_directory_or_little)
    expect_directory_for(command, paths_of(setup.sources).front());
  if (!request.go) far_side.go(go_to(answer, rendezvous));
  MeetSetup meeting = with_far_side(setup, far_side, rendezvous, Role::sender);
  meeting.is_little = request.only_channel && command.via != Via::ssh;
  meeting.targets = targets;
  CpWays ways(std::move(meeting));
  ways.find();
  ways.watch({});
  const auto explain = [&](const Error& error) { return far_side.with_end_of_ssh(error); };
  const int code = send_and_tell(setup, {.connections = &ways,
                                         .sources = paths_of(setup.sources),
                                         .name = answer.name,
                                         .peer = far_side.name(),
                                         .explain = explain});
  far_side.done();
  return code;
}

int pull(const CopySetup& setup) {
  const CpCommand& command = setup.command;
  const Destination destination = destination_here(command);
  if (!destination.is_directory) refuse_listed(command);
  if (!destination.is_directory && setup.several) refuse_several(command.destination);
  const Key key = Key::generate();
  FarSide far_side({.command = command,
                    .place = setup.sources.front(),
                    .standard_error = setup.standard_error,
                    .stop = setup.stop});
  const FarAnswer answer = far_side.ask({.role = Role::sender,
                                         .key = key,
                                         .paths = paths_of(setup.sources),
                                         .only_channel = command.via == Via::ssh});
  if (!destination.is_directory && answer.sources > 1) refuse_several(command.destination);
  std::optional<Rendezvous> rendezvous;
  const bool is_little = command.via == Via::automatic && answer.is_directory_or_little;
  if (command.via != Via::ssh && !is_little)
    look_for_a_way(far_side, rendezvous, key, Role::receiver);
  const auto targets = targets_of(far_side, answer, command.via, rendezvous);
  FarGo go = go_to(answer, rendezvous);
  go.name = destination.name;
  far_side.go(go);
  MeetSetup meeting = with_far_side(setup, far_side, rendezvous, Role::receiver);
  meeting.is_little = is_little;
  meeting.targets = targets;
  meeting.opens_reverse = command.send.streams != 1;
  CpWays ways(std::move(meeting));
  ways.find();
  ways.watch({});
  Printer printer(setup.status);
  CpObserver observer({.would_receive = command.send.dry_run ? &printer : nullptr,
                       .lists_unchanged = command.output.lists_unchanged,
                       .resumes = command.send.resume});
  CpReceiver receiver({.command = command,
                       .directory = destination.directory,
                       .asked = asked_for(command, paths_of(setup.sources), destination),
                       .observer = &observer});
  Verdict verdict;
  std::atomic<bool> is_done = false;
  {
    const ProgressTicker ticker(command.output.progress, setup.status, [&] {
      Progress progress = receiver.progress();
      progress.finished = is_done;
      return std::optional<ProgressTicker::Moment>(
          {.progress = progress, .waiting_for = {}, .file = observer.file()});
    });
    verdict = receiver.serve_confined(ways, setup.stop);
    is_done = verdict.failure == nullptr;
  }
  if (verdict.failure != nullptr) {
    Statistics figures = verdict.statistics;
    figures.errors.push_back(failure_message(verdict));
    if (command.output.json) print(to_json(figures, verdict.lossy) + "\n");
  } else {
    far_side.done();
    tell_done(setup, command.send.dry_run ? "would copy" : "received", verdict.statistics,
              verdict.lossy);
  }
  return exit_code(verdict);
}

int pass(const CopySetup& setup) {
  const CpCommand& command = setup.command;
  const Key key = Key::generate();
  FarSide to({.command = command,
              .place = command.destination,
              .standard_error = setup.standard_error,
              .stop = setup.stop});
  FarSide from({.command = command,
                .place = setup.sources.front(),
                .standard_error = setup.standard_error,
                .stop = setup.stop});
  const bool only_channel = command.through_here || command.via == Via::ssh;
  if (!only_channel) {
    to.look_for_it();
    from.look_for_it();
  }
  const FarAnswer there = to.ask({.role = Role::receiver,
                                  .key = key,
                                  .paths = {command.destination.path},
                                  .asked = paths_of(setup.sources),
                                  .into_directory = command.send.shard.has_value(),
                                  .only_channel = only_channel});
  const FarAnswer here = from.ask({.role = Role::sender,
                                   .key = key,
                                   .paths = paths_of(setup.sources),
                                   .only_channel = only_channel});
  if (!there.is_directory_or_little) refuse_listed(command);
  if (!there.is_directory_or_little && (setup.several || here.sources > 1))
    refuse_several(command.destination);
  // Where each can find the other, as seen from here.
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
  const std::uint64_t passed = relay(from.channel(), to.channel(), setup.stop);
  spdlog::debug("the data of {} went to {} {}", from.name(), to.name(),
                passed == 0 ? "directly" : "through this machine");
  const int code = ended(from);
  if (code != kExitDone) return code;
  // The one that sends has told of all that failed, if it is honest.
  const int arrived = ended(to);
  if (arrived != kExitDone)
    spdlog::error("adoc-cp on {} ended with {}: not all of it is there", to.name(), arrived);
  return arrived;
}

}  // namespace adoc::cli
