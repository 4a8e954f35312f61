#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "util/bytes.hpp"
#include "util/safe_name.hpp"
#include "wire/access_list.hpp"
#include "wire/attributes.hpp"

namespace adoc {

/// A user or a group at the sender.
///
///   owner = id:varint name:string
struct Owner {
  std::uint32_t id = 0;
  std::string name{};  ///< empty: only the number counts

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Owner decode(ByteReader& in);

  bool operator==(const Owner&) const = default;
};

/// What is kept of an entry on request alone, with Feature::metadata.
///
///   metadata = fields:u8 [user] [group] [first:string] [attributes] [access-list] [access-list]
///   fields   = 1 user · 2 group · 4 first · 8 attributes · 16 access list · 32 default list ·
///              64 the file has other names, which may follow; not with 4
///
/// Attributes and lists are all that there are: what is not among them is to go. A file has no
/// default list, a symbolic link nothing but user and group; other names are a file's.
struct Metadata {
  std::optional<Owner> user{};
  std::optional<Owner> group{};
  /// The file is another name of that of an earlier entry, which has this one.
  std::optional<SafeName> first{};
  bool has_other_names = false;
  std::optional<Attributes> attributes{};
  std::optional<AccessList> access{};
  std::optional<AccessList> default_access{};

  /// Which fields an entry of a kind may have.
  enum class Of { file, directory, symlink };

  [[nodiscard]] bool empty() const noexcept { return *this == Metadata(); }
  [[nodiscard]] std::size_t encoded_bytes() const noexcept;

  void encode(ByteWriter& out) const;
  /// Throws Error(corrupt).
  [[nodiscard]] static Metadata decode(ByteReader& in, Of kind);

  bool operator==(const Metadata&) const = default;
};

}  // namespace adoc
