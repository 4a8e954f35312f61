#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adoc {

/// A line of an access control list, with the kernel's numbers: acl(5).
struct AclLine {
  std::uint16_t tag = 0;          ///< 1 owner, 2 user, 4 owning group, 8 group, 16 mask, 32 others
  std::uint32_t id = 0;           ///< of a user or group
  std::uint16_t permissions = 0;  ///< 4 read · 2 write · 1 execute

  [[nodiscard]] bool names_somebody() const noexcept { return tag == 2 || tag == 8; }
  auto operator<=>(const AclLine&) const = default;
};

enum class AclKind {
  access,        ///< who may do what
  for_contents,  ///< what is new in a directory gets
};

/// The list of what is open, ascending; empty where it has none. None with errno.
[[nodiscard]] std::optional<std::vector<AclLine>> read_acl(int fd, AclKind kind);

/// Empty: none. False with errno.
[[nodiscard]] bool set_acl(int fd, AclKind kind, const std::vector<AclLine>& lines);

}  // namespace adoc
