#include "wire/metadata.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/expect_error.hpp"
#include "support/random_records.hpp"

namespace adoc {
namespace {

using testkit::expect_corrupt;

using Of = Metadata::Of;

Metadata decoded(ByteSpan bytes, Of kind) {
  ByteReader in(bytes, "metadata");
  Metadata metadata = Metadata::decode(in, kind);
  in.expect_end();
  return metadata;
}

void refuses(std::string_view why, ByteSpan bytes, Of kind = Of::file) {
  expect_corrupt(why, [&] { static_cast<void>(decoded(bytes, kind)); });
}

Bytes encoded(const Metadata& metadata) {
  Bytes bytes;
  ByteWriter out(bytes);
  metadata.encode(out);
  return bytes;
}

Bytes with_attributes(const std::vector<std::pair<std::string, std::size_t>>& attributes) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(8);
  out.varint(attributes.size());
  for (const auto& [name, value_bytes] : attributes) {
    out.string(name);
    out.string(std::string(value_bytes, 'v'));
  }
  return bytes;
}

TEST(MetadataTest, AllFieldsComeBack) {
  // Goal: what is written is what is read, of a file and of a directory with all that they can
  // have.
  Metadata file{.user = Owner{0, "root"},
                .group = Owner{0xffff'fffe, ""},
                .first = SafeName::check("dir/first")};
  file.attributes.emplace().add("security.x", as_byte_span("\x01"));
  file.attributes->add("user.empty", {});
  file.attributes->add("user.text", as_byte_span("some text"));
  file.access = AccessList(
      {{.kind = AccessRule::Kind::owner, .permissions = 6},
       {.kind = AccessRule::Kind::user, .permissions = 4, .id = 1'000, .name = "somebody"},
       {.kind = AccessRule::Kind::owning_group, .permissions = 4},
       {.kind = AccessRule::Kind::group, .permissions = 7, .id = 100, .name = ""},
       {.kind = AccessRule::Kind::mask, .permissions = 7},
       {.kind = AccessRule::Kind::others, .permissions = 0}});
  EXPECT_EQ(decoded(encoded(file), Of::file), file);
  EXPECT_LE(encoded(file).size(), file.encoded_bytes());
  EXPECT_EQ(file.access->rules()[1].name, "somebody");

  Metadata directory = file;
  directory.first.reset();
  directory.default_access = file.access;
  EXPECT_EQ(decoded(encoded(directory), Of::directory), directory);
  const Metadata first{.has_other_names = true};
  EXPECT_EQ(decoded(encoded(first), Of::file), first);
  const Metadata none{.attributes = Attributes(), .access = AccessList()};
  EXPECT_EQ(decoded(encoded(none), Of::file), none);
}

TEST(MetadataTest, FieldsThatDoNotFitTheKindAreErrors) {
  // Goal: what an entry cannot have is the peer's fault, before anything of it is read.
  for (const int fields : {0, 128, 32, 255})
    refuses("do not fit the kind", Bytes{static_cast<std::byte>(fields)});
  for (const int fields : {4, 64})
    refuses("do not fit the kind", Bytes{static_cast<std::byte>(fields)}, Of::directory);
  for (const int fields : {4, 8, 16, 32, 64})
    refuses("do not fit the kind", Bytes{static_cast<std::byte>(fields)}, Of::symlink);
  refuses("the first of its names", Bytes{std::byte{4 + 64}});
}

TEST(MetadataTest, NamesThatLeadOutsideAreErrors) {
  // Goal: the name of the file that an entry is another name of is held to the same rules.
  for (const char* const name : {"../x", "/x", "a/../x", "", ".adoc/x", "a//b"}) {
    Bytes bytes;
    ByteWriter out(bytes);
    out.u8(4);
    out.string(name);
    EXPECT_THROW(static_cast<void>(decoded(bytes, Of::file)), Error) << name;
  }
}

TEST(MetadataTest, AnEntryIsNoOtherNameOfItself) {
  // Goal: a file needs a first name, and a size that is known before it is read.
  Entry entry{.name = SafeName::check("same"), .size = 5};
  entry.metadata = Metadata{.first = SafeName::check("same")};
  expect_corrupt("another name of that",
                 [&] { static_cast<void>(decode_manifest(encode_manifest({entry}))); });
  entry.metadata->first = SafeName::check("other");
  EXPECT_EQ(decode_manifest(encode_manifest({entry})).front(), entry);
  entry.size = kUnknownSize;
  expect_corrupt("another name of that",
                 [&] { static_cast<void>(decode_manifest(encode_manifest({entry}))); });
}

TEST(MetadataTest, AttributesOutsideOfTheirNamespacesAreErrors) {
  // Goal: what is no user's, trusted or security attribute never reaches a system call.
  for (const char* const name : {"system.posix_acl_access", "system.nfs4_acl", "user.", "user", "",
                                 "User.x", "btrfs.compression"})
    refuses("a name that none may have", with_attributes({{name, 1}}));
  refuses("a name that none may have", with_attributes({{std::string("user.a\0b", 8), 1}}));
}

TEST(MetadataTest, LimitsOfAttributesHold) {
  // Goal: at each limit attributes are read, one beyond it they are refused.
  const std::string longest = "user." + std::string(kMaxAttributeNameBytes - 5, 'n');
  EXPECT_EQ(
      decoded(with_attributes({{longest, kMaxAttributeValueBytes}}), Of::file).attributes->size(),
      1U);
  EXPECT_THROW(static_cast<void>(decoded(with_attributes({{longest + "n", 1}}), Of::file)), Error);
  refuses("an attribute's length", with_attributes({{"user.a", kMaxAttributeValueBytes + 1}}));
  refuses("do not ascend", with_attributes({{"user.b", 1}, {"user.a", 1}}));
  refuses("do not ascend", with_attributes({{"user.a", 1}, {"user.a", 1}}));
  std::vector<std::pair<std::string, std::size_t>> many;
  for (std::size_t i = 0; i < kMaxAttributes; ++i)
    many.emplace_back("user." + std::to_string(10'000 + i), 0);
  EXPECT_EQ(decoded(with_attributes(many), Of::file).attributes->size(), kMaxAttributes);
  many.emplace_back("user.z", 0);
  refuses("the number of attributes", with_attributes(many));
  many.clear();
  for (std::size_t i = 0; i < kMaxAttributesBytes / kMaxAttributeValueBytes; ++i)
    many.emplace_back("user." + std::to_string(10 + i), kMaxAttributeValueBytes);
  refuses("too much of attributes", with_attributes(many));
}

TEST(MetadataTest, LimitsOfAccessListsHold) {
  // Goal: kinds, permissions, ids, names and numbers of rules are bounded.
  const auto list = [](std::size_t count, auto write) {
    Bytes bytes;
    ByteWriter out(bytes);
    out.u8(16);
    out.varint(count);
    for (std::size_t i = 0; i < count; ++i) write(out);
    return bytes;
  };
  const auto rule = [](std::uint8_t kind, std::uint8_t permissions) {
    return [=](ByteWriter& out) { out.u8(kind), out.u8(permissions); };
  };
  EXPECT_EQ(decoded(list(kMaxAccessRules, rule(1, 7)), Of::file).access->rules().size(),
            kMaxAccessRules);
  refuses("the number of access rules", list(kMaxAccessRules + 1, rule(1, 7)));
  for (const int kind : {0, 3, 64, 128, 255})
    refuses("no kind of access rule", list(1, rule(static_cast<std::uint8_t>(kind), 7)));
  refuses("no such permissions", list(1, rule(1, 8)));
  const auto named = [](std::uint64_t id, std::size_t name_bytes) {
    return [=](ByteWriter& out) {
      out.u8(2), out.u8(7), out.varint(id), out.string(std::string(name_bytes, 'n'));
    };
  };
  refuses("an id", list(1, named(kMaxOwnerId + 1, 0)));
  refuses("too long", list(kMaxAccessListBytes / 250, named(1, kMaxOwnerNameBytes)));
  EXPECT_THROW(static_cast<void>(decoded(list(1, named(1, kMaxOwnerNameBytes + 1)), Of::file)),
               Error);
}

}  // namespace
}  // namespace adoc
