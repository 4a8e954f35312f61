#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "adoc/options.hpp"

namespace adoc {

/// What each level of a ladder does to some data on this machine is measured on a sample of them:
///
///     const adoc::LevelFigures figures = adoc::measure_levels({.path = "database"});
///     for (const adoc::LinkAdvice& advice : figures.links)
///       use(advice.link_bytes_per_second, advice.level);
struct MeasureOptions {
  std::string path{};                 ///< a file or a directory, not standard input
  std::vector<FilterRule> filters{};  ///< of what is in the directory
  /// Ladder, block_bytes and threads count; what 0 is said of is as a transfer would have it.
  PipelineOptions pipeline{};
  std::size_t sample_bytes = 4 << 20;  ///< that are measured at most, in stretches all over it
  /// The links that advice is given for.
  std::vector<double> links_bytes_per_second{1.25e6, 12.5e6, 125e6, 1'250e6};
};

/// One level. Speeds are raw bytes a second of processor time of one thread, other threads being as
/// busy as in a transfer.
struct LevelFigure {
  std::string rung;             ///< the codec and its setting: "zstd 3"
  std::size_t block_bytes = 0;  ///< of its blocks
  double compress_bytes_per_second = 0;
  double ratio = 0;  ///< raw bytes to stored bytes; a block that grows counts as stored raw
  double decompress_bytes_per_second = 0;
};

/// What the figures speak for on one link, if the far side is a machine like this one.
struct LinkAdvice {
  double link_bytes_per_second = 0;
  std::size_t level = 0;
  double raw_bytes_per_second = 0;  ///< the least of all threads', the link's, and the far side's
  std::size_t packet_bytes = 0;     ///< Jeannot 2002, section 3.5.2
  // Penaranda 2024, equation 2 with its weights 0.60, 0.15 and 0.25, for a message of 8 MB.
  std::size_t chunk_threads = 0;
  std::size_t chunks = 0;
  std::size_t chunk_bytes = 0;
};

struct LevelFigures {
  std::uint64_t files = 0;            ///< at the path, that are not empty
  std::uint64_t bytes = 0;            ///< in them
  std::uint64_t sample_bytes = 0;     ///< of these that were measured
  std::size_t threads = 0;            ///< that a transfer would compress with
  double packet_seconds = 0;          ///< that sending and receiving a packet takes here
  std::vector<LevelFigure> levels{};  ///< level 0 first
  std::vector<LinkAdvice> links{};    ///< as asked for
};

/// Told of what happens; both may be empty, and must not throw.
struct MeasureObserver {
  /// Before each level: how many are done, and of how many. From several threads at once.
  std::function<void(std::size_t done, std::size_t of)> on_level{};
  /// Something is not read, and why. From the thread that called.
  std::function<void(std::string_view path, std::string_view why)> on_left_out{};
};

/// Takes a few seconds and up to four threads, each with what its level takes of memory, about 100
/// MB at most. Throws Error(usage) for options that mean nothing, Error(local_file) when there is
/// nothing at the path, or nothing that can be read, or not a byte in it, Error(interrupted) after
/// a stop request, once the levels that are being measured are done.
[[nodiscard]] LevelFigures measure_levels(const MeasureOptions& options,
                                          const MeasureObserver& observer = {},
                                          std::stop_token stop = {});

}  // namespace adoc
