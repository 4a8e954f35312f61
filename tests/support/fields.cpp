#include "support/fields.hpp"

#include <set>

namespace adoc::testkit {

namespace {

std::uint64_t largest(Field::Form form) noexcept {
  switch (form) {
    case Field::Form::u8:
      return 0xff;
    case Field::Form::u16:
      return 0xffff;
    case Field::Form::u32:
      return 0xffff'ffff;
    default:
      return ~std::uint64_t{0};
  }
}

void write_field(const Field& field, ByteWriter& out) {
  switch (field.form) {
    case Field::Form::u8:
      return out.u8(static_cast<std::uint8_t>(field.value));
    case Field::Form::u16:
      return out.u16(static_cast<std::uint16_t>(field.value));
    case Field::Form::u32:
      return out.u32(static_cast<std::uint32_t>(field.value));
    case Field::Form::u64:
      return out.u64(field.value);
    case Field::Form::varint:
      return out.varint(field.value);
  }
}

}  // namespace

void write_parts(const Parts& parts, ByteWriter& out) {
  for (const Part& part : parts) {
    write_field(part.field, out);
    out.bytes(part.after);
  }
}

std::vector<Mutation> mutations(const Parts& parts) {
  std::vector<Mutation> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Field& field = parts[i].field;
    const std::uint64_t top = largest(field.form);
    std::set<std::uint64_t> values{0, (field.value + 1) & top, (std::uint64_t{1} << 63) & top, top};
    values.erase(field.value);
    for (const std::uint64_t value : values) {
      Mutation& mutation = all.emplace_back(
          Mutation{std::string(field.name) + "=" + std::to_string(value), field.free, parts});
      mutation.parts[i].field.value = value;
    }
  }
  return all;
}

}  // namespace adoc::testkit
