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

struct Bounds {
  std::size_t min = 0;
  std::size_t max = 0;
};

void check_bounds(std::string_view option, std::size_t value, Bounds bounds) {
  if (value < bounds.min || value > bounds.max)
    refuse(std::string(option) + " " + std::to_string(value) + ": it goes from " +
           std::to_string(bounds.min) + " to " + std::to_string(bounds.max));
}

void check_fifo(std::size_t fifo_packets, std::size_t packet_bytes) {
  check_bounds("--fifo-packets", fifo_packets, {1, kMaxFifoBytes / packet_bytes});
}

/// 0 stands for what the program chooses.
void check_machine(std::size_t threads, std::size_t memory_bytes) {
  check_bounds("--threads", threads, {0, kMaxThreads});
  if (memory_bytes != 0 && memory_bytes < kMinMemoryBytes)
    refuse("--memory " + std::to_string(memory_bytes) + ": at least " +
           std::to_string(kMinMemoryBytes) + " bytes are needed");
}

/// 0 stands for no limit.
void check_timeout(std::chrono::milliseconds timeout) {
  if (timeout.count() != 0 && (timeout < kMinTimeout || timeout > kMaxTimeout))
    refuse("--timeout " + seconds_text(timeout) + ": it goes from " + seconds_text(kMinTimeout) +
           " to " + seconds_text(kMaxTimeout) + ", and 0 is no limit");
}

void check_name(const std::string& name) {
  try {
    static_cast<void>(SafeName::check(name));
  } catch (const Error& error) {
    refuse(std::string("--name: ") + error.what());
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
    refuse("--name names standard input, and - is not among the paths");
  if (uses == 1 && options.stdin_name.empty())
    refuse("standard input has no name of its own: add --name NAME");
  if (uses == 1) check_name(options.stdin_name);
  if (options.listed && (options.paths.size() != 1 || uses != 0))
    refuse("--files-from takes one PATH, the directory that the names are in");
  if (options.listed && !options.name.empty())
    refuse("--name gives no other name to what --files-from lists");
  if (options.name.empty()) return;
  if (uses != 0 || options.paths.size() != 1)
    refuse("--name names standard input or the only PATH, and there are several");
  check_name(options.name);
}

}  // namespace

void validate(const SendOptions& options) {
  if (options.paths.empty()) refuse("no PATH to send");
  if (options.peer.host.empty()) refuse("no HOST to send to");
  if (options.peer.port == 0) refuse("port 0 cannot be sent to");
  check_names(options);
  const PipelineOptions& pipeline = options.pipeline;
  check_bounds("--packet-size", pipeline.packet_size(), {kMinPacketBytes, kMaxPacketBytes});
  if (pipeline.block_bytes != 0)
    check_bounds("--block-size", pipeline.block_bytes, {kMinBlockBytes, kMaxBlockBytes});
  check_fifo(pipeline.fifo_capacity(), pipeline.packet_size());
  check_machine(pipeline.threads, pipeline.memory_bytes);
  check_timeout(options.timeout);
  if (options.bandwidth_limit != 0 && options.bandwidth_limit < kMinBandwidthLimit)
    refuse("--bwlimit " + std::to_string(options.bandwidth_limit) + ": it is in bytes a second, " +
           std::to_string(kMinBandwidthLimit) + " at least, and 0 is no limit");
  static_cast<void>(Filter(options.filters));
  const Ladder ladder = Ladder::named(pipeline.ladder);
  static_cast<void>(make_policy(pipeline, ladder, compression_threads(pipeline, ladder).count));
}

void validate(const ReceiveOptions& options) {
  if (options.out_directory.empty()) refuse("no directory to write to: --out DIR");
  check_fifo(options.fifo_capacity(), 8'192);
  check_machine(options.threads, options.memory_bytes);
  check_timeout(options.timeout);
  check_bounds("--max-depth", options.depth_limit(), {1, kMaxDepth});
  check_bounds("--max-transfers", options.transfer_limit(), {1, kMaxTransfers});
  static_cast<void>(decompression_threads(options));
}

void require_key(const std::optional<Key>& key, bool insecure) {
  if (key && insecure) refuse("there is a key, and --insecure says to do without: one of them");
  if (!key && !insecure)
    throw Error(ErrorKind::refused,
                "there is no key: give one, or --insecure where the network is to be trusted");
}

}  // namespace adoc
