#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "util/atomic_file.hpp"
#include "util/owner_names.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// Which metadata of a sender's this receiver sets. Used by one thread at a time.
class MetadataRights {
 public:
  /// `ids` outlives it; null: nobody has a name here, and nothing is root's.
  /// `privileged_attributes`: with root's rights also those that give rights, as set-uid bits do.
  MetadataRights(const OwnerIds* ids, bool privileged_attributes) noexcept;

  /// Leaves in it what may be set, and has this machine's numbers in the place of names: another
  /// owner is for root to set, a group for its members as well, and of attributes users have
  /// "user." alone.
  void trim(Metadata& metadata) const;

  /// Whether an attribute of this name is set, and removed where the sender has none.
  [[nodiscard]] static bool may_set(std::string_view attribute, bool privileged) noexcept;
  [[nodiscard]] bool privileged_attributes() const noexcept { return privileged_attributes_; }

 private:
  [[nodiscard]] AccessList with_ids(const AccessList& list) const;

  const OwnerIds* ids_;
  bool privileged_attributes_;
};

// Of metadata that were trimmed. What is not in them is left alone.

[[nodiscard]] bool has_owner(const std::optional<Metadata>& metadata,
                             const struct stat& status) noexcept;
/// Whether what is open has these attributes and access lists. `privileged`: as in
/// MetadataRights.
[[nodiscard]] bool has_attributes(int fd, const Metadata& metadata, bool privileged);
[[nodiscard]] inline bool asks_for_attributes(const std::optional<Metadata>& metadata) noexcept {
  return metadata && (metadata->attributes || metadata->access || metadata->default_access);
}

/// What set_metadata() could not set.
struct NotSet {
  std::string reason{};  ///< the first of it, in words that follow the entry's name; or empty
  bool owner = false;    ///< it belongs to somebody else than it should
};
/// Sets on an open file or directory owner, attributes and access lists. To be called before its
/// mode is set: the system takes set-uid bits from what gets another owner.
[[nodiscard]] NotSet set_kept(int fd, const Metadata& metadata, bool privileged);

/// Mode and time, which an entry may have otherwise than they are to be set, and the rights.
struct Setting {
  FileMetadata mode_and_time;
  bool privileged = false;
};
/// Sets all of it, in the right order. Throws Error(local_file) for mode and time; gives what else
/// could not be set, or nothing.
[[nodiscard]] std::string set_all_metadata(int fd, const Entry& entry, Setting setting);

}  // namespace adoc
