#include "cli/cp_options.hpp"

#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "adoc/error.hpp"
#include "adoc/send.hpp"
#include "cli/command_line.hpp"
#include "cli/cp_paths.hpp"
#include "cli/keep_options.hpp"
#include "cli/transfer_options.hpp"
#include "cli/values.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

const ProgramText kCpText{
    .name = "adoc-cp",
    .purpose = "Copies files between machines as scp does, as fast as the link allows.",
    .usage =
        "adoc-cp [options] SRC... DST\n"
        "  SRC, DST  a path, [USER@]HOST:PATH, or ssh://[USER@]HOST[:PORT]/PATH\n",
    .examples =
        "Examples:\n"
        "  adoc-cp report.tar host:             a file, into the home directory there\n"
        "  adoc-cp -r src user@host:work        a tree\n"
        "  adoc-cp -r host:'logs/*.log' .       from there, with a pattern\n"
        "  adoc-cp -J gate one:file two:        between two other machines\n"
        "\n"
        "ssh logs in, with all of its configuration. adoc-cp must be installed there,\n"
        "or --bootstrap brings it along. More, option by option beside scp: adoc-cp(1).",
    .common = {"r", "p", "links", "3", "exclude", "no-overwrite", "dry-run", "via", "P", "i", "J",
               "o", "bootstrap", "progress", "json", "quiet", "verbose"},
    .habits = cp_habits()};

struct RawCopyValues {
  std::string port, program, cipher, limit, bwlimit, via, timeout, sftp_server, streams;
  std::vector<std::string> identities, configs, jumps, ssh_options, listed, sftp_options;
  bool compress = false, old_protocol = false, unchecked_names = false, origin = false;
  bool four = false, six = false, batch = false, agent = false;
  bool remember = true, keep_links = false;
};

void add_list(CommandLine& line, const char* name, const char* value,
              std::vector<std::string>& target, const char* description) {
  line.app()
      .add_option(name, target, description)
      ->option_text(value)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void add_copy_options(CommandLine& line, CpCommand& command, RawCopyValues& raw) {
  line.app().option_defaults()->group("Copying");
  line.app().add_flag("-r,--recursive", command.recursive, "directories, with all in them");
  line.app().add_flag("-p", command.preserve, "keep modes as they are, whatever the umask is");
  line.app().add_flag("--links", raw.keep_links,
                      "copy symbolic links as links (default: what they\nlead to, as scp does)");
  line.app().add_flag("-3", command.through_here,
                      "between two other machines: through this one, not\ndirectly");
  line.add("-l", "KBIT", raw.limit, "at most so many kbit/s, as scp has it");
  line.add("--bwlimit", "RATE", raw.bwlimit, "at most so many bytes a second (a SIZE)");
}

void add_ssh_options(CommandLine& line, CpCommand& command, RawCopyValues& raw) {
  CLI::App& app = line.app();
  app.option_defaults()->group("Connection");
  line.add("--via", "WAY", raw.via,
           "auto: over a connection of its own, encrypted by a\n"
           "fresh key, else through ssh (default); ssh; direct");
  line.add("--streams", "N", raw.streams,
           "so many connections of its own at once, at most 16\n(default: auto, as many as raise "
           "the rate on a long path)");
  line.add("--congestion", "NAME", command.send.congestion,
           "TCP's congestion control of its own connections\n(default: auto, the system's, and BBR "
           "where packets are\nlost that no queue explains)");
  line.add("-P", "PORT", raw.port, "where sshd listens");
  add_list(line, "-i", "FILE", raw.identities, "ssh's key file");
  add_list(line, "-F", "FILE", raw.configs, "ssh's configuration file");
  add_list(line, "-J", "HOST", raw.jumps, "through this host");
  add_list(line, "-o", "OPTION", raw.ssh_options, "an option of ssh_config(5)");
  line.add("-c", "CIPHER", raw.cipher, "ssh's cipher");
  line.add("-S", "PROGRAM", command.ssh.program, "in the place of ssh");
  app.add_flag("-4", raw.four, "IPv4 only");
  app.add_flag("-6", raw.six, "IPv6 only");
  app.add_flag("-A", raw.agent, "forward ssh's agent");
  app.add_flag("-B", raw.batch, "ask for no password");
  app.add_flag("--bootstrap", command.bootstrap,
               "where adoc-cp is missing over there, copy this one\nto ~/.cache/adoc and use it");
  line.add("--far-program", "PROGRAM", command.far_program, "what is run over there (adoc-cp)");
  line.add("--timeout", "TIME", raw.timeout,
           "give up when the other side is silent so long\n(default: 30s; 0: never)");
  app.add_flag("--remember,!--no-remember", raw.remember,
               "start from what earlier transfers over this link\nlearned, and keep what "
               "this one learns (default)");
  app.option_defaults()->group("Of scp, without a meaning here");
  app.add_flag("-C", raw.compress, "what compression pays is found out without it");
  app.add_flag("-O", raw.old_protocol, "scp's old protocol: there is one protocol");
  app.add_flag("-s", raw.old_protocol, "SFTP: there is one protocol");
  app.add_flag("-R", raw.origin, "from machine to machine directly, which is the default");
  app.add_flag("-T", raw.unchecked_names, "do not check names: they are always checked");
  line.add("-D", "PATH", raw.sftp_server, "SFTP's server");
  add_list(line, "-X", "OPTION", raw.sftp_options, "of SFTP: nrequests=N or buffer=N");
  app.option_defaults()->group("");
  app.add_flag("--far", command.is_far_side);
  app.add_flag("--into", command.into_directory);
  add_list(line, "--asked", "PATH", command.asked, "");
  add_list(line, "--listed", "NAME", raw.listed, "");
}

/// What ssh takes for one, so that a word that was meant for something else is found out.
void check_port(const std::string& port) {
  if (port.empty() || ::getservbyname(port.c_str(), "tcp") != nullptr) return;
  const bool is_number = port.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && port.size() <= 5 && std::stoi(port) >= 1 && std::stoi(port) <= 65535) return;
  throw Error(ErrorKind::usage,
              "-P: " + adoc::quoted(port) + " is no port, which is a number from 1 to 65535");
}

