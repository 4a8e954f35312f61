#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adoc/lossy.hpp"
#include "util/bytes.hpp"
#include "util/checksum.hpp"
#include "util/safe_name.hpp"
#include "wire/extents.hpp"
#include "wire/metadata.hpp"
#include "wire/share.hpp"

namespace adoc {

enum class EntryKind : std::uint8_t { file = 1, directory = 2, symlink = 3 };

/// The size of a file that is not known before its last byte: standard input.
inline constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};

/// Of a file that several senders send, those of its pieces that this one has; and of which state
/// of the source they are, beside size and time: when it was last changed in any way.
///
///   share = number:varint count:varint changed:signed-varint nanoseconds:varint
struct Share {
  Shard shard{};
  std::int64_t changed_seconds = 0;
  std::uint32_t changed_nanoseconds = 0;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Share decode(ByteReader& in);

  bool operator==(const Share&) const = default;
};

/// What the sender has to give: a name below the destination and what it is to become.
///
///   entry   = kind:u8 flags:u8 name:string mode:varint mtime:signed-varint nanoseconds:varint
///             ( file: [size] [extents] [hash] [share] [lossy] | symlink: target:string )
///             [metadata]
///   flags   = 1 size unknown (then no size) · 2 sparse (then extents) · 4 has hash[16] ·
///             8 has metadata (wire/metadata.hpp) · 16 share ·
///             32 lossy (wire/lossy_record.hpp)
struct Entry {
  EntryKind kind = EntryKind::file;
  SafeName name;
  std::uint32_t mode = 0;  ///< permission bits, 07777
  std::int64_t mtime_seconds = 0;
  std::uint32_t mtime_nanoseconds = 0;
  std::uint64_t size = 0;  ///< of a file; kUnknownSize
  /// The data runs of a file with holes, ascending, none empty, within size; absent: one run.
  std::optional<Extents> data{};
  std::optional<ContentHash> hash{};  ///< of the contents, when they are to be compared
  std::optional<Share> share{};       ///< of a file, with Feature::shares
  std::optional<Lossy> lossy{};       ///< of a file, with Feature::lossy
  std::string link_target{};
  std::optional<Metadata> metadata{};  ///< with Feature::metadata

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Entry decode(ByteReader& in);

  /// Whether it is another name of a file, which has been sent.
  [[nodiscard]] bool is_other_name() const noexcept { return metadata && metadata->first; }

  /// Of a share.
  [[nodiscard]] SharePieces pieces() const noexcept {
    return SharePieces(share->shard, name.str(), size);
  }
  /// Of a file whose size is known; of a share what its pieces have.
  [[nodiscard]] std::uint64_t own_bytes() const noexcept { return share ? pieces().bytes() : size; }
  /// That without its holes.
  [[nodiscard]] std::uint64_t data_bytes() const noexcept;

  bool operator==(const Entry&) const = default;
};

/// The entries of one batch, the raw form of an offer's body: entry*, to the end.
[[nodiscard]] Bytes encode_manifest(const std::vector<Entry>& entries);
/// Throws Error(corrupt), also for more than kMaxBatchEntries.
[[nodiscard]] std::vector<Entry> decode_manifest(ByteSpan bytes);

}  // namespace adoc
