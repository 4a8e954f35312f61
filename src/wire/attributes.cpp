#include "wire/attributes.hpp"

#include <algorithm>
#include <string>

#include "wire/protocol.hpp"

namespace adoc {

namespace {

constexpr std::string_view kAttributeNamespaces[] = {"user.", "trusted.", "security."};

/// What a name and a value take besides their own bytes, at most.
constexpr std::size_t kLengthBytes = 5;

}  // namespace

bool is_attribute_name(std::string_view name) noexcept {
  return name.find('\0') == std::string_view::npos &&
         std::ranges::any_of(kAttributeNamespaces, [&](std::string_view prefix) {
           return name.starts_with(prefix) && name.size() > prefix.size();
         });
}

void Attributes::add(std::string_view name, ByteSpan value) {
  ByteWriter out(bytes_);
  out.string(name);
  out.varint(value.size());
  out.bytes(value);
  ++count_;
}

bool Attributes::have_room_for(std::string_view name, std::size_t value_bytes) const noexcept {
  return count_ < kMaxAttributes && name.size() <= kMaxAttributeNameBytes &&
         value_bytes <= kMaxAttributeValueBytes &&
         bytes_.size() + name.size() + value_bytes + kLengthBytes <= kMaxAttributesBytes;
}

void Attributes::encode(ByteWriter& out) const {
  out.varint(count_);
  out.bytes(bytes_);
}

Attributes Attributes::decode(ByteReader& in) {
  Attributes attributes;
  attributes.count_ =
      static_cast<std::size_t>(in.bounded(kMaxAttributes, "the number of attributes"));
  ByteReader all = in;
  std::string before;
  for (std::size_t i = 0; i < attributes.count_; ++i) {
    std::string name = in.string(kMaxAttributeNameBytes);
    if (!is_attribute_name(name)) in.fail("an attribute has a name that none may have");
    if (name <= before) in.fail("the names of attributes do not ascend");
    static_cast<void>(in.bytes(
        static_cast<std::size_t>(in.bounded(kMaxAttributeValueBytes, "an attribute's length"))));
    before = std::move(name);
  }
  const std::size_t bytes = all.remaining() - in.remaining();
  if (bytes > kMaxAttributesBytes) in.fail("too much of attributes in one entry");
  const ByteSpan encoded = all.bytes(bytes);
  attributes.bytes_.assign(encoded.begin(), encoded.end());
  return attributes;
}

}  // namespace adoc
