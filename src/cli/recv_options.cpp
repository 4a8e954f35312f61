#include "cli/recv_options.hpp"

#include "adoc/error.hpp"
#include "cli/command_line.hpp"
#include "cli/operands.hpp"
#include "cli/values.hpp"

namespace adoc::cli {
namespace {

const ProgramText kRecvText{
    .name = "adoc-recv",
    .purpose = "Receives what adoc-send sends and writes it below one directory.",
    .usage =
        "adoc-recv [options] --out DIR\n"
        "       adoc-recv [options] --out DIR --from-file FILE\n",
    .examples =
        "Examples:\n"
        "  adoc-recv --out inbox                  from all who have the key, until ended\n"
        "  adoc-recv --out inbox --once --json    one transfer, and its figures\n"
        "  adoc-recv --show-key                   what adoc-send --save-key wants to have\n"
        "  adoc-recv --new-key                    the old key lets nobody in any more\n"
        "\n"
        "The other side runs the line that this prints. More in adoc-recv(1).",
    .common = {"out", "max-bytes", "min-free", "listen", "show-key", "new-key", "once", "insecure",
               "progress", "json", "quiet", "verbose"},
    .habits = recv_habits()};

/// What is about senders.
constexpr const char* kNotUnpacking[] = {"--listen",   "--key-file",     "--insecure",
                                         "--show-key", "--new-key",      "--timeout",
                                         "--once",     "--max-transfers"};

void refuse_with_from_file(const CLI::App& app) {
  for (const char* const option : kNotUnpacking)
    if (app.count(option) > 0)
      throw Error(ErrorKind::usage,
                  std::string(option) + " does not go with --from-file, which has no sender");
}

}  // namespace

RecvCommand parse_recv_command(int argc, const char* const* argv) {
  RecvCommand command;
  std::string listen;
  std::string fifo_packets, threads, memory, timeout, partial_age;
  std::string max_bytes, max_entries, max_depth, max_transfers, min_free;
  CommandLine line(kRecvText);
  CLI::App& app = line.app();

  app.option_defaults()->group("Files");
  line.add("--out", "DIR", command.receive.out_directory,
           "where everything is written (required); made when\nit is not there");
  line.add("--from-file", "FILE", command.from_file,
           "unpack what adoc-send --to-file wrote (-: standard\ninput), and end");
  app.add_flag("--resume,!--no-resume", command.receive.resume,
               "go on with files that a transfer did not finish\n"
               "(default), or remove what is there of them");
  line.add("--partial-age", "DAYS", partial_age,
           "remove what is there of them after so many days\n(default: 7)");
  app.add_flag("--keep-setuid", command.receive.keep_special_bits,
               "keep set-uid, set-gid and sticky bits as they are sent\n"
               "(default: dropped)");
  app.add_flag("--metadata,!--no-metadata", command.receive.metadata,
               "take owners, hard links, attributes and ACLs that a\n"
               "sender is to keep (default), or not");
  app.add_flag("--force,!--no-force", command.receive.allow_force,
               "let a sender replace directories by files, and the\n"
               "reverse, when it asks for that (default), or not");
  app.option_defaults()->group("Limits");
  line.add("--max-bytes", "SIZE", max_bytes,
           "how large the files of a transfer may be, in sum\n(default: no limit)");
  line.add("--max-entries", "N", max_entries,
           "how many entries a transfer may have\n(default: no limit)");
  line.add("--max-depth", "N", max_depth,
           "how many directories an entry may lie in\n(default: 256)");
  line.add("--max-transfers", "N", max_transfers,
           "how many transfers are served at once (default: 32)");
  line.add("--min-free", "SIZE", min_free,
           "how much of the disk stays free (default: a\nhundredth of it, at most 256M)");
  app.option_defaults()->group("Connection");
  line.add("--listen", "ADDR:PORT", listen,
           "where to listen (default: port 4400 of all\n"
           "addresses, of 127.0.0.1 with --insecure);\nport 0 picks a free one");
  add_key_options(line, command.key,
                  {.default_file = "~/.config/adoc/key",
                   .insecure = "no key, no encryption: whoever reaches the port\n"
                               "can write below DIR"});
  app.add_flag("--show-key", command.key.show, "print the key, make one if there is none, and end");
  app.add_flag("--new-key", command.key.make_new,
               "make a new key in the place of the old one, which\n"
               "lets nobody in any more; without --out that is all");
  line.add("--timeout", "TIME", timeout,
           "give up a sender that is silent so long\n(default: 30s; 0: never)");
  app.add_flag("--once", command.receive.once, "end after one transfer, with its exit code");
  line.add("--fifo-packets", "N", fifo_packets,
           "packets that may wait for decompression\n(default: 1024)");
  line.add("--threads", "N", threads,
           "threads of each transfer that decompress\n(0, the default: one for each processor)");
  line.add("--memory", "SIZE", memory, "memory that each transfer may take (default: 256M)");
  line.add_output_options(command.output);

  Arguments arguments = line.parse(argc, argv);
  command.print = std::move(arguments.print);
  if (command.print) return command;
  if (!arguments.operands.empty()) {
    refuse_key(arguments.operands.front());
    throw Error(ErrorKind::usage, stray_word_message(arguments.operands.front(),
                                                     !command.receive.out_directory.empty()));
  }
  if (app.count("--from-file") > 0) refuse_with_from_file(app);
  check_key_options(command.key);
  if (command.key.show && !command.receive.out_directory.empty())
    throw Error(ErrorKind::usage, "--show-key prints the key and ends, --out has nothing to do");
  command.only_key =
      (command.key.make_new || command.key.show) && command.receive.out_directory.empty();
  if (command.only_key) return command;
  if (command.receive.out_directory.empty()) {
    throw Error(ErrorKind::usage,
                "--out DIR is missing: where are the files to go? As in: adoc-recv --out inbox");
  }
  command.receive.insecure = command.key.insecure;
  command.chose_address = !listen.empty();
  if (command.from_file.empty())
    command.receive.listen = parse_listen(listen, command.key.insecure ? "127.0.0.1" : "*");
  const auto size = [](const char* option, const std::string& text) {
    return text.empty() ? std::size_t{0} : parse_size(option, text);
  };
  command.receive.fifo_packets = size("--fifo-packets", fifo_packets);
  command.receive.threads = parse_count("--threads", threads);
  if (!partial_age.empty())
    command.receive.partial_age =
        std::chrono::hours(24) * parse_whole_number("--partial-age", partial_age);
  command.receive.memory_bytes = size("--memory", memory);
  if (!timeout.empty()) command.receive.timeout = parse_duration("--timeout", timeout);
  command.receive.max_bytes = size("--max-bytes", max_bytes);
  command.receive.max_entries = parse_count("--max-entries", max_entries);
  command.receive.max_depth = parse_count("--max-depth", max_depth);
  command.receive.max_transfers = parse_count("--max-transfers", max_transfers);
  if (!min_free.empty()) command.receive.min_free = parse_size("--min-free", min_free);
  validate(command.receive);
  return command;
}

}  // namespace adoc::cli
