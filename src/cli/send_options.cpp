#include "cli/send_options.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "adoc/error.hpp"
#include "adoc/send.hpp"
#include "cli/command_line.hpp"
#include "cli/keep_options.hpp"
#include "cli/operands.hpp"
#include "cli/to_file_options.hpp"
#include "cli/transfer_options.hpp"
#include "cli/values.hpp"
#include "codec/ladder.hpp"

namespace adoc::cli {
namespace {

const ProgramText kSendText{
    .name = "adoc-send",
    .purpose = "Sends files and trees to adoc-recv, compressed as hard as the link allows.",
    .usage =
        "adoc-send [options] PATH... HOST[:PORT]\n"
        "       adoc-send [options] --to-file FILE PATH...\n"
        "  PATH  a file, a directory, DIR/ for what is in DIR, - for standard input\n"
        "  PORT  where adoc-recv listens (default: 4400; write [ADDR]:PORT for IPv6)\n",
    .examples =
        "Examples:\n"
        "  adoc-send report.tar host                        a file\n"
        "  adoc-send --exclude '*.o' src doc host:5000      two trees, no object files\n"
        "  tar -c . | adoc-send --name all.tar - host       what a program writes\n"
        "  adoc-send --save-key host                        once; asks for its key\n"
        "\n"
        "The other side runs adoc-recv --out DIR. More in adoc-send(1).",
    .common = {"exclude", "archive", "copy-links", "name", "checksum", "no-overwrite", "dry-run",
               "bwlimit", "save-key", "insecure", "progress", "json", "quiet", "verbose"},
    .habits = send_habits()};

/// Values as they stand on the command line, until all of it is known.
struct RawValues {
  std::string timeout, bwlimit, wait, retry, streams;
  std::string save_key;
  std::string name;
  bool list_levels = false;
  bool remember = true;
};

void add_other_options(CommandLine& line, SendCommand& command, RawValues& raw) {
  line.app().option_defaults()->group("Connection");
  line.add("--bwlimit", "RATE", raw.bwlimit, "most bytes a second (a SIZE; default: no limit)");
  line.add(
      "--streams", "N", raw.streams,
      "use so many connections at once, at most 16\n(default: auto, as many as raise the rate on "
      "a long path)");
  line.add("--congestion", "NAME", command.send.congestion,
           "TCP's congestion control (default: auto, the system's,\nand BBR where packets are lost "
           "that no queue explains)");
  line.add("--wait", "TIME", raw.wait,
           "wait so long for a receiver that is not there yet\n(default: 0; 90, 90s, 10m, 2h)");
  line.add(
      "--retry", "TIME", raw.retry,
      "try so long to connect again when the connection is\nlost (default: 10m; 0: not at all)");
  line.add("--timeout", "TIME", raw.timeout,
           "give up when the other side is silent so long\n(default: 30s; 0: never)");
  line.app().add_flag("--remember,!--no-remember", raw.remember,
                      "start from what earlier transfers over this link\nlearned, and keep what "
                      "this one learns (default)");
  line.add("--save-key", "HOST[:PORT]", raw.save_key,
           "read the key of HOST from the terminal or a pipe,\n"
           "keep it for all transfers to there, and end");
  add_key_options(line, command.key,
                  {.default_file = "~/.config/adoc/peers/HOST",
                   .insecure = "no key, no encryption; adoc-recv must be told, too"});
  line.add_output_options(command.output);
  line.add("--trace", "FILE", command.trace_file, "write why each block got its level, as CSV");
  line.add("--report", "FILE", command.report_file,
           "write a page (HTML) with pictures of the transfer");
  line.add("--report-from", "FILE", command.report_from,
           "make that page from a trace and end; without --report:\non standard output");
  line.app().add_flag("--explain", command.explains,
                      "at the end, say what limited the transfer and what\n"
                      "would make it faster");
}

std::string level_list(LadderKind kind) {
  const Ladder ladder = Ladder::of(kind);
  std::string list;
  for (int level = 0; level <= ladder.last(); ++level) {
    list +=
        (level < 10 ? " " : "") + std::to_string(level) + "  " + to_string(ladder[level]) + "\n";
  }
  return list;
}

/// Without an operand the list can be given at once.
void take_path_to_measure(SendCommand& command, std::vector<std::string> operands) {
  if (operands.empty()) {
    command.print = level_list(command.send.pipeline.ladder);
    return;
  }
  if (operands.size() > 1) {
    throw Error(ErrorKind::usage,
                "--list-levels takes one PATH and no HOST: '" + operands[1] + "' is too many");
  }
  if (operands[0] == "-") {
    throw Error(ErrorKind::usage, "--list-levels needs a file or a directory, not standard input");
  }
  command.send.paths = std::move(operands);
  command.measures_levels = true;
}

void set_name(SendOptions& send, const std::string& name) {
  const bool has_standard_input = std::ranges::find(send.paths, "-") != send.paths.end();
  (has_standard_input ? send.stdin_name : send.name) = name;
}

void check_report(const SendCommand& command) {
  if (command.report_file.empty() || command.trace_file.empty()) return;
  const auto place = [](const std::string& path) {
    std::error_code none;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
  };
  if (place(command.report_file) == place(command.trace_file))
    throw Error(ErrorKind::usage, "--report and --trace cannot write the same file");
}

void check_report_from(const SendCommand& command, const std::vector<std::string>& operands) {
  if (!operands.empty())
    throw Error(ErrorKind::usage,
                "--report-from takes no PATH and no HOST: '" + operands[0] + "' is too many");
  if (!command.trace_file.empty())
    throw Error(ErrorKind::usage, "--report-from reads a trace: no --trace is written meanwhile");
}

PeerName parse_save_key(const SendCommand& command, const std::string& value,
                        const std::vector<std::string>& operands) {
  refuse_key(value);
  // Not shown: it may be the key.
  if (!operands.empty())
    throw Error(ErrorKind::usage,
                "--save-key takes HOST alone: it asks for the key, or gets it from a pipe, because "
                "others on this machine can read the command line");
  if (command.key.insecure || !command.key.file.empty())
    throw Error(ErrorKind::usage,
                "--save-key reads a key from standard input: no other one, and "
                "no --insecure");
  return parse_peer(value);
}

}  // namespace

SendCommand parse_send_command(int argc, const char* const* argv) {
  SendCommand command;
  RawValues raw;
  command.send.congestion = kAutomaticCongestion;
  CommandLine line(kSendText);
  TransferOptions transfer(line, command.send, command.lossy);
  line.app().option_defaults()->group("Files");
  line.add("--name", "NAME", raw.name,
           "the name that standard input, or the only PATH,\ngets there");
  transfer.add_file_options();
  const KeepOptions keep(line, KeepOptions::Names::rsync);
  ToFileOptions to_file(line);
  to_file.add();
  transfer.add_compression_options();
  line.app().add_flag("--list-levels", raw.list_levels,
                      "show the levels of the ladder and end; with one PATH\n"
                      "and no HOST: what each makes of it on this machine");
  add_other_options(line, command, raw);

  Arguments arguments = line.parse(argc, argv);
  command.print = std::move(arguments.print);
  if (command.print) return command;
  transfer.finish();
  command.send.keep = keep.keep();
  to_file.finish(command.send);
  if (to_file.given()) {
    command.later_rate = to_file.rate();
    if (command.send.to_file == "-" && command.output.json)
      throw Error(ErrorKind::usage,
                  "--json and --to-file - would both be written to standard output");
    command.send.paths = std::move(arguments.operands);
    set_name(command.send, raw.name);
    validate(command.send);
    return command;
  }
  if (raw.list_levels) {
    take_path_to_measure(command, std::move(arguments.operands));
    return command;
  }
  if (!command.report_from.empty()) {
    check_report_from(command, arguments.operands);
    return command;
  }
  if (line.app().count("--save-key") > 0) {
    command.save_key = parse_save_key(command, raw.save_key, arguments.operands);
    return command;
  }
  check_report(command);
  if (raw.remember) command.send.path_metrics_directory = default_path_metrics_directory();
  set_size(command.send.bandwidth_limit, "--bwlimit", raw.bwlimit);
  command.send.streams = parse_streams(raw.streams);
  set_duration(command.send.wait_for, "--wait", raw.wait);
  set_duration(command.send.retry_for, "--retry", raw.retry);
  set_duration(command.send.timeout, "--timeout", raw.timeout);
  take_operands(command.send, std::move(arguments.operands));
  set_name(command.send, raw.name);
  check_key_options(command.key);
  command.send.insecure = command.key.insecure;
  validate(command.send);
  return command;
}

}  // namespace adoc::cli
