#include "util/posix_acl.hpp"

#include <algorithm>
#include <cerrno>

#include "adoc/error.hpp"
#include "util/bytes.hpp"
#include "util/extended_attributes.hpp"

namespace adoc {

namespace {

// As in linux/posix_acl_xattr.h: little-endian on every machine.
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kNobody = 0xffff'ffff;

const char* name_of(AclKind kind) noexcept {
  return kind == AclKind::access ? "system.posix_acl_access" : "system.posix_acl_default";
}

}  // namespace

std::optional<std::vector<AclLine>> read_acl(int fd, AclKind kind) {
  std::vector<AclLine> lines;
  const auto value = attribute_value(fd, name_of(kind));
  if (!value) {
    const bool has_none = errno == ENODATA || errno == ENOTSUP;
    return has_none ? std::optional(lines) : std::nullopt;
  }
  try {
    ByteReader in(*value, "access list");
    if (in.u32() != kVersion) in.fail("it has another version");
    while (in.remaining() != 0) {
      AclLine line;
      line.tag = in.u16();
      line.permissions = in.u16();
      line.id = in.u32();
      if (!line.names_somebody()) line.id = 0;
      lines.push_back(line);
    }
  } catch (const Error&) {
    errno = EINVAL;
    return std::nullopt;
  }
  std::ranges::sort(lines);
  return lines;
}

bool set_acl(int fd, AclKind kind, const std::vector<AclLine>& lines) {
  if (lines.empty()) return remove_attribute(fd, name_of(kind)) || errno == ENOTSUP;
  Bytes value;
  ByteWriter out(value);
  out.u32(kVersion);
  for (const AclLine& line : lines) {
    out.u16(line.tag);
    out.u16(line.permissions);
    out.u32(line.names_somebody() ? line.id : kNobody);
  }
  return set_attribute(fd, name_of(kind), value);
}

}  // namespace adoc
