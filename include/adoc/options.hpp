#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "adoc/key.hpp"

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
  automatic,  ///< what gets the data across soonest
  adoc,       ///< the law of Jeannot 2002, Fig. 2
  selective,  ///< Niwa 2022, Algorithm 1
  fixed,      ///< one level throughout
};

/// What the levels are: level 0 is raw, each next one is slower and denser.
enum class LadderKind {
  automatic,  ///< of all codecs the rungs that are worth standing on
  zlib,       ///< 0 to 9, the paper's
  zstd,
  lz4,
};

/// What 0 or nothing is said of is chosen by the program.
struct PipelineOptions {
  LadderKind ladder = LadderKind::automatic;
  PolicyKind policy = PolicyKind::automatic;
  std::optional<int> level{};      ///< with PolicyKind::fixed and only there, or selective
  std::optional<int> min_level{};  ///< automatic and adoc never go below; absent: 0
  std::optional<int> max_level{};  ///< automatic and adoc never go above; absent: the ladder's top
  std::size_t block_bytes = 0;     ///< 0: by level; with PolicyKind::adoc the paper's 204,800
  std::size_t packet_bytes = 0;    ///< 0: 32,768; with PolicyKind::adoc the paper's 8,192
  std::size_t fifo_packets = 0;    ///< the FIFO's bound; 0: 4 MiB of packets (adoc: 8), 16 at least
  std::size_t threads = 0;         ///< that compress; 0: one for each processor, the most; adoc: 1
  std::size_t memory_bytes = 0;    ///< that blocks and compressors may take; 0: 256 MiB
  bool filters = true;             ///< with PolicyKind::automatic: numbers are filtered first
  /// Of the numbers that all files hold from their first byte on, if it is known: 1, which is not
  /// filtered, 2, 4 or 8; of complex ones 8. The filter of a block is then found by a trial alone.
  /// Only with these filters; 0: found out from the bytes.
  std::size_t item_bytes = 0;
  /// With PolicyKind::automatic: what is made leaves later, over a link that takes so many bytes a
  /// second, and the sum of both times is to be least. 0: it leaves at once.
  std::uint64_t later_rate = 0;

  [[nodiscard]] std::size_t packet_size() const noexcept {
    if (packet_bytes != 0) return packet_bytes;
    return policy == PolicyKind::adoc ? 8'192 : 32'768;
  }
  [[nodiscard]] std::size_t fifo_capacity() const noexcept {
    if (fifo_packets != 0) return fifo_packets;
    const std::size_t bytes = policy == PolicyKind::adoc ? 8 << 20 : 4 << 20;
    return std::max<std::size_t>(16, bytes / packet_size());
  }
  [[nodiscard]] std::size_t memory_limit() const noexcept {
    return memory_bytes != 0 ? memory_bytes : std::size_t{256} << 20;
  }
};

