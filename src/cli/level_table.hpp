#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "cli/sample.hpp"
#include "codec/measure.hpp"

namespace adoc::cli {

/// What each level of a ladder does to a sample on this machine: index is level.
using MeasuredLevels = std::vector<LevelMeasurement>;

/// Told before each step: how many are done, and of how many. From any thread.
using StepObserver = std::function<void(std::size_t, std::size_t)>;

/// Measures every level of the ladder that the options name, each with blocks of its own shape or
/// of --block-size, on one thread; other levels are measured meanwhile on the other processors, as
/// busy as a transfer would make them. A few seconds for a few MB.
[[nodiscard]] MeasuredLevels measure_levels(const PipelineOptions& options, ByteSpan sample,
                                            const StepObserver& observer);

/// What adoc-send --list-levels PATH prints: the measurements, and for links of 10 Mbit/s to
/// 10 Gbit/s the level that they speak for, with the packets and chunks of the papers' models.
/// Measures the chunk sizes of Penaranda 2024, Table 1, at those levels.
[[nodiscard]] std::string level_table(const PipelineOptions& options, const std::string& path,
                                      const Sample& sample, const MeasuredLevels& levels);

/// Everything together. Throws as read_sample().
[[nodiscard]] std::string measured_level_list(const SendOptions& options,
                                              const StepObserver& observer);

}  // namespace adoc::cli
