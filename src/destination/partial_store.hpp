#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "adoc/receive.hpp"
#include "util/atomic_file.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// The receiver's own directory below the destination (kOwnDirectory), where files lie until they
/// get their names:
///
///   .adoc-<random>.part       of no use once the process that writes it is gone
///   .adoc-<name>.partial      can be gone on with; <name> is the XXH3-128 of the entry's name
///   .adoc-<name>.journal      what the partial file holds (journal.hpp)
///   .adoc-<name>.shared       parts of several senders (incoming_part.hpp)
///   .adoc-<name>.pieces       which of its pieces are there (piece_table.hpp)
///
/// It is ours alone (0700, not a link), else it is not used, and files are made where they are
/// going to be. Whoever writes below it holds a shared lock on it, so that a process which gets the
/// exclusive one knows that everything in it is left over; and whoever writes a partial file holds
/// the exclusive lock on that, or a shared one on what several bring parts of. Locks end with the
/// process, however it ends.
///
/// It appears with the first file and goes with the last one. Used by one thread.
class PartialStore {
 public:
  explicit PartialStore(DirectoryPtr destination, std::stop_token stop = {})
      : destination_(std::move(destination)), stop_(std::move(stop)) {}

  /// Where to make what is going to be published in `directory`: here, or there if this is on
  /// another file system or cannot be used.
  [[nodiscard]] DirectoryPtr place_for(const DirectoryPtr& directory);

  /// A file that can be gone on with, locked by us.
  struct Partial {
    AtomicFile::Temporary data;
    std::string journal;  ///< its name beside the data
  };
  /// What was left of the entry; none if there is nothing, or somebody is at work on it. The first
  /// times that is waited for, but no more than seconds in all, and no longer than until a stop
  /// request: it may be the session of a connection that its sender lost a moment ago.
  [[nodiscard]] std::optional<Partial> find(const Entry& entry);
  /// A new one; none if there is one already, or it would not be in `place`, which place_for()
  /// gave.
  [[nodiscard]] std::optional<Partial> make(const Entry& entry, const DirectoryPtr& place);
  /// Removes what was left of the entry, parts included, unless somebody is at work on it.
  void discard(const Entry& entry) noexcept;
  /// Lets go of the directory and its lock, until it is needed again.
  void close() noexcept { own_.reset(); }

 private:
  [[nodiscard]] bool open(bool make);
  [[nodiscard]] std::optional<Partial> find_now(const Entry& entry);

  DirectoryPtr destination_;
  std::stop_token stop_;
  DirectoryPtr own_;  ///< once it is open
  dev_t device_ = 0;
  bool unusable_ = false;
  std::chrono::milliseconds patience_{3'000};  ///< with whoever is at work on what we look for
};

/// What the names of all that is kept of the entry begin with.
[[nodiscard]] std::string kept_name(const Entry& entry);

/// Removes a file that find() gave, and its journal.
void discard(const PartialStore::Partial& partial) noexcept;

/// Looks through the receiver's own directory: removes what nobody can go on with, and partial
/// files to which nothing was added for `oldest` or longer, and then the directory itself if it is
/// empty. Does not touch what somebody is at work on. Throws nothing: what is in the way of that is
/// told in the result.
[[nodiscard]] Leftovers clean_partials(const DirectoryPtr& destination,
                                       std::chrono::seconds oldest) noexcept;

/// Removes the directory if it is empty.
void remove_empty_store(const DirectoryPtr& destination) noexcept;

}  // namespace adoc