inline constexpr std::chrono::milliseconds kDefaultTimeout{30'000};
inline constexpr std::chrono::milliseconds kDefaultRetry{600'000};

/// One --include or --exclude, in the order given; the first that matches decides, as in rsync. The
/// pattern may begin with "- " or "+ ", which counts more than `include`; "!" forgets those before.
struct FilterRule {
  bool include = false;
  std::string pattern{};
};

/// What is kept of entries besides name, mode, time, contents and holes.
struct Keep {
  bool owner = false;         ///< for a receiver that is root's to set
  bool group = false;         ///< for that, or one whose user is in the group
  bool numeric_ids = false;   ///< of both by their numbers, not by their names
  bool hard_links = false;    ///< names of one file are names of one file there
  bool attributes = false;    ///< extended ones; with root's rights also those that only root has
  bool access_lists = false;  ///< access control lists

  [[nodiscard]] bool anything() const noexcept {
    return owner || group || hard_links || attributes || access_lists;
  }
};

/// One of several senders that together send a source, each what the others do not, without having
/// heard of each other: which part of it follows from names, sizes and numbers of files alone.
struct Shard {
  std::uint32_t number = 1;  ///< 1 .. count
  std::uint32_t count = 1;   ///< 1 .. kMaxShards

  bool operator==(const Shard&) const = default;
};

struct SendOptions {
  std::vector<std::string> paths{};  ///< files, trees, or "-" for standard input
  std::string stdin_name{};          ///< the name that "-" gets on the other side
  /// What the only path is called on the other side instead of by its own name, be it a file, a
  /// tree or the contents of a directory, which then lie below it; empty: by its own.
  std::string name{};
  Endpoint peer{};
  /// A file that the transfer is written to instead, for an Unpacker (adoc/receive.hpp): it is
  /// there when all of it is on the disk, and not before. What concerns a connection and its peer
  /// means nothing then. "-": standard output. Empty: to the peer.
  std::string to_file{};
  bool replace_file = false;  ///< one of that name; else that is an error
  PipelineOptions pipeline{};
  std::optional<Key> key{};  ///< the receiver's; encrypts
  /// Added to the message when the receiver has another key, such as where this one is from.
  std::string key_advice{};
  bool insecure = false;  ///< without a key: nothing is encrypted, and the peer may be anybody
  /// Names below the only path, which is a directory: they alone are sent, with the directories on
  /// their way, a directory without what is in it unless its name ends in a slash, as rsync's
  /// --files-from has it. Absent: the whole path.
  std::optional<std::vector<std::string>> listed{};
  std::vector<FilterRule> filters{};
  bool compare_contents = false;   ///< decide what is unchanged by content, not by size and mtime
  bool overwrite_existing = true;  ///< false: what exists on the other side stays as it is
  /// A directory is replaced by a file or link of its name, with all that is in it, and what is not
  /// a directory by one.
  bool force = false;
  /// A file that changes while it is read, and does not become shorter, is taken as it is.
  bool allow_changed = false;
  Keep keep{};                   ///< as far as the receiver lets it
  bool resume = true;            ///< do not send again what is there of an earlier transfer
  bool one_file_system = false;  ///< do not enter directories where another one is mounted
  bool copy_links = false;       ///< send what symbolic links lead to, wherever that is
  bool recursive = true;         ///< false: a directory among the paths fails, the others go on
  bool dry_run = false;          ///< find out what would be sent, change nothing
  /// What of it this sender sends. Large files are sent by several, and get their name with the
  /// last part that comes; a file that changes is then never taken as it is. Absent: all.
  std::optional<Shard> shard{};
  /// Connections that one transfer uses at once, as far as the receiver lets it; 0: as many as
  /// raise its rate.
  std::size_t streams = 1;
  /// TCP's congestion control by its name in the system. Empty: the system's choice.
  /// kAutomaticCongestion: that, and on a path that loses packets without being full BBR, where the
  /// system has and allows it.
  std::string congestion{};
  std::uint64_t bandwidth_limit = 0;  ///< bytes a second that are sent at most; 0: no limit
  /// Where it is kept what was learned of each link, for the next transfer over it to start from;
  /// empty: nowhere.
  std::string path_metrics_directory{};
  /// For how long a receiver that is not there yet is waited for; 0: not at all.
  std::chrono::milliseconds wait_for{0};
  /// For how long a connection that was lost is tried to be replaced while nothing is got across;
  /// 0: not at all. Time in which there is a connection does not count.
  std::chrono::milliseconds retry_for = kDefaultRetry;
  /// How long the receiver may be unreachable or silent before it counts as gone; 0: for ever.
  std::chrono::milliseconds timeout = kDefaultTimeout;
};

inline constexpr std::size_t kMinPacketBytes = 64;
inline constexpr std::size_t kMaxPacketBytes = 1 << 20;
inline constexpr std::size_t kMinBlockBytes = 1'024;
inline constexpr std::size_t kMaxBlockBytes = 16 << 20;
inline constexpr std::size_t kMaxThreads = 64;
inline constexpr std::uint32_t kMaxShards = 65'535;
inline constexpr std::size_t kMaxConnections = 16;  ///< of one transfer
inline constexpr const char* kAutomaticCongestion = "auto";
inline constexpr std::uint64_t kMinBandwidthLimit = 1'024;
inline constexpr std::chrono::milliseconds kMinTimeout{1'000};
inline constexpr std::chrono::milliseconds kMaxTimeout{86'400'000};
inline constexpr std::size_t kMaxDepth = 2'047;  ///< what fits in the longest name
inline constexpr std::size_t kMaxTransfers = 1'024;
inline constexpr std::size_t kMinMemoryBytes = 4 << 20;
inline constexpr std::size_t kMaxFifoBytes = 256 << 20;  ///< fifo_packets * packet_bytes

/// Throws Error(usage) that says which option is wrong, why, and what is possible. Needs no I/O,
/// and no key: the Sender asks for that.
void validate(const SendOptions& options);

/// The text of an error, with the caller's words for its hint.
using ErrorWords = std::function<std::string(const Error&)>;

/// What a receiver has asked its sender for. What is sent beside that ends the transfer, whatever
/// the sender says of it.
struct Asked {
  /// Whether an entry of this name may come; may throw. One thread at a time calls it. Empty: any.
  std::function<bool(const std::string& name, bool is_directory)> names{};
  bool directories = true;  ///< and names that lie in one
  bool links = true;        ///< symbolic ones, which stay links
  bool overwrite_existing = true;
  bool force = false;
  bool dry_run = false;
  Keep keep{};  ///< other metadata are not set
};

struct ReceiveOptions {
  std::string out_directory{};                 ///< made, with its parents, when it is not there
  Endpoint listen{"127.0.0.1", kDefaultPort};  ///< host "*": all addresses of both IP families
  std::optional<Key> key{};                    ///< lets in who has it too; encrypts
  bool insecure = false;  ///< without a key: lets in everybody, and nothing is encrypted
  bool once = false;      ///< end after one transfer
  bool resume = true;     ///< go on with files that earlier transfers did not finish
  std::chrono::seconds partial_age = std::chrono::hours(7 * 24);  ///< they are kept at most so long
  std::size_t threads = 0;       ///< of each transfer, that decompress; 0: one for each processor
  std::size_t memory_bytes = 0;  ///< that one transfer may take; 0: 256 MiB
  std::size_t fifo_packets =
      0;  ///< 8,192 bytes that may wait in each queue of a transfer; 0: 1,024
  /// How long a sender may be silent before it counts as gone; 0: for ever.
  std::chrono::milliseconds timeout = kDefaultTimeout;

  // What a sender may do to this machine; 0: no limit, or the default that is named.
  std::uint64_t max_bytes = 0;    ///< sizes of the files of one transfer, summed up, holes included
  std::uint64_t max_entries = 0;  ///< files, directories and links of one transfer
  std::size_t max_depth = 0;      ///< directories that an entry may lie in; 256
  std::size_t max_transfers = 0;  ///< at once, others wait; 32
  /// Bytes of the file system that stay free; absent: a hundredth of it, at most 256 MiB.
  std::optional<std::uint64_t> min_free{};
  bool keep_special_bits = false;  ///< set-uid, set-gid and sticky bits, as they were sent
  bool metadata = true;            ///< take what a sender has of SendOptions::keep
  bool allow_force = true;         ///< SendOptions::force counts
  /// Bits of each mode that are kept; 0777 less the umask is what a copy gets.
  std::uint32_t mode_mask = 07777;
  /// Of a receiver that has asked for what is sent to it; absent: the sender decides.
  std::optional<Asked> asked{};
  /// The text of an error that has a hint, for a sender that it is of, and for the observer that is
  /// told of it. Empty: what(). Any thread; must not block.
  ErrorWords words{};

  [[nodiscard]] std::size_t depth_limit() const noexcept {
    return max_depth != 0 ? max_depth : 256;
  }
  [[nodiscard]] std::size_t transfer_limit() const noexcept {
    return max_transfers != 0 ? max_transfers : 32;
  }
  [[nodiscard]] std::size_t fifo_capacity() const noexcept {
    return fifo_packets != 0 ? fifo_packets : 1'024;
  }
  [[nodiscard]] std::size_t memory_limit() const noexcept {
    return memory_bytes != 0 ? memory_bytes : std::size_t{256} << 20;
  }
};

/// As validate(SendOptions); the Receiver asks for the key.
void validate(const ReceiveOptions& options);

}  // namespace adoc
