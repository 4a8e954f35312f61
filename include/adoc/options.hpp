#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adoc {

inline constexpr std::uint16_t kDefaultPort = 4400;

/// A TCP address as people write it: `host`, `host:port`, `[v6]:port`.
struct Endpoint {
  std::string host{};
  std::uint16_t port = kDefaultPort;

  bool operator==(const Endpoint&) const = default;
};

/// Throws Error(usage) that shows the text and the expected form. Port 0 is accepted (listening).
[[nodiscard]] Endpoint parse_endpoint(const std::string& text);
/// The inverse: brackets around an IPv6 address, the port always.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

/// How the level of the next block is chosen.
enum class PolicyKind {
  adoc,   ///< the law of Jeannot 2002, Fig. 2
  fixed,  ///< one level throughout
};

/// The constants of the pipeline; the defaults are those of Jeannot 2002, section 3.5.
struct PipelineOptions {
  std::string ladder = "auto";  ///< auto | zlib | zstd | lz4
  PolicyKind policy = PolicyKind::adoc;
  std::optional<int> level{};      ///< with PolicyKind::fixed, and only there
  std::optional<int> min_level{};  ///< PolicyKind::adoc never goes below; absent: 0
  std::optional<int> max_level{};  ///< PolicyKind::adoc never goes above; absent: the ladder's top
  std::size_t block_bytes = 204'800;
  std::size_t packet_bytes = 8'192;
  std::optional<std::size_t>
      fifo_packets;  ///< the FIFO's bound; absent: 8 MiB of packets, 16 at least

  [[nodiscard]] std::size_t fifo_capacity() const noexcept {
    return fifo_packets.value_or(std::max<std::size_t>(16, (8 << 20) / packet_bytes));
  }
};

/// One --include or --exclude, in the order given; the first that matches decides, as in rsync.
struct FilterRule {
  bool include = false;
  std::string pattern{};
};

struct SendOptions {
  std::vector<std::string> paths{};  ///< files, trees, or "-" for standard input
  std::string stdin_name{};          ///< the name that "-" gets on the other side
  Endpoint peer{};
  PipelineOptions pipeline{};
  std::vector<FilterRule> filters{};
  bool compare_contents = false;   ///< decide what is unchanged by content, not by size and mtime
  bool overwrite_existing = true;  ///< false: what exists on the other side stays as it is
  bool dry_run = false;            ///< find out what would be sent, change nothing
};

inline constexpr std::size_t kMinPacketBytes = 64;
inline constexpr std::size_t kMaxPacketBytes = 1 << 20;
inline constexpr std::size_t kMinBlockBytes = 1'024;
inline constexpr std::size_t kMaxBlockBytes = 16 << 20;
inline constexpr std::size_t kMaxFifoBytes = 256 << 20;  ///< fifo_packets * packet_bytes

/// Throws Error(usage) that says which option is wrong, why, and what is possible. Needs no I/O.
void validate(const SendOptions& options);

struct ReceiveOptions {
  std::string out_directory{};  ///< made, with its parents, when it is not there
  Endpoint listen{"127.0.0.1", kDefaultPort};
  bool allow_network = false;        ///< listen on other addresses than loopback, in plain text
  bool once = false;                 ///< end after one transfer
  std::size_t fifo_packets = 1'024;  ///< packets of a transfer that may wait for decompression
};

/// As validate(SendOptions).
void validate(const ReceiveOptions& options);

}  // namespace adoc
