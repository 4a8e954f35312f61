#include "golden_parts.hpp"

namespace adoc::golden {

namespace {

Entry file_with(std::string name, Metadata metadata) {
  Entry entry = file(std::move(name), kText.size());
  entry.metadata = std::move(metadata);
  return entry;
}

/// An offer of one file whose metadata no encoder would write.
Bytes offer_with(std::initializer_list<std::uint8_t> metadata) {
  Bytes manifest;
  ByteWriter out(manifest);
  out.u8(1);
  out.u8(8);
  out.string("file");
  out.varint(0644);
  out.signed_varint(kMtime);
  out.varint(0);
  out.varint(kText.size());
  for (const std::uint8_t byte : metadata) out.u8(byte);
  return encode_frame(offer_of(manifest));
}

AccessList some_list() {
  using Kind = AccessRule::Kind;
  return AccessList({{.kind = Kind::owner, .permissions = 6},
                     {.kind = Kind::user, .permissions = 4, .id = 1'000, .name = "somebody"},
                     {.kind = Kind::owning_group, .permissions = 4},
                     {.kind = Kind::group, .permissions = 6, .id = 100, .name = "users"},
                     {.kind = Kind::mask, .permissions = 6},
                     {.kind = Kind::others, .permissions = 0}});
}

}  // namespace

void write_metadata(GoldenDirectory& to) {
  to.good("hello-sender-metadata", Hello{.role = Role::sender, .features = 1'023}.encode());
  const Owner user{1'000, "somebody"};
  const Owner group{0xffff'fffe, ""};
  to.good("offer-file-owner", offer_frame(file_with("owned", {.user = user, .group = group})));
  to.good("offer-file-first", offer_frame(file_with("dir/first", {.has_other_names = true})));
  to.good("offer-file-other-name",
          offer_frame(file_with("dir/other", {.first = SafeName::check("dir/first")})));
  Metadata marked{.user = user, .attributes = Attributes(), .access = some_list()};
  marked.attributes->add("security.capability", as_byte_span("\x01"));
  marked.attributes->add("user.empty", {});
  marked.attributes->add("user.text", as_byte_span("some text"));
  to.good("offer-file-attributes", offer_frame(file_with("marked", marked)));
  Entry directory = file_with(
      "dir", {.attributes = Attributes(), .access = AccessList(), .default_access = some_list()});
  directory.kind = EntryKind::directory;
  directory.size = 0;
  to.good("offer-directory-attributes", offer_frame(directory));
  Entry link = file_with("link", {.user = user, .group = group});
  link.kind = EntryKind::symlink;
  link.size = 0;
  link.link_target = "dir/first";
  to.good("offer-symlink-owner", offer_frame(link));
  to.good("commit-incomplete",
          encode_frame(Commit{
              .batch = 3,
              .items = {{Fate::committed, ""}, {Fate::incomplete, "cannot set its owner"}}}));

  to.bad("offer-metadata-none", "metadata 0 do not fit", offer_with({0}));
  to.bad("offer-metadata-field", "metadata 128 do not fit", offer_with({128}));
  to.bad("offer-metadata-default-list", "metadata 32 do not fit", offer_with({32, 0}));
  to.bad("offer-other-name-upwards", "name ../x is not allowed",
         offer_with({4, 4, '.', '.', '/', 'x'}));
  to.bad("offer-other-name-itself", "another name of that", offer_with({4, 4, 'f', 'i', 'l', 'e'}));
  to.bad("offer-attribute-name", "a name that none may have",
         offer_with({8, 1, 8, 's', 'y', 's', 't', 'e', 'm', '.', 'x', 0}));
  to.bad(
      "offer-attributes-order", "do not ascend",
      offer_with({8, 2, 6, 'u', 's', 'e', 'r', '.', 'x', 0, 6, 'u', 's', 'e', 'r', '.', 'x', 0}));
  to.bad("offer-attributes-too-many", "the number of attributes is 1025",
         offer_with({8, 0x81, 0x08}));
  to.bad("offer-attribute-too-long", "an attribute's length is 65537",
         offer_with({8, 1, 6, 'u', 's', 'e', 'r', '.', 'x', 0x81, 0x80, 0x04}));
  to.bad("offer-access-kind", "no kind of access rule 3", offer_with({16, 1, 3, 7}));
  to.bad("offer-owner-id", "an id is 4294967295", offer_with({1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}));
}

}  // namespace adoc::golden