/// With rsync, -X has no value and is something else.
void check_sftp_options(const std::vector<std::string>& options) {
  for (const std::string& option : options)
    if (!option.starts_with("nrequests=") && !option.starts_with("buffer="))
      throw Error(ErrorKind::usage, "-X: " + adoc::quoted(option) +
                                        " is none of scp's options of SFTP, nrequests=N and "
                                        "buffer=N; --xattrs keeps extended attributes");
}

std::uint64_t limit_of(const RawCopyValues& raw) {
  if (!raw.bwlimit.empty()) return parse_size("--bwlimit", raw.bwlimit);
  if (raw.limit.empty()) return 0;
  const int kbit = parse_whole_number("-l", raw.limit, 1);
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(kbit) * 125, kMinBandwidthLimit);
}

void fill_ssh(SshOptions& ssh, const RawCopyValues& raw, bool is_quiet) {
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values)
      ssh.arguments.insert(ssh.arguments.end(), {option, value});
  };
  add("-F", raw.configs);
  add("-i", raw.identities);
  add("-J", raw.jumps);
  if (!raw.cipher.empty()) add("-c", {raw.cipher});
  add("-o", raw.ssh_options);
  const auto flag = [&](bool is_set, const char* option) {
    if (is_set) ssh.arguments.emplace_back(option);
  };
  flag(raw.four, "-4");
  flag(raw.six, "-6");
  flag(raw.agent, "-A");
  flag(is_quiet, "-q");
  flag(raw.batch, "-oBatchMode=yes");
  ssh.port = raw.port;
}

/// What of the options names files here, which are read here.
constexpr std::array kReadHere{"exclude",      "include",    "exclude-from",
                               "include-from", "files-from", "from0"};

/// Whether the far side, which may be the one that sends or the one that receives, is told of it.
bool is_for_both(const CLI::Option& option) {
  if (std::ranges::any_of(kReadHere, [&](const char* name) { return option.check_lname(name); }))
    return false;
  const std::string& group = option.get_group();
  if (group == "Files" || group == "Compression" || group == "Copying") return true;
  constexpr std::array kOthers{"timeout", "remember",   "quiet",    "verbose",
                               "streams", "congestion", "log-level"};
  return std::ranges::any_of(kOthers, [&](const char* name) { return option.check_lname(name); });
}

std::vector<std::string> words_for_far_side(const CLI::App& app, const SendOptions& send) {
  std::vector<std::string> words;
  std::vector<const CLI::Option*> done;
  for (const CLI::Option* const option : app.parse_order()) {
    if (!is_for_both(*option) || std::ranges::find(done, option) != done.end()) continue;
    done.push_back(option);
    // Of one that is repeated the last counts.
    const std::string& value = option->results().back();
    const bool has_value = option->get_items_expected_max() > 0;
    if (option->get_lnames().empty()) {
      words.push_back("-" + option->get_snames().front());
      if (has_value) words.push_back(value);
    } else {
      const std::string& name = option->get_lnames().front();
      const bool negated = !has_value && value == "false";
      words.push_back((negated ? "--no-" : "--") + name + (has_value ? "=" + value : ""));
    }
  }
  for (const FilterRule& rule : send.filters)
    words.push_back((rule.include ? "--include=" : "--exclude=") + rule.pattern);
  if (send.listed)
    for (const std::string& name : *send.listed) words.push_back("--listed=" + name);
  return words;
}

