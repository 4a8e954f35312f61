#include "wire/access_list.hpp"

#include <bit>

#include "wire/protocol.hpp"

namespace adoc {

namespace {

constexpr std::uint8_t kLastKind = 32;
constexpr std::uint8_t kAllPermissions = 7;

AccessRule read_rule(ByteReader& in) {
  const std::uint8_t kind = in.u8();
  if (!std::has_single_bit(kind) || kind > kLastKind)
    in.fail("there is no kind of access rule " + std::to_string(kind));
  AccessRule rule{.kind = static_cast<AccessRule::Kind>(kind), .permissions = in.u8()};
  if (rule.permissions > kAllPermissions) in.fail("there are no such permissions");
  if (!rule.names_somebody()) return rule;
  rule.id = static_cast<std::uint32_t>(in.bounded(kMaxOwnerId, "an id"));
  rule.name = in.string(kMaxOwnerNameBytes);
  return rule;
}

}  // namespace

AccessList::AccessList(const std::vector<AccessRule>& rules) : count_(rules.size()) {
  ByteWriter out(bytes_);
  for (const AccessRule& rule : rules) {
    out.u8(static_cast<std::uint8_t>(rule.kind));
    out.u8(rule.permissions);
    if (!rule.names_somebody()) continue;
    out.varint(rule.id);
    out.string(rule.name);
  }
}

std::vector<AccessRule> AccessList::rules() const {
  ByteReader in(bytes_, "access list");
  std::vector<AccessRule> rules;
  while (in.remaining() != 0) rules.push_back(read_rule(in));
  return rules;
}

bool AccessList::is_within_limits() const noexcept {
  return count_ <= kMaxAccessRules && bytes_.size() <= kMaxAccessListBytes;
}

void AccessList::encode(ByteWriter& out) const {
  out.varint(count_);
  out.bytes(bytes_);
}

AccessList AccessList::decode(ByteReader& in) {
  AccessList list;
  list.count_ = static_cast<std::size_t>(in.bounded(kMaxAccessRules, "the number of access rules"));
  ByteReader all = in;
  for (std::size_t i = 0; i < list.count_; ++i) static_cast<void>(read_rule(in));
  const std::size_t bytes = all.remaining() - in.remaining();
  if (bytes > kMaxAccessListBytes) in.fail("an access list is too long");
  const ByteSpan encoded = all.bytes(bytes);
  list.bytes_.assign(encoded.begin(), encoded.end());
  return list;
}

}  // namespace adoc
