#include "destination/kept_metadata.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "util/errno_error.hpp"
#include "util/extended_attributes.hpp"
#include "util/posix_acl.hpp"
#include "util/safe_name.hpp"

namespace adoc {

namespace {

constexpr uid_t kNoChange = static_cast<uid_t>(-1);

/// Both are numbers.
constexpr uid_t id_or(const std::optional<Owner>& owner, uid_t otherwise) noexcept {
  return owner ? owner->id : otherwise;
}

std::vector<AclLine> lines_of(const AccessList& list) {
  std::vector<AclLine> lines;
  for (const AccessRule& rule : list.rules())
    lines.push_back({static_cast<std::uint16_t>(rule.kind), rule.id, rule.permissions});
  std::ranges::sort(lines);
  return lines;
}

bool has_list(int fd, AclKind kind, const std::optional<AccessList>& list) {
  if (!list) return true;
  const auto present = read_acl(fd, kind);
  return present && *present == lines_of(*list);
}

/// The first that fails is what is told.
class Failures {
 public:
  void note(std::string_view action) {
    if (first_.empty()) first_ = errno_error(ErrorKind::local_file, action, errno).what();
  }
  [[nodiscard]] std::string take() noexcept { return std::move(first_); }

 private:
  std::string first_;
};

void set_attributes(int fd, const Attributes& attributes, bool privileged, Failures& failures) {
  std::vector<std::string> extra;
  const auto present = attribute_names(fd);
  if (!present) return failures.note("list its extended attributes");
  for (const std::string& name : *present)
    if (MetadataRights::may_set(name, privileged)) extra.push_back(name);
  attributes.for_each([&](std::string_view name, ByteSpan value) {
    const std::string text(name);
    std::erase(extra, text);
    const auto had = attribute_value(fd, text);
    if (had && std::ranges::equal(*had, value)) return;
    if (!set_attribute(fd, text, value))
      failures.note("set its extended attribute " + adoc::quoted(text));
  });
  for (const std::string& name : extra)
    if (!remove_attribute(fd, name))
      failures.note("remove its extended attribute " + adoc::quoted(name));
}

void set_list(int fd, AclKind kind, const std::optional<AccessList>& list, Failures& failures) {
  if (list && !set_acl(fd, kind, lines_of(*list))) failures.note("set its access control list");
}

}  // namespace

MetadataRights::MetadataRights(const OwnerIds* ids, bool privileged_attributes) noexcept
    : ids_(ids),
      privileged_attributes_(privileged_attributes && ids != nullptr && ids->is_root()) {}

bool MetadataRights::may_set(std::string_view attribute, bool privileged) noexcept {
  return attribute.starts_with("user.") || (privileged && is_attribute_name(attribute));
}

void MetadataRights::trim(Metadata& metadata) const {
  const bool is_root = ids_ != nullptr && ids_->is_root();
  if (!is_root) metadata.user.reset();
  if (metadata.user) metadata.user = Owner{ids_->user(metadata.user->name, metadata.user->id)};
  if (metadata.group && ids_ != nullptr)
    metadata.group = Owner{ids_->group(metadata.group->name, metadata.group->id)};
  if (metadata.group && !is_root && (ids_ == nullptr || !ids_->is_own_group(metadata.group->id)))
    metadata.group.reset();
  if (metadata.attributes) {
    Attributes kept;
    metadata.attributes->for_each([&](std::string_view name, ByteSpan value) {
      if (may_set(name, privileged_attributes_)) kept.add(name, value);
    });
    if (kept.size() != metadata.attributes->size()) metadata.attributes = std::move(kept);
  }
  if (metadata.access) metadata.access = with_ids(*metadata.access);
  if (metadata.default_access) metadata.default_access = with_ids(*metadata.default_access);
}

AccessList MetadataRights::with_ids(const AccessList& list) const {
  std::vector<AccessRule> rules = list.rules();
  for (AccessRule& rule : rules) {
    if (ids_ != nullptr && rule.kind == AccessRule::Kind::user)
      rule.id = ids_->user(rule.name, rule.id);
    if (ids_ != nullptr && rule.kind == AccessRule::Kind::group)
      rule.id = ids_->group(rule.name, rule.id);
    rule.name.clear();
  }
  return AccessList(rules);
}

bool has_owner(const std::optional<Metadata>& metadata, const struct stat& status) noexcept {
  return !metadata || (id_or(metadata->user, status.st_uid) == status.st_uid &&
                       id_or(metadata->group, status.st_gid) == status.st_gid);
}

bool has_attributes(int fd, const Metadata& metadata, bool privileged) {
  if (metadata.attributes) {
    const auto names = attribute_names(fd);
    if (!names) return false;
    Attributes present;
    for (const std::string& name : *names) {
      if (!MetadataRights::may_set(name, privileged)) continue;
      const auto value = attribute_value(fd, name);
      if (!value || !present.have_room_for(name, value->size())) return false;
      present.add(name, *value);
    }
    if (present != *metadata.attributes) return false;
  }
  return has_list(fd, AclKind::access, metadata.access) &&
         has_list(fd, AclKind::for_contents, metadata.default_access);
}

NotSet set_kept(int fd, const Metadata& metadata, bool privileged) {
  NotSet not_set;
  Failures failures;
  struct stat status {};
  const bool is_known = ::fstat(fd, &status) == 0;
  const uid_t user = id_or(metadata.user, kNoChange);
  const gid_t group = id_or(metadata.group, kNoChange);
  if ((!is_known || !has_owner(metadata, status)) && ::fchown(fd, user, group) != 0) {
    failures.note("set its owner");
    not_set.owner = true;
  }
  if (metadata.attributes) set_attributes(fd, *metadata.attributes, privileged, failures);
  set_list(fd, AclKind::access, metadata.access, failures);
  set_list(fd, AclKind::for_contents, metadata.default_access, failures);
  not_set.reason = failures.take();
  return not_set;
}

std::string set_all_metadata(int fd, const Entry& entry, Setting setting) {
  NotSet not_set;
  if (entry.metadata) not_set = set_kept(fd, *entry.metadata, setting.privileged);
  // They would be another one's rights.
  if (not_set.owner) setting.mode_and_time.mode &= ~static_cast<std::uint32_t>(S_ISUID | S_ISGID);
  set_metadata(fd, setting.mode_and_time);
  return not_set.reason;
}

}  // namespace adoc
