#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/protocol.hpp"

namespace adoc {

/// What stands before the data of each record of a transfer with several connections, behind a
/// split or a join:
///
///   record = offset:u64 arrived:u64 limit:u64 length:u32 check:u32 data[length]
///
/// `offset` is the place of the data in its direction, counted from that direction's split; the
/// records of a direction may come over any connection, in any order, and again. Of the other
/// direction `arrived` tells how many bytes of it are here without a gap, and `limit` up to where
/// it may be sent. A record without data only tells that. Length 0xffffffff, without data, is the
/// end of a direction, at `offset`; once all is here `arrived` is one more than that. Length
/// 0xfffffffe, without data: this side has given up, and no connection comes in the place of those
/// that there are. `check` is the low half of the XXH3-64 of the 28 bytes before it.
struct BundleRecord {
  static constexpr std::size_t kHeaderBytes = 32;
  static constexpr std::uint32_t kEnd = 0xffff'ffff;
  static constexpr std::uint32_t kGone = 0xffff'fffe;

  using Header = std::array<std::byte, kHeaderBytes>;

  std::uint64_t offset = 0;
  std::uint64_t arrived = 0;
  std::uint64_t limit = 0;
  std::uint32_t length = 0;

  [[nodiscard]] Header encode() const noexcept;
  /// Throws Error(corrupt) for a check that does not match, a length above kMaxRecordBytes, and a
  /// place that ends beyond 2^63.
  [[nodiscard]] static BundleRecord decode(const Header& header);

  [[nodiscard]] bool is_end() const noexcept { return length == kEnd; }
  [[nodiscard]] bool is_gone() const noexcept { return length == kGone; }
  /// Of its data.
  [[nodiscard]] std::uint64_t end() const noexcept {
    return offset + (length >= kGone ? 0 : length);
  }

  bool operator==(const BundleRecord&) const = default;
};

}  // namespace adoc
