#pragma once

#include <cstddef>
#include <span>

#include "codec/ladder.hpp"

namespace adoc {

/// What one rung does to some data, on one thread of this machine.
struct LevelMeasurement {
  Rung rung;
  double compress_bytes_per_second = 0;    ///< raw bytes
  double ratio = 0;                        ///< raw bytes to stored bytes
  double decompress_bytes_per_second = 0;  ///< raw bytes
};

/// Compresses `data` (not empty) in blocks of this shape, each with what of the prefix `data` has
/// before it, in packets of 8,192 bytes, decompresses and compares. A block that grows is counted
/// as stored raw, as it travels. Speeds are of processor time and of the fastest of a few passes,
/// so that a busy machine does not distort them. Throws Error(internal) when a block does not come
/// back as it was.
[[nodiscard]] LevelMeasurement measure_rung(const Rung& rung, std::span<const std::byte> data,
                                            const BlockShape& shape);

}  // namespace adoc
