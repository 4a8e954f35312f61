#include <bit>
#include <string>

#include "adoc/error.hpp"
#include "adoc/options.hpp"
#include "codec/ladder.hpp"
#include "control/policy.hpp"
#include "pipeline/threads.hpp"
#include "source/filter.hpp"
#include "transfer/require_key.hpp"
#include "util/safe_name.hpp"
#include "util/seconds_text.hpp"

namespace adoc {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::usage, why); }
/// `why` comes behind the member's name.
[[noreturn]] void refuse(Hint member, const std::string& why) {
  throw Error(ErrorKind::usage, "", member, why);
}

constexpr std::size_t kMostItemBytes = 8;

struct Bounds {
  std::size_t min = 0;
  std::size_t max = 0;
};

void check_bounds(Hint member, std::size_t value, Bounds bounds) {
  if (value < bounds.min || value > bounds.max)
    refuse(member, std::string(" ") + std::to_string(value) + ": it goes from " +
                       std::to_string(bounds.min) + " to " + std::to_string(bounds.max));
}

void check_fifo(std::size_t fifo_packets, std::size_t packet_bytes) {
  check_bounds(Hint::fifo_packets, fifo_packets, {1, kMaxFifoBytes / packet_bytes});
}

/// 0 stands for what the program chooses.
void check_machine(std::size_t threads, std::size_t memory_bytes) {
  check_bounds(Hint::threads, threads, {0, kMaxThreads});
  if (memory_bytes != 0 && memory_bytes < kMinMemoryBytes)
    refuse(Hint::memory_bytes, std::string(" ") + std::to_string(memory_bytes) + ": at least " +
                                   std::to_string(kMinMemoryBytes) + " bytes are needed");
}

/// 0 stands for no limit.
void check_timeout(std::chrono::milliseconds timeout) {
  if (timeout.count() != 0 && (timeout < kMinTimeout || timeout > kMaxTimeout))
    refuse(Hint::timeout, std::string(" ") + seconds_text(timeout) + ": it goes from " +
                              seconds_text(kMinTimeout) + " to " + seconds_text(kMaxTimeout) +
                              ", and 0 is no limit");
}

void check_name(Hint member, const std::string& name) {
  try {
    static_cast<void>(SafeName::check(name));
  } catch (const Error& error) {
    refuse(member, std::string(": ") + error.what());
  }
}

void check_names(const SendOptions& options) {
  std::size_t uses = 0;
  for (const std::string& path : options.paths) {
    if (path.empty()) refuse("a PATH is empty");
    if (path == "-") ++uses;
  }
  if (uses > 1) refuse("standard input (-) can be sent only once");
  if (uses == 0 && !options.stdin_name.empty())
    refuse(Hint::stdin_name, " names standard input, and - is not among the paths");
  if (uses == 1 && options.stdin_name.empty())
    throw Error(ErrorKind::usage, "standard input has no name of its own", Hint::add_stdin_name);
  if (uses == 1) check_name(Hint::stdin_name, options.stdin_name);
  if (options.listed && (options.paths.size() != 1 || uses != 0))
    refuse(Hint::listed, " takes one PATH, the directory that the names are in");
  if (options.listed && !options.name.empty())
    refuse(Hint::name, " gives no other name to what is listed");
  if (options.name.empty()) return;
  if (uses != 0 || options.paths.size() != 1)
    refuse(Hint::name, " names standard input or the only PATH, and there are several");
  check_name(Hint::name, options.name);
}

void check_shard(const SendOptions& options) {
  if (!options.shard) return;
  const Shard& shard = *options.shard;
  check_bounds(Hint::shard, shard.count, {1, kMaxShards});
  if (shard.number < 1 || shard.number > shard.count)
    refuse(Hint::shard, std::string(" ") + std::to_string(shard.number) + "/" +
                            std::to_string(shard.count) + ": the first is 1/" +
                            std::to_string(shard.count) + ", the last " +
                            std::to_string(shard.count) + "/" + std::to_string(shard.count));
  if (!options.stdin_name.empty())
    refuse(Hint::shard, " takes files and trees: standard input cannot be shared");
}

void check_items(const PipelineOptions& pipeline) {
  const std::size_t bytes = pipeline.item_bytes;
  if (bytes == 0) return;
  if (!std::has_single_bit(bytes) || bytes > kMostItemBytes)
    refuse("items of " + std::to_string(bytes) + " bytes: they have 1, 2, 4 or 8");
  if (!pipeline.filters || pipeline.policy != PolicyKind::automatic)
    refuse(Hint::item_bytes, " says what to filter, and nothing is filtered");
}

}  // namespace

void validate(const SendOptions& options) {
  if (options.paths.empty()) refuse("no PATH to send");
  const bool is_sent = options.to_file.empty();
  if (is_sent && options.peer.host.empty()) refuse("no HOST to send to");
  if (is_sent && options.peer.port == 0) refuse("port 0 cannot be sent to");
  if (!is_sent && (options.dry_run || options.shard))
    refuse("a file gets all of a transfer, and neither a list of it nor a part");
  if (options.pipeline.later_rate != 0 && options.pipeline.policy != PolicyKind::automatic)
    refuse("a link is named to choose levels for, and the policy is not the one that does");
  check_names(options);
  check_shard(options);
  const PipelineOptions& pipeline = options.pipeline;
  check_bounds(Hint::packet_bytes, pipeline.packet_size(), {kMinPacketBytes, kMaxPacketBytes});
  if (pipeline.block_bytes != 0)
    check_bounds(Hint::block_bytes, pipeline.block_bytes, {kMinBlockBytes, kMaxBlockBytes});
  check_fifo(pipeline.fifo_capacity(), pipeline.packet_size());
  check_machine(pipeline.threads, pipeline.memory_bytes);
  check_items(pipeline);
  check_timeout(options.timeout);
  check_bounds(Hint::streams, options.streams, {0, kMaxConnections});
  if (options.bandwidth_limit != 0 && options.bandwidth_limit < kMinBandwidthLimit)
    refuse(Hint::bandwidth_limit, std::string(" ") + std::to_string(options.bandwidth_limit) +
                                      ": it is in bytes a second, " +
                                      std::to_string(kMinBandwidthLimit) +
                                      " at least, and 0 is no limit");
  static_cast<void>(Filter(options.filters));
  const Ladder ladder = Ladder::of(pipeline.ladder);
  static_cast<void>(make_policy(pipeline, ladder, compression_threads(pipeline, ladder).count));
}

void validate(const ReceiveOptions& options) {
  if (options.out_directory.empty())
    throw Error(ErrorKind::usage, "no directory to write to", Hint::add_out_directory);
  check_fifo(options.fifo_capacity(), 8'192);
  check_machine(options.threads, options.memory_bytes);
  check_timeout(options.timeout);
  check_bounds(Hint::max_depth, options.depth_limit(), {1, kMaxDepth});
  check_bounds(Hint::max_transfers, options.transfer_limit(), {1, kMaxTransfers});
  static_cast<void>(decompression_threads(options));
}

void require_key(const std::optional<Key>& key, bool insecure) {
  if (key && insecure)
    throw Error(ErrorKind::usage, "there is a key, and ", Hint::insecure,
                " says to do without: one of them");
  if (!key && !insecure)
    throw Error(ErrorKind::refused, "there is no key", Hint::add_key_or_insecure);
}

}  // namespace adoc
