#pragma once

#include <cstdint>
#include <vector>

#include "util/bytes.hpp"

namespace adoc {

/// A run of bytes of a file.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;

  bool operator==(const Extent&) const = default;
};

/// Ascending runs, none empty:
///
///   extents = count:varint ( gap:varint length:varint )*     a gap is from the end of the last run
void encode_extents(ByteWriter& out, const std::vector<Extent>& extents);

/// Throws Error(corrupt), also for a run that ends past `size` and for more than kMaxExtents.
[[nodiscard]] std::vector<Extent> decode_extents(ByteReader& in, std::uint64_t size);

}  // namespace adoc
