#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "adoc/error.hpp"
#include "destination/incoming_batch.hpp"
#include "destination/same_time.hpp"
#include "util/errno_error.hpp"

// How what is whole gets its name, or what is there gets other metadata.

namespace adoc {

namespace {

FileTime time_of(const FileMetadata& metadata) noexcept {
  return {metadata.mtime_seconds, metadata.mtime_nanoseconds};
}

std::optional<uid_t> user_of(const Entry& entry) noexcept {
  if (!entry.metadata || !entry.metadata->user) return std::nullopt;
  return entry.metadata->user->id;
}

std::optional<gid_t> group_of(const Entry& entry) noexcept {
  if (!entry.metadata || !entry.metadata->group) return std::nullopt;
  return entry.metadata->group->id;
}

bool has_metadata(int fd, const Entry& entry, bool privileged) {
  struct stat status {};
  return !entry.metadata || (::fstat(fd, &status) == 0 && has_owner(entry.metadata, status) &&
                             has_attributes(fd, *entry.metadata, privileged));
}

FileMetadata metadata_of(int fd) noexcept {
  struct stat status {};
  ::fstat(fd, &status);
  return {status.st_mode & 07777, status.st_mtim.tv_sec,
          static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
}

}  // namespace

// Looked at now and not at the offer: the other name may be of the same batch.
Fate IncomingBatch::publish(std::size_t entry, OutputTree& tree) {
  const SafeName& name = entries_[entry].name;
  const Slot& slot = slots_[entry];
  if (dry_run_ || slot.action == Action::keep) return publish_own(entry, tree);
  if (slot.part) return publish_part(entry, tree);
  DirectoryPtr parent = slot.file ? slot.file->directory() : nullptr;
  if (!parent) parent = tree.find_parent(name);
  if (parent) tree.first_names().expect_own(name, parent);
  const Fate fate = publish_own(entry, tree);
  if (!parent) parent = tree.make_parent(name);
  if (fate != Fate::kept) tree.first_names().note(name, parent);
  if (fate == Fate::have) tree.found(name.directory(), parent);
  return fate;
}

Fate IncomingBatch::publish_own(std::size_t entry, OutputTree& tree) {
  const Entry& listed = entries_[entry];
  Slot& slot = slots_[entry];
  if (slot.action == Action::have || slot.action == Action::keep) {
    // Long ago, perhaps: other files of the batch may have taken hours.
    look_again(listed, {.action = slot.action, .seen = slot.seen}, tree);
    return slot.action == Action::have ? Fate::have : Fate::kept;
  }
  if (listed.kind == EntryKind::directory) return publish_directory(entry, tree);
  if (slot.action == Action::link && is_linked(listed, tree)) return Fate::have;
  if (dry_run_) return Fate::committed;
  const std::string leaf(listed.name.leaf());
  const bool has_parent = slot.file && slot.file->directory();
  const DirectoryPtr parent = has_parent ? slot.file->directory() : tree.make_parent(listed.name);
  tree.make_way(parent, leaf);
  if (slot.action == Action::link) return publish_link(listed, parent, tree);
  if (listed.kind == EntryKind::symlink) {
    const bool published = publish_symlink({.place = tree.partials().place_for(parent),
                                            .directory = parent,
                                            .name = leaf,
                                            .target = listed.link_target,
                                            .metadata = metadata_of(listed),
                                            .user = user_of(listed),
                                            .group = group_of(listed),
                                            .existing = existing_});
    if (!published) return Fate::kept;
  } else if (slot.action == Action::metadata) {
    slot.updated = open_seen({parent, leaf, slot.seen});
    slot.not_set = set_all_metadata(slot.updated.get(), listed,
                                    {metadata_of(listed), tree.privileged_attributes()});
    keep_for_flush(slot);
    return Fate::committed;
  } else if (slot.file->return_to(parent); !slot.file->publish(listed, {existing_, tree.stop()})) {
    return Fate::kept;
  }
  tree.changed(listed.name.directory(), parent);
  return Fate::committed;
}

bool IncomingBatch::is_linked(const Entry& listed, OutputTree& tree) const {
  const auto number_of = [&](const SafeName& name) -> std::optional<LinkedFiles::Number> {
    const DirectoryPtr parent = tree.find_parent(name);
    struct stat status {};
    if (!parent || ::fstatat(parent->get(), std::string(name.leaf()).c_str(), &status,
                             AT_SYMLINK_NOFOLLOW) != 0)
      return std::nullopt;
    return LinkedFiles::Number(status.st_dev, status.st_ino);
  };
  const auto present = number_of(listed.name);
  return present && present == number_of(*listed.metadata->first);
}

Fate IncomingBatch::publish_link(const Entry& listed, const DirectoryPtr& parent,
                                 OutputTree& tree) {
  const std::string leaf(listed.name.leaf());
  const Fd first = tree.linked().find(listed, tree);
  if (!publish_name({.place = tree.partials().place_for(parent),
                     .directory = parent,
                     .name = leaf,
                     .file = first.get(),
                     .existing = existing_}))
    return Fate::kept;
  tree.changed(listed.name.directory(), parent);
  return Fate::committed;
}

void IncomingBatch::note_linked(std::size_t entry, OutputTree& tree) const {
  const Entry& listed = entries_[entry];
  const Slot& slot = slots_[entry];
  if (dry_run_ || !listed.metadata || !listed.metadata->has_other_names) return;
  if (slot.action == Action::replace && slot.file)
    tree.linked().note(listed.name, slot.file->published_as());
  else if (slot.action == Action::have || slot.action == Action::metadata)
    tree.linked().note(listed.name, {slot.seen.device, slot.seen.inode});
}

Fate IncomingBatch::publish_directory(std::size_t entry, OutputTree& tree) {
  const Entry& listed = entries_[entry];
  DirectoryPtr directory = tree.find_directory(listed.name);
  if (!directory && !dry_run_) directory = tree.make_directory(listed.name);
  if (!directory) return Fate::committed;
  FileMetadata present = metadata_of(directory->get());
  const auto before = tree.lent().mode_of(directory->get());
  if (before) present.mode = *before;
  const FileMetadata wanted = directory_metadata(listed, present.mode);
  const bool same = present.mode == wanted.mode && same_time(time_of(wanted), time_of(present)) &&
                    has_metadata(directory->get(), listed, tree.privileged_attributes());
  if (dry_run_) return same ? Fate::have : Fate::committed;
  if (same && !before) {
    tree.found(listed.name.str(), directory);
    return Fate::have;
  }
  FileMetadata for_now = wanted;
  // Another transfer may be at work in it.
  if (LentPermissions::is_lent(directory->get())) for_now.mode |= S_IRWXU;
  slots_[entry].not_set =
      set_all_metadata(directory->get(), listed, {for_now, tree.privileged_attributes()});
  if (!tree.lent().settle(directory->get(), wanted.mode))
    throw errno_error(ErrorKind::local_file, "set its mode", errno);
  tree.changed(listed.name.str(), directory);
  return same ? Fate::have : Fate::committed;
}

FileMetadata IncomingBatch::directory_metadata(const Entry& listed, std::uint32_t mode) const {
  FileMetadata metadata = metadata_of(listed);
  // A set-gid bit that it has from its parent is a choice of this machine.
  if (!intake_.keeps_special_bits()) metadata.mode |= mode & S_ISGID;
  return metadata;
}

}  // namespace adoc
