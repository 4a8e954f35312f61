#include "cli/transfer_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "adoc/error.hpp"
#include "cli/command_line.hpp"
#include "cli/lossy_values.hpp"
#include "cli/name_list.hpp"
#include "cli/values.hpp"

namespace adoc::cli {

void TransferOptions::add_file_options() {
  CLI::App& app = line_.app();
  app.option_defaults()->group("Files");
  add_filter_option("--exclude", excludes_, "leave out what matches PATTERN, as in rsync");
  add_filter_option("--include", includes_,
                    "do not leave it out; of these two the first\nthat matches a name decides");
  add_filter_option("--exclude-from", exclude_files_,
                    "read patterns from FILE, one a line (-: standard\ninput)");
  add_filter_option("--include-from", include_files_, "likewise, of what is not left out");
  line_.add("--files-from", "FILE", files_from_,
            "send only what FILE lists, below PATH (-: standard\ninput)");
  app.add_flag("-0,--from0", from0_, "what the lists of these options hold ends in NUL");
  line_.add("--shard", "K/N", shard_, "send the Kth of N parts, which N senders send together");
  app.add_flag("-L,--copy-links", send_.copy_links,
               "send what symbolic links lead to in their place,\nas in rsync");
  app.add_flag("-x,--one-file-system", send_.one_file_system,
               "do not enter directories where another file\nsystem is mounted, as in rsync");
  app.add_flag("--checksum", send_.compare_contents,
               "skip what has the same contents there, instead of\nthe same size and time");
  app.add_flag("--overwrite,!--no-overwrite", send_.overwrite_existing,
               "replace what exists there (default), or leave it");
  app.add_flag("--force", send_.force,
               "replace a directory there by a file, with all that\nis in it, and the reverse");
  app.add_flag("--allow-changed", send_.allow_changed,
               "take a file that changes while it is read as it is,\nunless it becomes shorter");
  app.add_flag("--resume,!--no-resume", send_.resume,
               "do not send again what an unfinished transfer left\n"
               "there (default), or start over");
  app.add_flag("-n,--dry-run", send_.dry_run,
               "list on standard output what would be sent,\nchange nothing");
}

void TransferOptions::add_compression_options() {
  line_.app().option_defaults()->group("Compression");
  line_.add("--policy", "POLICY", policy_,
            "how each block gets its level: auto (default), adoc,\nselective, or fixed: the one of "
            "--level");
  line_.add("--level", "N", level_, "one level throughout, implies --policy fixed");
  line_.add("--min-level", "N", min_level_, "never below level N (default: 0)");
  line_.add("--max-level", "N", max_level_, "never above level N (default: the ladder's top)");
  line_.add("--ladder", "NAME", ladder_, "what the levels are: auto (default), zlib, zstd\nor lz4");
  line_.app().add_flag_callback(
      "--no-filters", [this] { send_.pipeline.filters = false; },
      "send numbers as they are, not made denser first");
  line_.add("--dtype", "TYPE", dtype_,
            "what the files hold: float64, int32, ... (default: found\nout)");
  line_.add("--lossy", "MODE", loss_,
            "lose what lsb:BITS, abs:E, rel:E or snr:DB allows of\nthe numbers that --dtype says");
  line_.add("--block-size", "SIZE", block_size_,
            "bytes compressed at one level (default: what suits it)");
  line_.add("--packet-size", "SIZE", packet_size_,
            "bytes handed to the link at a time (default: 32K)");
  line_.add("--fifo-packets", "N", fifo_packets_,
            "packets that may wait for the link (default: 4M of them)");
  line_.add(
      "--threads", "N", threads_,
      "threads that compress (0, the default: one for each\nprocessor; with --policy adoc 1)");
  line_.add("--memory", "SIZE", memory_, "memory that compressing may take (default: 256M)");
}

void TransferOptions::finish() {
  PipelineOptions& pipeline = send_.pipeline;
  set_level(pipeline.level, "--level", level_);
  set_level(pipeline.min_level, "--min-level", min_level_);
  set_level(pipeline.max_level, "--max-level", max_level_);
  if (!policy_.empty()) {
    pipeline.policy = parse_choice<PolicyKind>("--policy", policy_,
                                               {{"auto", PolicyKind::automatic},
                                                {"adoc", PolicyKind::adoc},
                                                {"selective", PolicyKind::selective},
                                                {"fixed", PolicyKind::fixed}});
  } else if (pipeline.level) {
    pipeline.policy = PolicyKind::fixed;
  }
  if (!ladder_.empty())
    pipeline.ladder = parse_choice<LadderKind>("--ladder", ladder_,
                                               {{"auto", LadderKind::automatic},
                                                {"zlib", LadderKind::zlib},
                                                {"zstd", LadderKind::zstd},
                                                {"lz4", LadderKind::lz4}});
  finish_numbers();
  set_size(pipeline.block_bytes, "--block-size", block_size_);
  set_size(pipeline.packet_bytes, "--packet-size", packet_size_);
  set_size(pipeline.fifo_packets, "--fifo-packets", fifo_packets_);
  pipeline.threads = parse_count("--threads", threads_);
  set_size(pipeline.memory_bytes, "--memory", memory_);
  if (line_.app().count("--shard") > 0) send_.shard = parse_shard("--shard", shard_);
  refuse_two_readers();
  send_.filters = filters_in_order();
  if (line_.app().count("--files-from") > 0)
    send_.listed = read_lines({"--files-from", files_from_, from0_});
}

std::string TransferOptions::without_filters() const {
  const PipelineOptions& pipeline = send_.pipeline;
  if (!pipeline.filters) return "--no-filters";
  if (pipeline.policy == PolicyKind::automatic) return {};
  return policy_.empty() ? "--level" : "--policy " + policy_;
}

// What is lost is lost whether or not what is left is filtered.
void TransferOptions::finish_numbers() {
  PipelineOptions& pipeline = send_.pipeline;
  const bool loses = line_.app().count("--lossy") > 0;
  if (loses && dtype_.empty())
    throw Error(ErrorKind::usage,
                "--lossy " + loss_ + ": what the files hold is to be said, as in --dtype float32");
  if (dtype_.empty()) return;
  const ItemType type = parse_item_type("--dtype", dtype_);
  if (loses) lossy_ = parse_lossy("--lossy", loss_, type);
  const std::string barred = without_filters();
  if (!barred.empty()) {
    if (lossy_) return;
    throw Error(ErrorKind::usage, "--dtype " + dtype_ + " says what to filter, and with " + barred +
                                      " nothing is filtered");
  }
  const bool is_complex = type == ItemType::complex64 || type == ItemType::complex128;
  pipeline.item_bytes = is_complex ? 8 : number_bytes(type);
}

void TransferOptions::add_filter_option(const char* name, std::vector<std::string>& values,
                                        const char* help) {
  line_.app()
      .add_option(name, values, help)
      ->option_text(std::string_view(name).ends_with("-from") ? "FILE" : "PATTERN")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void TransferOptions::refuse_two_readers() const {
  const auto readers = std::ranges::count(exclude_files_, "-") +
                       std::ranges::count(include_files_, "-") + (files_from_ == "-" ? 1 : 0);
  if (readers > 1)
    throw Error(ErrorKind::usage, "two lists are to be read from standard input, which has one");
}

std::vector<FilterRule> TransferOptions::filters_in_order() const {
  struct Source {
    const char* option;
    const std::vector<std::string>& values;
    bool include;
    bool is_file;
    std::size_t next = 0;
  };
  std::array<Source, 4> sources{{{"--exclude", excludes_, false, false},
                                 {"--include", includes_, true, false},
                                 {"--exclude-from", exclude_files_, false, true},
                                 {"--include-from", include_files_, true, true}}};
  const CLI::App& app = line_.app();
  std::vector<FilterRule> rules;
  for (const CLI::Option* const option : app.parse_order()) {
    for (Source& source : sources) {
      if (option != app.get_option(source.option)) continue;
      const std::string& value = source.values[source.next++];
      if (!source.is_file) {
        rules.push_back({.include = source.include, .pattern = value});
        continue;
      }
      for (std::string& line : read_lines({source.option, value, from0_}))
        rules.push_back({.include = source.include, .pattern = std::move(line)});
    }
  }
  return rules;
}

}  // namespace adoc::cli
