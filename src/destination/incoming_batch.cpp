#include "destination/incoming_batch.hpp"

#include <algorithm>

#include "adoc/error.hpp"
#include "codec/manifest.hpp"
#include "wire/broken_protocol.hpp"
#include "wire/ranges.hpp"

namespace adoc {

namespace {

/// From so many new files in a batch on, one flush of the whole file system costs less than one of
/// each, although it takes along what others have written there.
constexpr std::size_t kManyFiles = 32;

/// What a file keeps open: itself and the directory that it is for.
constexpr std::size_t kFileDescriptors = 2;

constexpr const char* kUnreadable = "the sender could not read it";

}  // namespace

IncomingBatch::IncomingBatch(const Offer& offer, const Setup& setup)
    : intake_(setup.intake),
      claim_(setup.intake.claim(offer.dry_run)),
      id_(offer.batch),
      last_(offer.last),
      dry_run_(offer.dry_run),
      existing_(offer.keep_existing ? Existing::kept : Existing::replaced),
      // What is to be kept is kept, whatever it is.
      force_(offer.force && !offer.keep_existing && setup.intake.allows_force()),
      keeps_partials_(setup.resume),
      lent_(setup.tree.root()),
      descriptors_(setup.descriptors),
      entries_(unpack_manifest(offer)) {
  intake_.expect(offer);
  intake_.count(entries_);
  setup.tree.set_force(force_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    setup.tree.go_on();
    Entry& entry = entries_[i];
    if (entry.metadata && !setup.metadata)
      broken_protocol("an offer has metadata, which were not agreed on");
    if (entry.share && !setup.shares)
      broken_protocol("an offer has a share of a file, which was not agreed on");
    intake_.trim(entry);
    Decided decided = decide(entry, offer.keep_existing, setup.tree);
    slots_.push_back(
        {.action = decided.action, .failure = std::move(decided.reason), .seen = decided.seen});
    WantItem want = want_item(i, setup);
    if (slots_[i].action == Action::replace || slots_[i].action == Action::link) {
      if (auto why = intake_.objection(entry, EntryPieces(i, entry, want), claim_)) {
        fail(i, *std::move(why));
        want = refusal(i);
      }
    }
    // What would be wanted was judged; nothing is.
    if (dry_run_) want.ranges = {};
    wants_.push_back(std::move(want));
  }
  layout_ = StreamLayout(entries_, wants_);
  for (StreamLayout rest = layout_; !rest.at_end();) {
    const bool is_open = rest.piece().length == kUnknownSize;
    rest.next();
    if (is_open && !rest.at_end())
      broken_protocol("a file of unknown size is not the last of its batch");
  }
  take_lent(setup.tree);
}

WantItem IncomingBatch::want_item(std::size_t entry, const Setup& setup) {
  Slot& slot = slots_[entry];
  const bool is_file = entries_[entry].kind == EntryKind::file;
  // Parts of other senders stay: they do not send them again.
  const bool starts_over = !setup.resume && !entries_[entry].share;
  if (is_file && !dry_run_ && (slot.action != Action::replace || starts_over))
    setup.tree.partials().discard(entries_[entry]);
  if (slot.action == Action::have) return {.verb = Verb::have};
  if (slot.action == Action::keep) return {.verb = Verb::keep};
  WantItem item{.verb = Verb::take};
  if (slot.action == Action::replace && is_file)
    attempt(entry, [&] { item.ranges = missing_ranges(entry, setup); });
  return slot.failure.empty() ? item : refusal(entry);
}

WantItem IncomingBatch::refusal(std::size_t entry) {
  slots_[entry].action = Action::refuse;
  return {.verb = Verb::refuse, .reason = slots_[entry].failure};
}

Extents IncomingBatch::missing_ranges(std::size_t entry, const Setup& setup) {
  const Entry& listed = entries_[entry];
  if (listed.share && !dry_run_) return missing_pieces(entry, setup);
  std::vector<Extent> present;
  if (setup.resume && !dry_run_ && may_be_resumed(listed)) {
    Slot& slot = slots_[entry];
    if (descriptors_ != nullptr) slot.permit = descriptors_->try_take(kFileDescriptors);
    if (descriptors_ != nullptr && !slot.permit) {
      // It cannot be kept open until its data come, and closed it would not be ours.
      setup.tree.partials().discard(listed);
      return missing_of(present, listed.size, kMaxWantedRanges);
    }
    slots_[entry].file = IncomingFile::resume(listed, setup.tree);
    if (slots_[entry].file)
      present = slots_[entry].file->take_present();
    else
      slot.permit.give_back();
  }
  WantItem item{.verb = Verb::take, .ranges = missing_of(present, listed.size, kMaxWantedRanges)};
  if (EntryPieces(entry, listed, item).next()) return item.ranges;
  // Only of what is sent, if only of a byte, the sender says the hash of the whole.
  std::uint64_t end = listed.data ? 0 : listed.size;
  if (listed.data)
    for (const Extent& run : *listed.data) end = run.offset + run.length;
  if (end != 0) return {{end - 1, 1}};
  return item.ranges;
}

std::uint64_t IncomingBatch::resumed_bytes() const {
  return dry_run_ ? 0 : adoc::resumed_bytes(entries_, wants_);
}

Want IncomingBatch::want() const { return {.batch = id_, .items = wants_}; }

void IncomingBatch::expect_position(std::uint64_t offset) const {
  if (offset != position_) broken_protocol("a block is not where the stream goes on");
}

template <typename Take>
void IncomingBatch::advance(std::uint64_t length, Take take) {
  for (std::uint64_t used = 0; used < length;) {
    if (layout_.at_end()) broken_protocol("more data came than was wanted");
    const Piece piece = layout_.piece();
    const std::uint64_t run = std::min(length - used, piece.length - piece_position_);
    take(piece, used, run);
    used += run;
    piece_position_ += run;
    if (piece_position_ == piece.length) {
      layout_.next();
      piece_position_ = 0;
      if (layout_.at_end() || layout_.piece().entry != piece.entry) end_writing(piece.entry);
    }
  }
  position_ += length;
}

std::size_t IncomingBatch::write(const ArrivedBlock& block, OutputTree& tree) {
  expect_position(block.offset);
  tree.set_force(force_);
  std::size_t last = 0;
  advance(block.raw.size(), [&](const Piece& piece, std::uint64_t used, std::uint64_t length) {
    const ByteSpan run =
        block.raw.subspan(static_cast<std::size_t>(used), static_cast<std::size_t>(length));
    const std::optional<std::uint64_t> hash =
        run.size() == block.raw.size() ? std::optional(block.checksum) : std::nullopt;
    last = piece.entry;
    attempt(piece.entry, [&] {
      if (piece.length == kUnknownSize) intake_.expect_room(length, claim_);
      const std::uint64_t offset = piece.file_offset + piece_position_;
      if (entries_[piece.entry].share)
        opened_part(piece.entry, tree).write(offset, run);
      else
        opened(piece.entry, tree).write(offset, run, hash);
      claim_.used(length);
    });
  });
  return last;
}

void IncomingBatch::skip(const Skip& skip) {
  expect_position(skip.offset);
  advance(skip.length, [&](const Piece& piece, std::uint64_t, std::uint64_t) {
    fail(piece.entry, kUnreadable);
  });
}

void IncomingBatch::done(const Done& done) {
  for (const Done::Failure& failure : done.failures) {
    if (failure.entry >= entries_.size())
      broken_protocol("a done names an entry that is not there");
    // The sender knows better than a skip before it, and may have no words for it.
    slots_[failure.entry].failure.clear();
    fail(failure.entry, failure.reason.empty() ? kUnreadable : printable(failure.reason));
  }
  for (const Done::Whole& whole : done.hashes) {
    if (whole.entry >= entries_.size() || !in_part(whole.entry))
      broken_protocol("a done has the hash of something that was not wanted in part");
    slots_[whole.entry].whole = whole.hash;
  }
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (slots_[i].failure.empty() && !slots_[i].whole && in_part(i))
      broken_protocol("a done lacks the hash of a file that was wanted in part");
  // A piece without a length is the last.
  const bool may_end = layout_.at_end() || layout_.piece().length == kUnknownSize;
  if (done.stream_bytes != position_ || !may_end)
    broken_protocol("a batch is done before all of it came");
}

void IncomingBatch::end_writing(std::size_t entry) noexcept {
  slots_[entry].written = true;
  if (slots_[entry].file) slots_[entry].file->end_writing();
}

IncomingFile& IncomingBatch::opened(std::size_t entry, OutputTree& tree) {
  std::optional<IncomingFile>& file = slots_[entry].file;
  const Entry& listed = entries_[entry];
  if (!file) {
    take_permit(entry, kFileDescriptors, tree);
    file = IncomingFile::create(listed, tree, keeps_partials_ && may_be_resumed(listed));
  }
  return *file;
}

// A batch waits for no descriptor, or batches could wait for each other: it can do with those of
// one file. To flush many files one by one takes longer than together, and that is all.
void IncomingBatch::take_permit(std::size_t entry, std::size_t descriptors, OutputTree& tree) {
  if (descriptors_ == nullptr) return;
  DescriptorBudget::Permit& permit = slots_[entry].permit;
  permit = descriptors_->try_take(descriptors);
  if (permit) return;
  set_files_aside(tree);
  permit = descriptors_->try_take(descriptors);
}

void IncomingBatch::set_files_aside(OutputTree& tree) {
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (slots_[i].written && slots_[i].file && slots_[i].file->can_be_set_aside())
      written.push_back(i);
  if (written.size() >= kManyFiles) tree.flush_file_system();
  for (const std::size_t i : written) {
    attempt(i, [&] {
      complete(i, tree);
      slots_[i].file->set_aside();
    });
    slots_[i].permit.give_back();
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!slots_[i].written || !slots_[i].part) continue;
    attempt(i, [&] { settle_part(i, tree); });
    if (slots_[i].part) slots_[i].part->close();
    slots_[i].permit.give_back();
  }
}

