#pragma once

#include <sys/stat.h>

#include <map>
#include <string>
#include <utility>

#include "adoc/observer.hpp"
#include "adoc/options.hpp"
#include "util/owner_names.hpp"
#include "util/posix_acl.hpp"
#include "wire/entry.hpp"

namespace adoc {

/// Gives entries what is to be kept of them on request. Used by one thread.
class MetadataReader {
 public:
  explicit MetadataReader(const Keep& keep) : keep_(keep) {}

  /// Owner and group, and of a file that has several names which one came first. To be called once
  /// for each entry that is sent, in their order: all names but those of files that have been seen
  /// in full are remembered.
  void add_owner(Entry& entry, const struct stat& status);
  /// Attributes and access lists of what is open; what cannot be read, or is above the limits, is
  /// not sent and counted.
  void add_attributes(Entry& entry, int fd);

  [[nodiscard]] bool reads_attributes() const noexcept {
    return keep_.attributes || keep_.access_lists;
  }
  [[nodiscard]] const Keep& keep() const noexcept { return keep_; }
  /// Entries whose attributes or access lists were too many, or could not be read.
  [[nodiscard]] std::uint64_t lost_attributes() const noexcept { return lost_attributes_; }
  [[nodiscard]] std::uint64_t lost_access_lists() const noexcept { return lost_access_lists_; }

 private:
  struct Names {
    SafeName first;
    nlink_t left = 0;  ///< that have not been seen
  };

  void add_other_name(Entry& entry, const struct stat& status);
  [[nodiscard]] Owner owner(std::uint32_t id, const std::string& name) const;
  [[nodiscard]] std::optional<Attributes> attributes_of(int fd);
  [[nodiscard]] std::optional<AccessList> access_list_of(int fd, AclKind kind);

  Keep keep_;
  OwnerNames names_;
  std::map<std::pair<dev_t, ino_t>, Names> linked_;
  std::uint64_t lost_attributes_ = 0;
  std::uint64_t lost_access_lists_ = 0;
};

}  // namespace adoc
