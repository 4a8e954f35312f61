#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/bytes.hpp"
#include "util/checksum.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// The sender has sent all of a batch that it can:
///
///   done    = batch:varint stream-bytes:varint count:varint ( entry:varint reason:string )*
///             ( count:varint ( entry:varint hash[16] )+ )?
///
/// The entries named first could not be read, or changed while they were; they must not be
/// committed. With Feature::whole_hash, and only then, the second list has the hash
/// (util/content_hasher.hpp) of all contents of each file of which only a part was wanted
/// (stream_layout.hpp) and that did not fail; without such a file there is no list.
struct Done {
  static constexpr FrameType kType = FrameType::done;
  struct Failure {
    std::size_t entry = 0;  ///< index in the batch; ascending
    std::string reason{};

    bool operator==(const Failure&) const = default;
  };

  struct Whole {
    std::size_t entry = 0;  ///< ascending
    ContentHash hash{};

    bool operator==(const Whole&) const = default;
  };

  std::uint64_t batch = 0;
  std::uint64_t stream_bytes = 0;  ///< length of the batch's stream, skipped runs included
  std::vector<Failure> failures{};
  std::vector<Whole> hashes{};

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Done decode(ByteSpan record);

  bool operator==(const Done&) const = default;
};

/// The reason of an entry that was listed and is not there any more. Both sides tell it from other
/// failures by that.
inline constexpr std::string_view kVanished = "it vanished before it was read";

/// What became of one entry at the receiver. 4 stays unknown: a golden file says so.
enum class Fate : std::uint8_t {
  committed = 0,
  have = 1,
  kept = 2,
  failed = 3,
  incomplete = 5,  ///< committed, but not with all of its metadata (Feature::metadata)
  part = 6,        ///< the share is kept; the file has its name once all are (Feature::shares)
};

/// The receiver has committed what it could of a batch; one item for each entry, in its order:
///
///   commit = batch:varint count:varint ( fate:u8 ( failed, incomplete: reason:string )? )*
struct Commit {
  static constexpr FrameType kType = FrameType::commit;
  struct Item {
    Fate fate = Fate::committed;
    std::string reason{};  ///< with failed and incomplete

    bool operator==(const Item&) const = default;
  };

  std::uint64_t batch = 0;
  std::vector<Item> items{};

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Commit decode(ByteSpan record);

  bool operator==(const Commit&) const = default;
};

/// With Feature::failures: an entry has failed before all of its contents came, as it does on a
/// full disk. The sender skips the rest of them, or ends an entry of unknown size; the reason comes
/// with the commit.
///
///   failed = batch:varint entry:varint
struct Failed {
  static constexpr FrameType kType = FrameType::failed;

  std::uint64_t batch = 0;
  std::size_t entry = 0;  ///< index in the batch

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Failed decode(ByteSpan record);

  bool operator==(const Failed&) const = default;
};

/// Marks the end of what this side sends; anything after it is an error, and so is its absence.
///
///   end = batches:varint
struct End {
  static constexpr FrameType kType = FrameType::end;

  std::uint64_t batches = 0;  ///< that were offered (sender) or committed (receiver)

  void encode(ByteWriter& out) const { out.varint(batches); }
  /// Throws Error(corrupt).
  [[nodiscard]] static End decode(ByteSpan record);

  bool operator==(const End&) const = default;
};

/// Why this side gives up; its last frame.
///
///   error = kind:u8 message:string
struct ErrorFrame {
  static constexpr FrameType kType = FrameType::error;

  std::uint8_t kind = 0;  ///< an ErrorKind as this side sees it; its values travel
  std::string message{};

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static ErrorFrame decode(ByteSpan record);

  bool operator==(const ErrorFrame&) const = default;
};

}  // namespace adoc
