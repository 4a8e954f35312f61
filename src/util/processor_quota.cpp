#include "util/processor_quota.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace adoc {
namespace {

namespace fs = std::filesystem;

/// Microseconds of processors in so many of the clock, of one group. "max" and -1 are no limit.
std::optional<double> quota_in(std::istream& quota, std::istream& period) {
  double allowed = 0;
  double of = 0;
  if (!(quota >> allowed) || !(period >> of) || allowed <= 0 || of <= 0) return std::nullopt;
  return allowed / of;
}

std::optional<double> quota_of(const fs::path& group, bool unified) {
  std::ifstream quota(group / (unified ? "cpu.max" : "cpu.cfs_quota_us"));
  if (unified) return quota_in(quota, quota);
  std::ifstream period(group / "cpu.cfs_period_us");
  return quota_in(quota, period);
}

bool is_for_processors(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

}  // namespace

std::optional<double> processor_quota(const fs::path& root) {
  std::optional<double> least;
  std::ifstream groups(root / "proc/self/cgroup");
  std::string controllers;
  std::string path;
  while (groups.ignore(16, ':') && std::getline(groups, controllers, ':') &&
         std::getline(groups, path)) {
    const bool unified = controllers.empty();
    if (!unified && !is_for_processors(controllers)) continue;
    const fs::path top = root / (unified ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
    // A container may see its own group as the topmost one, and the path as the machine has it.
    for (fs::path group = fs::path(path).relative_path();; group = group.parent_path()) {
      if (const auto quota = quota_of(top / group, unified))
        least = std::min(*quota, least.value_or(*quota));
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace adoc
