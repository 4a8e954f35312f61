#include "cli/send_options.hpp"

#include "adoc/error.hpp"
#include "adoc/send.hpp"
#include "cli/operands.hpp"
#include "cli/values.hpp"
#include "codec/ladder.hpp"

namespace adoc::cli {
namespace {

const ProgramText kText{
    .name = "adoc-send",
    .purpose =
        "Sends files and directory trees to adoc-recv, compressed as hard as the link allows.",
    .usage =
        "adoc-send [options] PATH... HOST[:PORT]\n"
        "  PATH  a file, a directory, DIR/ for the contents of DIR, or - for standard input\n"
        "  PORT  where adoc-recv listens (default: 4400; write [ADDR]:PORT for IPv6)\n",
    .examples =
        "Examples:\n"
        "  adoc-send report.tar host                        a file\n"
        "  adoc-send --exclude '*.o' src doc host:5000      two trees, without object files\n"
        "  tar -c . | adoc-send --name all.tar - host       what a program writes\n"
        "  adoc-send --save-key host                        once; asks for the key of host\n"
        "\n"
        "The other side runs adoc-recv --out DIR. More in adoc-send(1).",
    .habits = send_habits()};

/// Values as they stand on the command line, until all of it is known.
struct RawValues {
  std::string policy, level, min_level, max_level, ladder;
  std::string block_size, packet_size, fifo_packets, threads, memory, timeout, bwlimit, wait, retry;
  std::string save_key;
  std::vector<std::string> excludes, includes;
  bool list_levels = false;
  bool remember = true;
};

void add_file_options(CommandLine& line, SendCommand& command, RawValues& raw) {
  CLI::App& app = line.app();
  app.option_defaults()->group("Files");
  line.add("--name", "NAME", command.send.stdin_name, "the name that standard input gets there");
  app.add_option("--exclude", raw.excludes, "leave out what matches PATTERN, as in rsync")
      ->option_text("PATTERN")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--include", raw.includes,
                 "do not leave it out; of these two the first\nthat matches a name decides")
      ->option_text("PATTERN")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_flag("-x,--one-file-system", command.send.one_file_system,
               "do not enter directories where another file\nsystem is mounted, as in rsync");
  app.add_flag("--checksum", command.send.compare_contents,
               "skip what has the same contents there, instead of\nthe same size and time");
  app.add_flag("--overwrite,!--no-overwrite", command.send.overwrite_existing,
               "replace what exists there (default), or leave it");
  app.add_flag("--resume,!--no-resume", command.send.resume,
               "do not send again what an unfinished transfer left\n"
               "there (default), or start over");
  app.add_flag("-n,--dry-run", command.send.dry_run,
               "list on standard output what would be sent,\nchange nothing");
}

void add_compression_options(CommandLine& line, RawValues& raw) {
  line.app().option_defaults()->group("Compression");
  line.add("--policy", "POLICY", raw.policy,
           "how each block gets its level: auto (default), adoc,\nselective, or fixed: the one of "
           "--level");
  line.add("--level", "N", raw.level, "one level throughout, implies --policy fixed");
  line.add("--min-level", "N", raw.min_level, "never below level N (default: 0)");
  line.add("--max-level", "N", raw.max_level, "never above level N (default: the ladder's top)");
  line.add("--ladder", "NAME", raw.ladder,
           "what the levels are: auto (default), zlib, zstd\nor lz4");
  line.add("--block-size", "SIZE", raw.block_size,
           "bytes compressed at one level (default: what suits it)");
  line.add("--packet-size", "SIZE", raw.packet_size,
           "bytes handed to the link at a time (default: 32K)");
  line.add("--fifo-packets", "N", raw.fifo_packets,
           "packets that may wait for the link (default: 4M of them)");
  line.add("--threads", "N", raw.threads,
           "threads that compress (0, the default: one for each\nprocessor; with --policy adoc 1)");
  line.add("--memory", "SIZE", raw.memory, "memory that compressing may take (default: 224M)");
  line.app().add_flag("--list-levels", raw.list_levels,
                      "show the levels of the ladder and end; with one PATH\n"
                      "and no HOST: what each makes of it on this machine");
}

void add_other_options(CommandLine& line, SendCommand& command, RawValues& raw) {
  line.app().option_defaults()->group("Connection");
  line.add("--bwlimit", "RATE", raw.bwlimit,
           "send no more than so many bytes a second\n(a SIZE; default: no limit)");
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
           "read the key of HOST from the terminal or a pipe, keep\n"
           "it for all transfers to there, and end");
  add_key_options(line, command.key,
                  {.default_file = "~/.config/adoc/peers/HOST",
                   .insecure = "no key, no encryption; adoc-recv must be told so, too"});
  line.add_output_options(command.output);
  line.add("--trace", "FILE", command.trace_file, "write why each block got its level, as CSV");
}

