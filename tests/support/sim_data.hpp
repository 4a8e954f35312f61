#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "support/sim.hpp"

namespace adoc::sim {

/// Reads what measure_levels --csv writes: rows `file,level,rung,compress_MBps,ratio,
/// decompress_MBps` for the levels of a ladder, and comments that tell how a file looks,
/// `# FILE: N bytes, entropy E bits, looks random`.
[[nodiscard]] std::map<std::string, Kind> read_kinds(const std::string& path);

/// Data that nobody has measured: speeds that fall and ratios that rise along the ladder, by any
/// steps, from data that hardly shrinks to data that nearly vanishes, on a slow or a fast machine.
[[nodiscard]] Kind random_kind(const Ladder& ladder, std::uint64_t seed);

}  // namespace adoc::sim
