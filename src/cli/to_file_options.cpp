#include "cli/to_file_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adoc/error.hpp"
#include "cli/units.hpp"
#include "cli/values.hpp"
#include "codec/ladder.hpp"

namespace adoc::cli {
namespace {

/// What is about a connection, or needs somebody who answers.
constexpr const char* kRefused[] = {"--bwlimit",  "--streams",     "--congestion",  "--wait",
                                    "--retry",    "--timeout",     "--shard",       "--dry-run",
                                    "--key-file", "--insecure",    "--report",      "--explain",
                                    "--save-key", "--list-levels", "--report-from", "--remember"};

/// As dense as the usual program of the codec is when nobody asks for a level: zstd 3, gzip 6,
/// lz4 1.
int usual_level(const Ladder& ladder) {
  const auto usual = [](const Rung& rung) {
    if (rung.codec == CodecId::zstd) return rung.setting <= 3;
    if (rung.codec == CodecId::zlib) return rung.setting <= 6;
    return rung.setting <= 1;
  };
  int level = 0;
  while (level < ladder.top() && usual(ladder[level + 1])) ++level;
  return level;
}

}  // namespace

void ToFileOptions::add() {
  line_.add("--to-file", "FILE", file_,
            "write the transfer to FILE instead of sending it (-:\nstandard output); no HOST then");
  line_.add("--for", "RATE", for_,
            "with --to-file: FILE will be sent over a link of this\nrate (10mbit, or a SIZE a "
            "second)");
}

bool ToFileOptions::given() const noexcept { return line_.app().count("--to-file") > 0; }

void ToFileOptions::finish(SendOptions& send) {
  CLI::App& app = line_.app();
  if (!given()) {
    if (app.count("--for") > 0)
      throw Error(ErrorKind::usage, "--for is about what --to-file writes, and nothing is written");
    return;
  }
  if (file_.empty()) throw Error(ErrorKind::usage, "--to-file: FILE is empty");
  for (const char* const option : kRefused)
    if (app.count(option) > 0)
      throw Error(ErrorKind::usage,
                  std::string(option) + " does not go with --to-file, which sends nothing");
  send.to_file = file_;
  // It is about the file here: who unpacks it has not asked for directories to be replaced.
  send.replace_file = std::exchange(send.force, false);
  if (app.count("--for") > 0) rate_ = parse_link_rate("--for", for_);
  PipelineOptions& pipeline = send.pipeline;
  if (pipeline.policy == PolicyKind::adoc || pipeline.policy == PolicyKind::selective)
    throw Error(ErrorKind::usage,
                "--policy adoc and selective do not go with --to-file: they follow a link");
  if (pipeline.policy != PolicyKind::automatic) return;
  pipeline.later_rate = rate_;
  if (rate_ != 0) return;
  const Ladder ladder = Ladder::of(pipeline.ladder);
  const int level = usual_level(ladder);
  const int least = pipeline.min_level.value_or(0);
  const int most = pipeline.max_level.value_or(ladder.last());
  if (least <= most) pipeline.min_level = pipeline.max_level = std::clamp(level, least, most);
  // There is nothing to choose for any link.
  pipeline.later_rate = 1;
}

SentLater sent_later(const Statistics& statistics, std::uint64_t rate) noexcept {
  return {.seconds = static_cast<double>(statistics.wire_bytes) / static_cast<double>(rate),
          .raw_seconds = static_cast<double>(statistics.bytes) / static_cast<double>(rate)};
}

std::string sent_later_line(const Statistics& statistics, std::uint64_t rate) {
  const SentLater later = sent_later(statistics, rate);
  return fmt::format("over {}: {} to compress and {} to send, {} in all; {} if sent raw",
                     format_rate(static_cast<double>(rate)), format_seconds(statistics.seconds),
                     format_seconds(later.seconds),
                     format_seconds(statistics.seconds + later.seconds),
                     format_seconds(later.raw_seconds));
}

}  // namespace adoc::cli
