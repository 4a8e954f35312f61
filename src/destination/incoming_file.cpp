#include "destination/incoming_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "adoc/error.hpp"
#include "destination/kept_metadata.hpp"
#include "destination/partial_store.hpp"
#include "destination/verify_partial.hpp"
#include "util/hash_file.hpp"

namespace adoc {

namespace {

/// What an earlier transfer wrote where the source has holes by now is not sent again, and nothing
/// else would overwrite it.
bool clear_holes(int file, const Entry& entry, const OutputTree& tree) {
  if (!entry.data) return true;
  const auto clear = [&](std::uint64_t begin, std::uint64_t end) {
    tree.go_on();
    return begin >= end ||
           ::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                       static_cast<off_t>(end - begin)) == 0;
  };
  std::uint64_t end = 0;
  for (const Extent& run : *entry.data) {
    if (!clear(end, run.offset)) return false;
    end = run.offset + run.length;
  }
  return clear(end, entry.size);
}

}  // namespace

FileMetadata metadata_of(const Entry& entry) noexcept {
  return {entry.mode, entry.mtime_seconds, entry.mtime_nanoseconds};
}

IncomingFile IncomingFile::create(const Entry& entry, OutputTree& tree, bool resumable) {
  DirectoryPtr directory = tree.make_parent(entry.name);
  DirectoryPtr place = tree.partials().place_for(directory);
  if (resumable) {
    if (auto partial = tree.partials().make(entry, place)) {
      IncomingFile file(AtomicFile(std::move(partial->data), std::move(directory)));
      file.journal_ = std::make_unique<Journal>(Journal::Place{place, partial->journal}, entry);
      return file;
    }
  }
  return IncomingFile(AtomicFile::create(std::move(place), std::move(directory)));
}

std::optional<IncomingFile> IncomingFile::resume(const Entry& entry, OutputTree& tree) {
  auto partial = tree.partials().find(entry);
  if (!partial) return std::nullopt;
  const DirectoryPtr place = partial->data.place;
  const int data = partial->data.file.get();
  Fd journal(::openat(place->get(), partial->journal.c_str(),
                      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  auto verified = journal ? verify_partial(data, journal.get(), entry, tree.stop()) : std::nullopt;
  if (!verified || !clear_holes(data, entry, tree)) {
    adoc::discard(*partial);
    return std::nullopt;
  }
  IncomingFile file(AtomicFile(std::move(partial->data), tree.make_parent(entry.name)));
  file.journal_ = std::make_unique<Journal>(Journal::Place{place, partial->journal},
                                            std::move(journal), verified->journal_end);
  file.journal_->pause();
  file.present_ = std::move(verified->present);
  file.resumed_ = !file.present_.empty();
  return file;
}

IncomingFile::~IncomingFile() {
  if (!journal_) return;
  journal_->flush();
  // Whoever goes on with it has to open it, whatever mode it was to have.
  ::fchmod(file_.fd(), 0600);
  file_.keep();
}

void IncomingFile::write(std::uint64_t offset, ByteSpan bytes, std::optional<std::uint64_t> hash) {
  file_.write(offset, bytes);
  if (journal_) journal_->note({offset, bytes.size(), hash ? *hash : xxh3_64(bytes)});
}

void IncomingFile::end_writing() noexcept {
  if (journal_) journal_->pause();
}

std::string IncomingFile::complete(const Entry& entry, const std::optional<ContentHash>& whole,
                                   const OutputTree& tree) {
  if (entry.data || resumed_) file_.set_size(entry.size);
  // What was there is of a source with this size and time, which may have changed without them.
  if (whole &&
      (hash_file(file_.fd(), tree.stop()) != *whole || (entry.hash && *entry.hash != *whole)))
    throw Error(ErrorKind::local_file,
                "with what an earlier transfer left, it is not what the sender has; that is "
                "removed, and the same command sends all of it");
  // Before the flush, which takes them along.
  return set_all_metadata(file_.fd(), entry, {metadata_of(entry), tree.privileged_attributes()});
}

void IncomingFile::set_aside() {
  file_.flush();
  file_.set_aside();
  if (journal_) journal_->remove();
  journal_.reset();
}

bool IncomingFile::publish(const Entry& entry, const Publishing& how) {
  if (!file_.publish(std::string(entry.name.leaf()), how)) {
    discard();
    return false;
  }
  if (journal_) journal_->remove();
  journal_.reset();
  return true;
}

void IncomingFile::discard() noexcept {
  if (journal_) journal_->remove();
  journal_.reset();
  file_.discard();
}

}  // namespace adoc
