#pragma once

#include <filesystem>
#include <optional>

namespace adoc {

/// How many processors a control group lets this process use, in the mean over some milliseconds:
/// the least of its own quota and those of the groups above it (cgroups(7), both versions). Nothing
/// if there is none, or nobody tells. `root` is where /proc and /sys are.
[[nodiscard]] std::optional<double> processor_quota(const std::filesystem::path& root = "/");

}  // namespace adoc