template <typename Target>
void set_unless_zero(Target& target, const std::string& option, const std::string& text) {
  const std::size_t value = text.empty() ? 0 : parse_size(option, text);
  if (value != 0) target = value;
}

void set_level(std::optional<int>& target, const std::string& option, const std::string& text) {
  if (!text.empty()) target = parse_whole_number(option, text);
}

void set_duration(std::chrono::milliseconds& target, const std::string& option,
                  const std::string& text) {
  if (!text.empty()) target = parse_duration(option, text);
}

void fill_pipeline(PipelineOptions& pipeline, const RawValues& raw) {
  set_level(pipeline.level, "--level", raw.level);
  set_level(pipeline.min_level, "--min-level", raw.min_level);
  set_level(pipeline.max_level, "--max-level", raw.max_level);
  if (!raw.policy.empty()) {
    pipeline.policy = parse_choice<PolicyKind>("--policy", raw.policy,
                                               {{"auto", PolicyKind::automatic},
                                                {"adoc", PolicyKind::adoc},
                                                {"selective", PolicyKind::selective},
                                                {"fixed", PolicyKind::fixed}});
  } else if (pipeline.level) {
    pipeline.policy = PolicyKind::fixed;
  }
  if (!raw.ladder.empty()) pipeline.ladder = raw.ladder;
  set_unless_zero(pipeline.block_bytes, "--block-size", raw.block_size);
  set_unless_zero(pipeline.packet_bytes, "--packet-size", raw.packet_size);
  set_unless_zero(pipeline.fifo_packets, "--fifo-packets", raw.fifo_packets);
  pipeline.threads = parse_count("--threads", raw.threads);
  set_unless_zero(pipeline.memory_bytes, "--memory", raw.memory);
}

/// The rules in the order in which --include and --exclude alternate on the command line.
std::vector<FilterRule> filters_in_order(const CLI::App& app, const RawValues& raw) {
  const CLI::Option* const exclude = app.get_option("--exclude");
  const CLI::Option* const include = app.get_option("--include");
  auto next_exclude = raw.excludes.begin();
  auto next_include = raw.includes.begin();
  std::vector<FilterRule> rules;
  for (const CLI::Option* const option : app.parse_order()) {
    if (option == exclude) rules.push_back({.include = false, .pattern = *next_exclude++});
    if (option == include) rules.push_back({.include = true, .pattern = *next_include++});
  }
  return rules;
}

std::string level_list(const std::string& ladder_name) {
  const Ladder ladder = Ladder::named(ladder_name);
  std::string list;
  for (int level = 0; level <= ladder.top(); ++level) {
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
  static_cast<void>(Ladder::named(command.send.pipeline.ladder));
  command.send.paths = std::move(operands);
  command.measures_levels = true;
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
  CommandLine line(kText);
  add_file_options(line, command, raw);
  add_compression_options(line, raw);
  add_other_options(line, command, raw);

  Arguments arguments = line.parse(argc, argv);
  command.print = std::move(arguments.print);
  if (command.print) return command;
  fill_pipeline(command.send.pipeline, raw);
  command.send.filters = filters_in_order(line.app(), raw);
  if (raw.list_levels) {
    take_path_to_measure(command, std::move(arguments.operands));
    return command;
  }
  if (line.app().count("--save-key") > 0) {
    command.save_key = parse_save_key(command, raw.save_key, arguments.operands);
    return command;
  }
  if (raw.remember) command.send.experience_directory = default_experience_directory();
  set_unless_zero(command.send.bandwidth_limit, "--bwlimit", raw.bwlimit);
  set_duration(command.send.wait_for, "--wait", raw.wait);
  set_duration(command.send.retry_for, "--retry", raw.retry);
  set_duration(command.send.timeout, "--timeout", raw.timeout);
  take_operands(command.send, std::move(arguments.operands));
  check_key_options(command.key);
  command.send.insecure = command.key.insecure;
  validate(command.send);
  return command;
}

}  // namespace adoc::cli
