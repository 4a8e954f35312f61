#include "transfer/crossing_file.hpp"

namespace adoc {

const std::string* CrossingFile::at(const Crossing::Place& place) {
  if (place.batch != 0) passed(place.batch - 1);
  if (batches_.empty() || batches_.front()->id != place.batch) return nullptr;
  const OutgoingBatch& batch = *batches_.front();
  if (!has_layout_) {
    layout_ = StreamLayout(batch.entries, batch.wants);
    begin_ = 0;
    has_layout_ = true;
  }
  // The last piece may have no length.
  while (!layout_.at_end() && layout_.piece().length != kUnknownSize &&
         begin_ + layout_.piece().length <= place.offset) {
    begin_ += layout_.piece().length;
    layout_.next();
  }
  if (layout_.at_end()) return nullptr;
  const std::string* const name = &batch.entries[layout_.piece().entry].name.str();
  return name == told_ ? nullptr : (told_ = name);
}

void CrossingFile::passed(std::uint64_t batch) {
  while (!batches_.empty() && batches_.front()->id <= batch) {
    batches_.pop_front();
    has_layout_ = false;
    told_ = nullptr;
  }
}

}  // namespace adoc
