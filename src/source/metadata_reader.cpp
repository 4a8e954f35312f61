#include "source/metadata_reader.hpp"

#include <unistd.h>

#include "util/extended_attributes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

Metadata& metadata_of(Entry& entry) {
  return entry.metadata ? *entry.metadata : entry.metadata.emplace();
}

}  // namespace

void MetadataReader::add_owner(Entry& entry, const struct stat& status) {
  if (keep_.owner)
    metadata_of(entry).user =
        owner(status.st_uid, keep_.numeric_ids ? std::string() : names_.user(status.st_uid));
  if (keep_.group)
    metadata_of(entry).group =
        owner(status.st_gid, keep_.numeric_ids ? std::string() : names_.group(status.st_gid));
  if (keep_.hard_links && S_ISREG(status.st_mode) && status.st_nlink > 1)
    add_other_name(entry, status);
}

Owner MetadataReader::owner(std::uint32_t id, const std::string& name) const {
  Owner owner{.id = id};
  if (name.size() <= kMaxOwnerNameBytes) owner.name = name;
  return owner;
}

void MetadataReader::add_other_name(Entry& entry, const struct stat& status) {
  // What has no size before it is read has no contents that another name could share.
  if (entry.size == kUnknownSize) return;
  const std::pair number(status.st_dev, status.st_ino);
  const auto known = linked_.find(number);
  if (known == linked_.end()) {
    linked_.emplace(number, Names{entry.name, status.st_nlink - 1});
    metadata_of(entry).has_other_names = true;
    return;
  }
  metadata_of(entry).first = known->second.first;
  if (--known->second.left == 0) linked_.erase(known);
}

void MetadataReader::add_attributes(Entry& entry, int fd) {
  if (keep_.attributes) {
    if (auto attributes = attributes_of(fd))
      metadata_of(entry).attributes = *std::move(attributes);
    else
      ++lost_attributes_;
  }
  if (!keep_.access_lists) return;
  auto access = access_list_of(fd, AclKind::access);
  const bool is_directory = entry.kind == EntryKind::directory;
  auto for_contents =
      is_directory ? access_list_of(fd, AclKind::for_contents) : std::optional(AccessList());
  if (!access || !for_contents) {
    ++lost_access_lists_;
    return;
  }
  metadata_of(entry).access = *std::move(access);
  if (is_directory) metadata_of(entry).default_access = *std::move(for_contents);
}

std::optional<Attributes> MetadataReader::attributes_of(int fd) {
  const auto names = attribute_names(fd);
  if (!names) return std::nullopt;
  Attributes attributes;
  for (const std::string& name : *names) {
    // As rsync: what only root could set is only root's to send.
    const bool is_sent = name.starts_with("user.") || (is_attribute_name(name) && ::geteuid() == 0);
    if (!is_sent) continue;
    const auto value = attribute_value(fd, name);
    if (!value || !attributes.have_room_for(name, value->size())) return std::nullopt;
    attributes.add(name, *value);
  }
  return attributes;
}

std::optional<AccessList> MetadataReader::access_list_of(int fd, AclKind kind) {
  const auto lines = read_acl(fd, kind);
  if (!lines) return std::nullopt;
  std::vector<AccessRule> rules;
  for (const AclLine& line : *lines) {
    AccessRule rule{.kind = static_cast<AccessRule::Kind>(line.tag),
                    .permissions = static_cast<std::uint8_t>(line.permissions)};
    if (rule.names_somebody()) {
      const std::string& name = keep_.numeric_ids                     ? rule.name
                                : rule.kind == AccessRule::Kind::user ? names_.user(line.id)
                                                                      : names_.group(line.id);
      const Owner somebody = owner(line.id, name);
      rule.id = somebody.id;
      rule.name = somebody.name;
    }
    rules.push_back(std::move(rule));
  }
  AccessList list(rules);
  return list.is_within_limits() ? std::optional(std::move(list)) : std::nullopt;
}

}  // namespace adoc
