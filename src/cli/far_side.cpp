#include "cli/far_side.hpp"

#include <spdlog/spdlog.h>

#include <sstream>

#include "adoc/error.hpp"
#include "adoc/version.hpp"
#include "cli/bootstrap.hpp"
#include "cli/exit_code.hpp"
#include "cli/words.hpp"
#include "io/name_lookup.hpp"
#include "util/safe_name.hpp"
#include "util/wakeup.hpp"

namespace adoc::cli {

namespace {

/// What the shells say that cannot find a program; 126: cannot run it.
constexpr int kNotFound = 127;
constexpr int kSshFailed = 255;
/// And more than these: the signal that ended it.
constexpr int kBySignal = 128;

/// For the address of a name that ssh has found already.
constexpr std::chrono::milliseconds kLookUp{300};
constexpr std::size_t kMostOfAQuery = 64 << 10;
/// Below it are ports of services; no system gives one of these to a program that asks for any.
constexpr std::uint16_t kFirstFreePort = 1'024;

/// Of the lines of `ssh -G`: "hostname 10.0.0.5"; empty where another program or machine is on the
/// way, which an address is of no use behind.
std::string host_of(const std::string& query) {
  std::istringstream lines(query);
  std::string host;
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "hostname") host = value;
    if ((word == "proxyjump" || word == "proxycommand") && value != "none") return {};
  }
  return host;
}

/// Its files are not here, and it was not this side that was stopped.
ErrorKind seen_from_here(ErrorKind kind) noexcept {
  if (kind == ErrorKind::local_file) return ErrorKind::remote_file;
  return kind == ErrorKind::interrupted ? ErrorKind::connect : kind;
}

/// Where it is brought along if it is missing, the login shell does not say that it is: sh looks
/// first. What any shell takes as it is has no single quotes of its own.
std::string far_command(const CpCommand& command) {
  const std::string& program = command.far_program;
  const std::string whole = program + " --far";
  if (!command.bootstrap || program.find('\'') != std::string::npos) return whole;
  return "sh -c 'command -v " + program.substr(0, program.find(' ')) + " >/dev/null 2>&1 || exit " +
         std::to_string(kNotFound) + "; exec " + whole + "'";
}

}  // namespace

FarSide::FarSide(Setup setup) : setup_(std::move(setup)), name_(setup_.place.host) {
  start(far_command(setup_.command));
}

void FarSide::look_for_it() {
  query_.emplace(ssh_query(setup_.command.ssh, setup_.place), Child::Streams::quiet_output);
}

void FarSide::start(const std::string& command) {
  pipe_.reset();
  ssh_.reset();
  ssh_.emplace(ssh_command(setup_.command.ssh, setup_.place, command), Child::Streams::both,
               setup_.standard_error);
  pipe_.emplace(RecordPipe::Setup{.in = ssh_->socket(),
                                  .out = ssh_->socket(),
                                  .peer = setup_.place.host,
                                  .stop = setup_.stop,
                                  .timeout = setup_.command.send.timeout,
                                  .waits_for_login = true});
}

FarAnswer FarSide::ask(const Request& asked) {
  FarRequest request{.program = std::string(version()),
                     .role = asked.role,
                     .key = asked.key.text(),
                     .arguments = setup_.command.far_words};
  for (const std::string& path : asked.asked) request.arguments.push_back("--asked=" + path);
  if (asked.into_directory) request.arguments.emplace_back("--into");
  if (asked.only_channel) request.arguments.emplace_back("--via=ssh");
  request.arguments.emplace_back("--");
  request.arguments.insert(request.arguments.end(), asked.paths.begin(), asked.paths.end());
  Bytes said = RecordPipe::in_letters(request);
  if (asked.go) {
    const Bytes go = RecordPipe::in_letters(*asked.go);
    said.insert(said.end(), go.begin(), go.end());
  }
  try {
    return converse(said);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
    const auto code = wait();
    const bool missing = code == kNotFound || code == kNotFound - 1;
    if (!missing || !setup_.command.bootstrap) explain_missing(error, code);
  }
  start(bring_program({.ssh = setup_.command.ssh,
                       .place = setup_.place,
                       .patience = setup_.command.send.timeout,
                       .standard_error = setup_.standard_error}) +
        " --far");
  try {
    return converse(said);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
    explain_missing(error, wait());
  }
}

std::optional<int> FarSide::wait() {
  ssh_->say_no_more();
  const auto code = ssh_->wait_a_little();
  if (!code) ssh_->end();
  return code;
}

Error FarSide::with_end_of_ssh(const Error& error) {
  if (error.kind() != ErrorKind::connect) return error;
  const auto code = wait();
  // With the last it is the far side that was interrupted.
  if (!code || *code <= kBySignal || *code == kExitInterrupted) return error;
  return {ErrorKind::connect, "the connection to " + name_ + " is lost (" +
                                  setup_.command.ssh.program + " ended with " +
                                  std::to_string(*code) + ")"};
}

FarAnswer FarSide::converse(ByteSpan request) {
  // It waits in ssh until the far side is there: nobody waits for that here and then for an answer.
  // What reads it may be no AdOC: that finds letters, and a key that opens nothing without an
  // answer.
  pipe_->write(request);
  const std::string said = pipe_->expect_magic();
  if (!said.empty()) spdlog::debug("{} says: {}", name_, printable(said));
  FarAnswer answer = pipe_->hear<FarAnswer>();
  spdlog::debug("{} runs adoc-cp {}", name_, printable(answer.program));
  if (answer.failed())
    throw Error(seen_from_here(static_cast<ErrorKind>(answer.error_kind)),
                name_ + ": " + printable(answer.message));
  return answer;
}

void FarSide::explain_missing(const Error& error, std::optional<int> code) {
  if (!code) throw error;
  if (code == kNotFound || code == kNotFound - 1)
    throw Error(ErrorKind::connect,
                "there is no " + setup_.command.far_program + " on " + name_ +
                    ": install the package adoc there, or add --bootstrap, which copies this "
                    "program to ~/.cache/adoc over there");
  if (code == kSshFailed) throw Error(ErrorKind::connect, "ssh cannot log in to " + name_);
  throw Error(ErrorKind::connect, words_of(error) + " (" + setup_.command.ssh.program +
                                      " ended with " + std::to_string(*code) + ")");
}

std::vector<Endpoint> FarSide::targets(const Whereabouts& whereabouts) {
  std::vector<Endpoint> targets;
  if (whereabouts.port < kFirstFreePort || !query_) return targets;
  const std::string host = host_of(read_to_end(query_->socket(), kMostOfAQuery));
  if (host.empty()) return targets;
  try {
    const Wakeup never;
    for (const Address& address : look_up({.host = host, .port = whereabouts.port}, kLookUp, never))
      targets.push_back(address.endpoint());
  } catch (const Error& error) {
    spdlog::debug("{}", words_of(error));
  }
  return targets;
}

}  // namespace adoc::cli
