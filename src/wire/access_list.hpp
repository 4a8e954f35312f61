#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/bytes.hpp"

namespace adoc {

/// One line of an access control list, as in acl(5).
struct AccessRule {
  /// The values are those of the kernel's.
  enum class Kind : std::uint8_t {
    owner = 1,
    user = 2,
    owning_group = 4,
    group = 8,
    mask = 16,
    others = 32,
  };
  Kind kind = Kind::owner;
  std::uint8_t permissions = 0;  ///< 4 read · 2 write · 1 execute
  std::uint32_t id = 0;          ///< of a user or a group
  std::string name{};            ///< of it there; empty: only the number counts

  [[nodiscard]] bool names_somebody() const noexcept {
    return kind == Kind::user || kind == Kind::group;
  }
  bool operator==(const AccessRule&) const = default;
};

/// An access control list, in the form that it has on the wire; empty: there is none.
///
///   access-list = count:varint ( kind:u8 permissions:u8 ( user, group: id:varint name:string )? )*
class AccessList {
 public:
  AccessList() = default;
  explicit AccessList(const std::vector<AccessRule>& rules);

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t encoded_bytes() const noexcept { return bytes_.size(); }
  [[nodiscard]] bool is_within_limits() const noexcept;
  [[nodiscard]] std::vector<AccessRule> rules() const;
  bool operator==(const AccessList&) const = default;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt), also for more than kMaxAccessRules or kMaxAccessListBytes.
  [[nodiscard]] static AccessList decode(ByteReader& in);

 private:
  Bytes bytes_;
  std::size_t count_ = 0;
};

}  // namespace adoc
