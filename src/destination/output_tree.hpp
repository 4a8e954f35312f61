#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "destination/first_names.hpp"
#include "destination/intake.hpp"
#include "destination/lent_permissions.hpp"
#include "destination/linked_files.hpp"
#include "destination/partial_store.hpp"
#include "util/atomic_file.hpp"
#include "util/safe_name.hpp"

namespace adoc {

/// The directories below the destination. No link below it is followed, whoever made it and
/// whenever, and nothing outside is reached, whatever is moved or linked meanwhile. A directory
/// that is moved after it was opened stays the same directory: what is written in it goes along, as
/// if it had been moved afterwards.
///
/// What is in such a directory is to be named by one component and O_NOFOLLOW, which is as safe.
/// All members throw Error(local_file), in words that follow the entry's name. Used by one thread.
class OutputTree {
 public:
  struct Setup {
    /// What takes its time in the tree throws Error(interrupted) soon after a stop request.
    std::stop_token stop{};
    Intake* intake =
        nullptr;  ///< that directories are counted by before they are made; may be null
  };
  explicit OutputTree(DirectoryPtr root) : OutputTree(std::move(root), {}) {}
  OutputTree(DirectoryPtr root, Setup setup)
      : root_(std::move(root)),
        partials_(root_, setup.stop),
        lent_(root_),
        setup_(std::move(setup)) {}

  [[nodiscard]] const std::stop_token& stop() const noexcept { return setup_.stop; }
  /// Throws Error(interrupted) after a stop request.
  void go_on() const;

  /// The directory that `name` lies in; missing ones are made, readable by us alone until their own
  /// entry comes.
  [[nodiscard]] DirectoryPtr make_parent(const SafeName& name);
  /// Null when it does not exist; that answer is kept until flush().
  [[nodiscard]] DirectoryPtr find_parent(const SafeName& name);
  /// The directory `name` itself; null when it does not exist.
  [[nodiscard]] DirectoryPtr find_directory(const SafeName& name) {
    return open(name.str(), false);
  }
  /// The same, made when missing.
  [[nodiscard]] DirectoryPtr make_directory(const SafeName& name) { return open(name.str(), true); }

  /// From now on: whether what is not a directory gives way to one that is made, and the reverse.
  void set_force(bool force) noexcept { force_ = force; }
  [[nodiscard]] bool force() const noexcept { return force_; }
  /// Removes a directory, with all that is in it, whose name in `parent` a file or link is to get.
  /// Nothing is done without force, or where there is none.
  void make_way(const DirectoryPtr& parent, const std::string& name);

  /// Where files lie until they get their names.
  [[nodiscard]] PartialStore& partials() noexcept { return partials_; }

  [[nodiscard]] const DirectoryPtr& root() const noexcept { return root_; }
  /// What our own directories were given so that we can work in them.
  [[nodiscard]] LentPermissions& lent() noexcept { return lent_; }
  /// Files that are to get other names.
  [[nodiscard]] LinkedFiles& linked() noexcept { return linked_; }
  /// As in MetadataRights.
  [[nodiscard]] bool privileged_attributes() const noexcept {
    return setup_.intake != nullptr && setup_.intake->rights().privileged_attributes();
  }
  /// Names that the file system may take for one.
  [[nodiscard]] FirstNames& first_names() noexcept { return first_names_; }

  /// Notes that the directory of this path (empty: the destination), which is open as `directory`,
  /// has a new name in it, or another mode or time.
  void changed(std::string_view path, const DirectoryPtr& directory);
  /// The same of one in which something was found as it is to be: whoever put it there may have
  /// been gone before it was flushed. What was changed long ago was written by the system since.
  void found(std::string_view path, const DirectoryPtr& directory);
  /// Has the file system of the destination write out everything and waits for it. Tells nothing of
  /// what failed, and does not reach file systems that are mounted further down: each file is to be
  /// flushed after it all the same.
  void flush_file_system() const noexcept;
  /// Flushes all directories that have changed since the last call, and those on the way to them:
  /// whoever made one for another batch, or in another session, may not have flushed its name yet.
  void flush();

 private:
  [[nodiscard]] DirectoryPtr parent(const SafeName& name, bool make);
  [[nodiscard]] DirectoryPtr open(std::string_view path, bool make);
  /// Throws if the first component of a name means the receiver's own directory.
  void refuse_own(std::string_view component) const;
  /// The same of a directory at the top that was just made; removes it then.
  void expect_foreign_directory(const std::string& made) const;
  /// Component by component: what makes the missing ones, what tells which one is at fault, and the
  /// way to open where the system does not open the whole path safely at once.
  [[nodiscard]] DirectoryPtr walk(std::string_view path, bool make);
  /// Where a walk begins: the deepest directory of the path that can be opened in one step, and
  /// where its rest begins in the path; at the destination if the system knows no such step.
  struct Start {
    DirectoryPtr directory;
    std::size_t rest;
  };
  [[nodiscard]] Start deepest(std::string_view path) const;
  /// A directory on the way.
  struct Place {
    int parent;
    const std::string& name;
    std::string_view path;  ///< its own, below the root
  };
  // These do what they can with permissions that our own directories are lent.
  [[nodiscard]] Fd open(const Place& place);
  /// Returns as well when there is one by now.
  void make_directory(const Place& place);
  [[nodiscard]] bool lend_parent(const Place& place);
  struct Changed {
    std::string path;
    dev_t device;
    ino_t inode;
  };
  /// A directory that is flushed, as are all on the way to it.
  struct Flushed {
    DirectoryPtr directory;
    std::string_view path;
  };
  /// Flushes the directory of the path and those on the way, but for those on the way to `latest`,
  /// which it then is. Tells whether the path still led to `device` and `inode`.
  [[nodiscard]] bool flush(const Changed& changed, Flushed& latest) const;

  /// Whether something else has the name of a directory, and may be removed for it.
  [[nodiscard]] bool gives_way(const Place& place, int error_number) const noexcept;

  DirectoryPtr root_;
  PartialStore partials_;
  LentPermissions lent_;
  FirstNames first_names_;
  LinkedFiles linked_;
  Setup setup_;
  std::string latest_path_;  ///< entries come directory by directory, so the latest one serves most
  DirectoryPtr latest_;
  bool latest_for_writing_ = false;  ///< it was opened to be written in
  bool force_ = false;
  std::string missing_path_;      ///< that was looked for last and not found
  std::vector<Changed> changed_;  ///< by path: an open directory each would be too many
};

/// Opens the destination itself, making it and its parents when missing; their names are on the
/// disk then. Throws Error(local_file).
[[nodiscard]] DirectoryPtr open_destination(const std::string& path);

/// Throws Error(local_file) when the destination that was opened by this path was removed, or the
/// path leads to another directory by now: nobody would find what is written in it.
void expect_named(const DirectoryPtr& destination, const std::string& path);

}  // namespace adoc