void take_places(CpCommand& command, const std::vector<std::string>& operands) {
  if (operands.empty())
    throw Error(ErrorKind::usage,
                "what is to be copied, and where to? As in: adoc-cp report.tar host:");
  if (operands.size() < 2) {
    const char* const there = parse_place(operands.front()).is_far() ? " ." : " host:";
    throw Error(ErrorKind::usage, "where is it to be copied to? As in: adoc-cp " +
                                      adoc::quoted(operands.front()) + there);
  }
  for (const std::string& operand : operands) command.sources.push_back(parse_place(operand));
  command.destination = std::move(command.sources.back());
  command.sources.pop_back();
}

/// Who sends knows what a copy waits for.
void check_summary(const CpCommand& command) {
  if (command.report_file.empty() && !command.explains) return;
  if (std::ranges::any_of(command.sources, [](const Place& source) { return source.is_far(); }))
    throw Error(ErrorKind::usage,
                "--report and --explain are for copies from this machine: what a copy waits for is "
                "known where it is sent from");
}

/// All that Sender would refuse, whoever sends: before a password is asked for.
void check_send_options(const CpCommand& command) {
  SendOptions options = command.send;
  for (const Place& source : command.sources)
    options.paths.push_back(source.path.empty() ? "." : plain_path(source.path));
  options.peer.host = "adoc-cp";
  validate(options);
}

CpCommand parse(int argc, const char* const* argv, bool is_far_side) {
  CpCommand command;
  // As of scp, nothing is said on success but on a terminal.
  if (::isatty(STDERR_FILENO) == 0) command.output.log_level = spdlog::level::warn;
  RawCopyValues raw;
  command.send.congestion = kAutomaticCongestion;
  CommandLine line(kCpText);
  TransferOptions transfer(line, command.send, command.lossy);
  add_copy_options(line, command, raw);
  transfer.add_file_options();
  const KeepOptions keep(line, KeepOptions::Names::scp);
  add_ssh_options(line, command, raw);
  transfer.add_compression_options();
  line.add_output_options(command.output, true);
  line.add("--report", "FILE", command.report_file,
           "from this machine: write a page (HTML) with pictures\nof the copy");
  line.app().add_flag("--explain", command.explains,
                      "from this machine: at the end, say what limited the\n"
                      "copy and what would make it faster");
  Arguments arguments = line.parse(argc, argv);
  command.print = std::move(arguments.print);
  if (command.print || (command.is_far_side && !is_far_side)) return command;
  transfer.finish();
  command.send.keep = keep.keep();
  if (keep.archive()) command.recursive = command.preserve = raw.keep_links = true;
  command.send.recursive = command.recursive;
  command.follows_links = command.send.copy_links;
  command.send.copy_links = !raw.keep_links;
  if (!raw.listed.empty()) command.send.listed = raw.listed;
  command.far_words = words_for_far_side(line.app(), command.send);
  command.send.bandwidth_limit = limit_of(raw);
  command.send.streams = parse_streams(raw.streams);
  set_duration(command.send.timeout, "--timeout", raw.timeout);
  if (raw.remember) command.send.path_metrics_directory = default_path_metrics_directory();
  if (!raw.via.empty())
    command.via = parse_choice<Via>(
        "--via", raw.via, {{"auto", Via::automatic}, {"ssh", Via::ssh}, {"direct", Via::direct}});
  if (is_far_side) {
    for (std::string& path : arguments.operands)
      command.sources.push_back({.path = std::move(path)});
    return command;
  }
  check_port(raw.port);
  check_sftp_options(raw.sftp_options);
  fill_ssh(command.ssh, raw, line.app().count("--quiet") > 0);
  take_places(command, arguments.operands);
  check_summary(command);
  check_send_options(command);
  return command;
}

}  // namespace

CpCommand parse_cp_command(int argc, const char* const* argv) { return parse(argc, argv, false); }

CpCommand parse_far_words(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"adoc-cp"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return parse(static_cast<int>(argv.size()), argv.data(), true);
}

}  // namespace adoc::cli