void IncomingBatch::complete(std::size_t entry, OutputTree& tree) {
  if (slots_[entry].complete) return;
  Slot& slot = slots_[entry];
  if (slot.part) return;
  slot.not_set = opened(entry, tree).complete(entries_[entry], slot.whole, tree);
  slots_[entry].complete = slots_[entry].written = true;
}

// What fails by itself is not gone on with: the disk is full, or the sender says that the contents
// are not one source's.
void IncomingBatch::fail(std::size_t entry, std::string reason) {
  Slot& slot = slots_[entry];
  if (slot.file) slot.file->discard();
  slot.file.reset();
  if (slot.part) slot.part->drop();
  slot.part.reset();
  slot.permit.give_back();
  if (slot.failure.empty()) slot.failure = std::move(reason);
}

template <typename Step>
void IncomingBatch::attempt(std::size_t entry, Step step) {
  if (!slots_[entry].failure.empty()) return;
  try {
    step();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::local_file) throw;
    fail(entry, error.what());
  }
}

Commit IncomingBatch::commit(OutputTree& tree) {
  tree.set_force(force_);
  tree.lent().add(std::move(lent_));
  const auto each_new_file = [&](auto step) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (slots_[i].action == Action::replace && entries_[i].kind == EntryKind::file && !dry_run_)
        attempt(i, [&] {
          tree.go_on();
          step(i);
        });
  };
  std::size_t new_files = 0;
  each_new_file([&](std::size_t i) {
    complete(i, tree);
    ++new_files;
  });
  // All writing out is begun before any of it is waited for, or done at one stroke: most of the
  // flushes that follow find nothing left to do then, and only tell what failed.
  if (new_files < kManyFiles)
    each_new_file([&](std::size_t i) {
      if (slots_[i].file) slots_[i].file->start_flush();
      if (slots_[i].part) slots_[i].part->start_flush();
    });
  else
    tree.flush_file_system();
  each_new_file([&](std::size_t i) {
    if (slots_[i].file) slots_[i].file->flush();
    if (slots_[i].part) settle_part(i, tree);
  });
  flush_parts(tree);

  Commit commit{.batch = id_, .items = std::vector<Commit::Item>(entries_.size())};
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    attempt(i, [&] {
      commit.items[i].fate = publish(i, tree);
      note_linked(i, tree);
    });
    slots_[i].file.reset();
    slots_[i].part.reset();
    if (!slots_[i].updated) slots_[i].permit.give_back();
  }
  flush_names(commit, tree);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (!slots_[i].failure.empty())
      commit.items[i] = {Fate::failed, slots_[i].failure};
    else if (!slots_[i].not_set.empty() && commit.items[i].fate == Fate::committed)
      commit.items[i] = {Fate::incomplete, slots_[i].not_set};
  return commit;
}

// Many are flushed together, as far as they may be open together.
void IncomingBatch::keep_for_flush(Slot& slot) {
  if (descriptors_ == nullptr || !slot.updated) return;
  slot.permit = descriptors_->try_take(1);
  if (slot.permit) return;
  adoc::flush(slot.updated.get());
  slot.updated.reset();
}

// The first flush takes along what the others are about, where a file system has a journal.
void IncomingBatch::flush_names(const Commit& commit, OutputTree& tree) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!slots_[i].updated) continue;
    attempt(i, [&] { adoc::flush(slots_[i].updated.get()); });
    slots_[i].updated.reset();
    slots_[i].permit.give_back();
  }
  try {
    tree.flush();
  } catch (const Error& error) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (commit.items[i].fate == Fate::committed || commit.items[i].fate == Fate::have)
        fail(i, error.what());
  }
}

}  // namespace adoc
