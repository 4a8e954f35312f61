#pragma once

#include <sys/types.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace adoc {

/// The names of this machine's users and groups, each asked for once. Used by one thread.
class OwnerNames {
 public:
  /// Empty for one that has none.
  [[nodiscard]] const std::string& user(uid_t id);
  [[nodiscard]] const std::string& group(gid_t id);

 private:
  std::unordered_map<uid_t, std::string> users_;
  std::unordered_map<gid_t, std::string> groups_;
};

/// The users and groups of this machine as /etc/passwd and /etc/group had them when this was made:
/// a process that is confined cannot look there. May be used by several threads.
class OwnerIds {
 public:
  /// Knows none.
  OwnerIds() = default;
  /// Reads both; what cannot be read has nobody in it.
  [[nodiscard]] static OwnerIds read();

  /// The id of the name here, or the given one where there is no such name. 0 is root everywhere,
  /// and a name that root has there means no one else.
  [[nodiscard]] uid_t user(const std::string& name, uid_t id) const;
  [[nodiscard]] gid_t group(const std::string& name, gid_t id) const;
  /// Whether the process may give files to the group although it is not root's.
  [[nodiscard]] bool is_own_group(gid_t id) const;
  [[nodiscard]] bool is_root() const noexcept { return is_root_; }

 private:
  std::unordered_map<std::string, uid_t> users_;
  std::unordered_map<std::string, gid_t> groups_;
  std::vector<gid_t> own_groups_;
  bool is_root_ = false;
};

}  // namespace adoc
