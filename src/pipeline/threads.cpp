#include "pipeline/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "adoc/error.hpp"
#include "pipeline/match_window.hpp"
#include "pipeline/receive_memory.hpp"
#include "util/processor_quota.hpp"

namespace adoc {
namespace {

ThreadCount for_processors(std::size_t asked, std::size_t usual, std::size_t available) noexcept {
  const std::size_t most = std::min(available, kMaxThreads);
  if (asked > most) return {.count = most, .why_fewer = "there are no more processors"};
  return {.count = asked != 0 ? asked : std::min(usual, most)};
}

ThreadCount for_memory(const ThreadCount& threads, std::size_t asked, std::size_t fit) noexcept {
  if (threads.count <= fit) return threads;
  if (asked == 0) return {.count = fit};
  return {.count = fit,
          .why_fewer = "the memory does not suffice for more",
          .hint = Hint::look_at_memory};
}

/// What is not of a single thread.
std::size_t shared_receive_bytes(const ReceiveOptions& options) noexcept {
  return kSharedReceiveBytes + options.fifo_capacity() * kReceivedPacketBytes;
}

std::size_t memory_for_blocks(const ReceiveOptions& options) noexcept {
  return options.memory_limit() - std::min(options.memory_limit(), shared_receive_bytes(options));
}

/// A sandbox forbids to ask: the first call comes before it.
std::size_t processors_of_quota() {
  static const double quota = processor_quota().value_or(CPU_SETSIZE);
  return static_cast<std::size_t>(std::ceil(std::min<double>(quota, CPU_SETSIZE)));
}

std::size_t processors_of_mask() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace

std::size_t processors() { return std::min(processors_of_mask(), processors_of_quota()); }

std::size_t block_memory(const Rung& rung, std::size_t block_bytes) noexcept {
  const BlockShape shape = block_shape(rung);
  const std::size_t block = block_bytes != 0 ? block_bytes : shape.block_bytes;
  const std::size_t literals = shape.matches ? block : 0;
  return block + shape.prefix_bytes + literals;
}

ThreadCount compression_threads(const PipelineOptions& options, const Ladder& ladder,
                                std::size_t available) {
  const bool paper = options.policy == PolicyKind::adoc;
  const ThreadCount threads = for_processors(options.threads, paper ? 1 : available, available);
  const int lowest = options.level ? *options.level : options.min_level.value_or(0);
  if (lowest < 0 || lowest > ladder.last()) return threads;  // make_policy() says what is wrong
  const Rung& rung = ladder[lowest];
  const std::size_t needed =
      compressor_bytes(rung, options.block_bytes) + block_memory(rung, options.block_bytes);
  const std::size_t fit = options.memory_limit() / needed;
  if (fit == 0)
    throw Error(ErrorKind::usage, "", Hint::memory_bytes,
                std::string(" ") + std::to_string(options.memory_limit()) +
                    " does not suffice for level " + std::to_string(lowest) + ", which needs " +
                    std::to_string(needed) + " bytes");
  return for_memory(threads, options.threads, fit);
}

bool has_room_for_window(const ReceiveOptions& options) noexcept {
  return memory_for_blocks(options) >= MatchWindow::kMemoryBytes + kThreadReceiveBytes;
}

std::size_t decompression_shares(const ReceiveOptions& options) noexcept {
  const std::size_t window = has_room_for_window(options) ? MatchWindow::kMemoryBytes : 0;
  return (memory_for_blocks(options) - window) / kThreadReceiveBytes;
}

ThreadCount decompression_threads(const ReceiveOptions& options, std::size_t available) {
  const std::size_t fit = decompression_shares(options);
  if (fit == 0)
    throw Error(ErrorKind::usage, "", Hint::memory_bytes,
                std::string(" ") + std::to_string(options.memory_limit()) +
                    " does not suffice for the largest blocks and offers there are: " +
                    std::to_string(shared_receive_bytes(options) + kThreadReceiveBytes) +
                    " bytes do");
  return for_memory(for_processors(options.threads, available, available), options.threads, fit);
}

}  // namespace adoc
