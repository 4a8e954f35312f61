#pragma once

#include <string>
#include <vector>

#include "wire/entry.hpp"
#include "wire/protocol.hpp"

namespace adoc {

/// The receiver's answer for one entry.
enum class Verb : std::uint8_t {
  have = 0,    ///< it is there already
  keep = 1,    ///< something is there and was not to be overwritten
  take = 2,    ///< send these ranges, perhaps none, and it will be committed
  refuse = 3,  ///< it cannot be taken, for a reason
};

struct WantItem {
  static_assert(kMaxWantedRanges * 20 <= kMaxMessageBytes, "two varints each");

  Verb verb = Verb::have;
  Extents ranges{};      ///< with take, of a file: ascending, none empty
  std::string reason{};  ///< with refuse

  bool operator==(const WantItem&) const = default;
};

/// What the receiver wants of a batch; one item for each entry, in its order:
///
///   want = batch:varint count:varint ( verb:u8 ( take: extents | refuse: reason:string )? )*
///
/// Of a range only what lies in the entry's data runs is sent; one that reaches past the end of the
/// file means up to the end. All wanted bytes of a batch, entry by entry, form its stream.
struct Want {
  static constexpr FrameType kType = FrameType::want;

  std::uint64_t batch = 0;
  std::vector<WantItem> items{};

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Want decode(ByteSpan record);

  bool operator==(const Want&) const = default;
};

}  // namespace adoc
