#include "wire/ranges.hpp"

#include <algorithm>

namespace adoc {

std::vector<Extent> merged(std::vector<Extent> runs) {
  std::ranges::sort(runs, {}, &Extent::offset);
  std::vector<Extent> result;
  for (const Extent& run : runs) {
    const std::uint64_t end = run.offset + run.length;
    if (result.empty() || run.offset > result.back().offset + result.back().length)
      result.push_back(run);
    else if (end > result.back().offset + result.back().length)
      result.back().length = end - result.back().offset;
  }
  return result;
}

std::vector<Extent> missing_of(const std::vector<Extent>& present, std::uint64_t size,
                               std::size_t limit) {
  std::vector<Extent> missing;
  std::uint64_t end = 0;
  const auto add = [&](std::uint64_t begin, std::uint64_t up_to) {
    if (begin >= up_to) return;
    if (missing.size() < limit)
      missing.push_back({begin, up_to - begin});
    else
      missing.back().length = up_to - missing.back().offset;
  };
  for (const Extent& run : present) {
    add(end, std::min(run.offset, size));
    end = run.offset + run.length;
  }
  add(end, size);
  return missing;
}

}  // namespace adoc
