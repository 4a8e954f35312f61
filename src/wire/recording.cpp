#include "wire/recording.hpp"

namespace adoc {

Hello recording_hello() noexcept {
  Hello hello{.role = Role::receiver, .features = 0};
  for (const Feature feature :
       {Feature::linked_blocks, Feature::metadata, Feature::dense, Feature::matches,
        Feature::filters, Feature::lossy, Feature::predictions})
    hello.features |= static_cast<std::uint64_t>(feature);
  return hello;
}

std::vector<WantItem> want_everything(const std::vector<Entry>& entries) {
  std::vector<WantItem> wants;
  wants.reserve(entries.size());
  for (const Entry& entry : entries) {
    wants.push_back({.verb = Verb::take});
    if (entry.kind == EntryKind::file && !entry.is_other_name())
      wants.back().ranges = {{0, kUnknownSize}};
  }
  return wants;
}

}  // namespace adoc
