#include "destination/incoming_batch.hpp"

// Entries of which several senders each have a share.

namespace adoc {

namespace {

/// What a part keeps open: the data and the table; the directory that they are in is held once.
constexpr std::size_t kPartDescriptors = 2;

}  // namespace

Extents IncomingBatch::missing_pieces(std::size_t entry, const Setup& setup) {
  Slot& slot = slots_[entry];
  if (descriptors_ != nullptr) slot.permit = descriptors_->try_take(kPartDescriptors);
  slot.part =
      std::make_unique<IncomingPart>(IncomingPart::open(entries_[entry], setup.tree, setup.resume));
  Extents ranges = slot.part->missing(kMaxWantedRanges);
  slot.written = ranges.empty();
  if (descriptors_ != nullptr && !slot.permit) slot.part->close();
  return ranges;
}

IncomingPart& IncomingBatch::opened_part(std::size_t entry, OutputTree& tree) {
  Slot& slot = slots_[entry];
  if (!slot.part->is_open()) {
    take_permit(entry, kPartDescriptors, tree);
    slot.part->reopen();
  }
  return *slot.part;
}

void IncomingBatch::settle_part(std::size_t entry, const OutputTree& tree) {
  Slot& slot = slots_[entry];
  slot.part->settle(entries_[entry], tree);
  // Opened again for it, as there was no room for its descriptors before.
  if (descriptors_ != nullptr && !slot.permit) slot.part->close();
}

// An error of the disk is told once: all whose place it is hear of it.
void IncomingBatch::flush_parts(const OutputTree& tree) {
  DirectoryPtr latest;
  std::string failure;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!slots_[i].part) continue;
    if (const DirectoryPtr& place = slots_[i].part->place(); place != latest) {
      latest = place;
      failure.clear();
      try {
        flush(latest->get());
        flush(tree.root()->get());
      } catch (const Error& error) {
        failure = error.what();
      }
    }
    if (!failure.empty()) fail(i, failure);
  }
}

Fate IncomingBatch::publish_part(std::size_t entry, OutputTree& tree) {
  const Entry& listed = entries_[entry];
  Slot& slot = slots_[entry];
  if (const DirectoryPtr parent = tree.find_parent(listed.name))
    tree.first_names().expect_own(listed.name, parent);
  switch (slot.part->finish(listed, tree, existing_)) {
    case IncomingPart::End::waits:
      return Fate::part;
    case IncomingPart::End::kept:
      return Fate::kept;
    case IncomingPart::End::published:
      break;
  }
  slot.not_set = slot.part->not_set();
  tree.first_names().note(listed.name, tree.make_parent(listed.name));
  return Fate::committed;
}

}  // namespace adoc
