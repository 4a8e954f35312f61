#pragma once

#include <cstddef>
#include <string_view>

#include "util/bytes.hpp"

namespace adoc {

/// Extended attributes of one file or directory, by ascending names, in the form that they have on
/// the wire: a peer can name thousands of them in few bytes each, and so they take no more than
/// that here, either.
///
///   attributes = count:varint ( name:string value:string )*
class Attributes {
 public:
  /// Behind the others, whose names are all less.
  void add(std::string_view name, ByteSpan value);

  /// Gives each to `take(name, value)`. The views are of this.
  template <typename Take>
  void for_each(Take take) const {
    ByteReader in(bytes_, "attributes");
    while (in.remaining() != 0) {
      const ByteSpan name = in.bytes(static_cast<std::size_t>(in.varint()));
      const ByteSpan value = in.bytes(static_cast<std::size_t>(in.varint()));
      take(std::string_view(reinterpret_cast<const char*>(name.data()), name.size()), value);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// What they take on the wire.
  [[nodiscard]] std::size_t encoded_bytes() const noexcept { return bytes_.size(); }
  /// Whether one more keeps within the limits.
  [[nodiscard]] bool have_room_for(std::string_view name, std::size_t value_bytes) const noexcept;
  bool operator==(const Attributes&) const = default;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt) for more than the limits allow (protocol.hpp), for a name that is not of
  /// user., trusted. or security., and for names that do not ascend.
  [[nodiscard]] static Attributes decode(ByteReader& in);

 private:
  Bytes bytes_;
  std::size_t count_ = 0;
};

/// Whether an attribute of this name is one of those that are sent as such.
[[nodiscard]] bool is_attribute_name(std::string_view name) noexcept;

}  // namespace adoc
