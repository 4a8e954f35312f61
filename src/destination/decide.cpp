#include "destination/decide.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "destination/kept_metadata.hpp"
#include "destination/same_time.hpp"
#include "util/errno_error.hpp"
#include "util/hash_file.hpp"
#include "util/own_permissions.hpp"

namespace adoc {

namespace {

bool same_link(const Entry& entry, const struct stat& status, const DirectoryPtr& parent) {
  if (!S_ISLNK(status.st_mode) || !same_time(entry, status) || !has_owner(entry.metadata, status))
    return false;
  std::string target(entry.link_target.size() + 1, '\0');
  const ssize_t length = ::readlinkat(parent->get(), std::string(entry.name.leaf()).c_str(),
                                      target.data(), target.size());
  return length == std::ssize(entry.link_target) && target.starts_with(entry.link_target);
}

/// To compare contents may change `status`: a file of ours that we may not read is made readable
/// for a moment.
bool same_contents(const Entry& entry, struct stat& status, const DirectoryPtr& parent,
                   const std::stop_token& stop) {
  if (entry.size != static_cast<std::uint64_t>(status.st_size)) return false;
  if (!entry.hash) return same_time(entry, status);
  struct stat opened {};
  const Fd file = open_for_reading(parent->get(), std::string(entry.name.leaf()), opened);
  if (!file || FileState(opened) != FileState(status)) return false;
  if (::fstat(file.get(), &status) != 0) return false;
  return hash_file(file.get(), stop) == *entry.hash;
}

bool same_attributes(const Entry& entry, const DirectoryPtr& parent, const OutputTree& tree) {
  if (!asks_for_attributes(entry.metadata)) return true;
  struct stat opened {};
  const Fd file = open_for_reading(parent->get(), std::string(entry.name.leaf()), opened);
  return file && has_attributes(file.get(), *entry.metadata, tree.privileged_attributes());
}

Decided decide_file(const Entry& entry, struct stat status, const DirectoryPtr& parent,
                    const OutputTree& tree) {
  if (!S_ISREG(status.st_mode) || !same_contents(entry, status, parent, tree.stop()))
    return {Action::replace, {}};
  const FileState seen(status);
  const bool same_mode = (status.st_mode & 07777) == entry.mode;
  if (same_mode && same_time(entry, status) && has_owner(entry.metadata, status) &&
      same_attributes(entry, parent, tree))
    return {Action::have, {}, seen};
  // Another name of the file may be anywhere, and its mode is nothing that a sender decides on.
  return {status.st_nlink == 1 ? Action::metadata : Action::replace, {}, seen};
}

}  // namespace

Decided decide(const Entry& entry, bool keep_existing, OutputTree& tree) {
  try {
    const DirectoryPtr parent = tree.find_parent(entry.name);
    const Action if_missing = entry.is_other_name() ? Action::link : Action::replace;
    if (!parent) return {if_missing, {}};
    struct stat status {};
    if (::fstatat(parent->get(), std::string(entry.name.leaf()).c_str(), &status,
                  AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return {if_missing, {}};
      throw errno_error(ErrorKind::local_file, "look at what is there", errno);
    }
    const bool is_directory = S_ISDIR(status.st_mode);
    if (entry.kind == EntryKind::directory) {
      // Its time changes while its contents are committed, so it is compared only at the end.
      if (is_directory) return {Action::replace, {}};
      if (tree.force()) return {Action::replace, {}};
      return {Action::refuse, "something that is not a directory has its name"};
    }
    if (is_directory && tree.force()) return {if_missing, {}};
    if (is_directory) return {Action::refuse, "a directory has its name"};
    if (keep_existing) return {Action::keep, {}};
    if (entry.is_other_name()) return {Action::link, {}};
    if (entry.kind == EntryKind::symlink)
      return {
          same_link(entry, status, parent) ? Action::have : Action::replace, {}, FileState(status)};
    return decide_file(entry, status, parent, tree);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    return {Action::refuse, error.what()};
  }
}

void look_again(const Entry& entry, const Decided& decided, OutputTree& tree) {
  const DirectoryPtr parent = tree.find_parent(entry.name);
  struct stat status {};
  const bool found = parent && ::fstatat(parent->get(), std::string(entry.name.leaf()).c_str(),
                                         &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (!found)
    throw Error(ErrorKind::local_file,
                "it was there and was removed meanwhile: the same command sends it");
  if (decided.action == Action::have && FileState(status) != decided.seen)
    throw Error(ErrorKind::local_file,
                "it was there and was changed meanwhile: the same command sends it");
}

}  // namespace adoc
