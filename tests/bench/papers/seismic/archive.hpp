#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/papers/seismic/shot.hpp"

namespace papers {

/// A SEG-Y file with all of its headers as they are, packed by the library's zstd, and each shot's
/// samples by encode_shot(). Unpacked it has every header bit for bit, and samples as near as the
/// quantiser has them.
///
/// Throws what read_segy() and encode_shot() throw.
[[nodiscard]] std::vector<std::byte> pack_segy(std::span<const std::byte> file,
                                               const ShotSetup& setup);

/// Throws std::runtime_error for what pack_segy() did not write.
/// Allocates by what the archive holds, headers up to 1 GiB.
[[nodiscard]] std::vector<std::byte> unpack_segy(std::span<const std::byte> archive);

}  // namespace papers
