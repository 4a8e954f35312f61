#include "wire/metadata.hpp"

#include "wire/protocol.hpp"

namespace adoc {

namespace {

constexpr std::uint8_t kUser = 1;
constexpr std::uint8_t kGroup = 2;
constexpr std::uint8_t kFirst = 4;
constexpr std::uint8_t kAttributes = 8;
constexpr std::uint8_t kAccess = 16;
constexpr std::uint8_t kDefaultAccess = 32;
constexpr std::uint8_t kHasOtherNames = 64;

/// What an id and two lengths take, at most.
constexpr std::size_t kOwnerBytes = 7;

constexpr std::uint8_t fields_of(Metadata::Of kind) noexcept {
  switch (kind) {
    case Metadata::Of::file:
      return kUser | kGroup | kFirst | kAttributes | kAccess | kHasOtherNames;
    case Metadata::Of::directory:
      return kUser | kGroup | kAttributes | kAccess | kDefaultAccess;
    case Metadata::Of::symlink:
      break;
  }
  return kUser | kGroup;
}

}  // namespace

void Owner::encode(ByteWriter& out) const {
  out.varint(id);
  out.string(name);
}

Owner Owner::decode(ByteReader& in) {
  Owner owner{.id = static_cast<std::uint32_t>(in.bounded(kMaxOwnerId, "an id"))};
  owner.name = in.string(kMaxOwnerNameBytes);
  return owner;
}

std::size_t Metadata::encoded_bytes() const noexcept {
  return 1 + (user ? user->name.size() + kOwnerBytes : 0) +
         (group ? group->name.size() + kOwnerBytes : 0) +
         (first ? first->str().size() + kOwnerBytes : 0) +
         (attributes ? attributes->encoded_bytes() + kOwnerBytes : 0) +
         (access ? access->encoded_bytes() + kOwnerBytes : 0) +
         (default_access ? default_access->encoded_bytes() + kOwnerBytes : 0);
}

void Metadata::encode(ByteWriter& out) const {
  out.u8(static_cast<std::uint8_t>((user ? kUser : 0) | (group ? kGroup : 0) |
                                   (first ? kFirst : 0) | (attributes ? kAttributes : 0) |
                                   (access ? kAccess : 0) | (default_access ? kDefaultAccess : 0) |
                                   (has_other_names ? kHasOtherNames : 0)));
  if (user) user->encode(out);
  if (group) group->encode(out);
  if (first) out.string(first->str());
  if (attributes) attributes->encode(out);
  if (access) access->encode(out);
  if (default_access) default_access->encode(out);
}

Metadata Metadata::decode(ByteReader& in, Of kind) {
  const std::uint8_t fields = in.u8();
  if (fields == 0 || (fields & ~fields_of(kind)) != 0)
    in.fail("metadata " + std::to_string(fields) + " do not fit the kind of their entry");
  Metadata metadata{.has_other_names = (fields & kHasOtherNames) != 0};
  if (metadata.has_other_names && (fields & kFirst) != 0)
    in.fail("a file is the first of its names, or another one");
  if ((fields & kUser) != 0) metadata.user = Owner::decode(in);
  if ((fields & kGroup) != 0) metadata.group = Owner::decode(in);
  if ((fields & kFirst) != 0) metadata.first = SafeName::check(in.string(SafeName::kMaxBytes));
  if ((fields & kAttributes) != 0) metadata.attributes = Attributes::decode(in);
  if ((fields & kAccess) != 0) metadata.access = AccessList::decode(in);
  if ((fields & kDefaultAccess) != 0) metadata.default_access = AccessList::decode(in);
  return metadata;
}

}  // namespace adoc
