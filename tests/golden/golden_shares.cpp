#include "golden_parts.hpp"

namespace adoc::golden {

namespace {

Entry shared_file() {
  Entry entry = file("dir/large", 50'000'000);
  entry.share = {.shard = {2, 8}, .changed_seconds = 1'700'000'000, .changed_nanoseconds = 5};
  return entry;
}

/// An offer of one file, with such flags, whose share no encoder would write.
Bytes offer_of_share(std::uint8_t flags, std::initializer_list<std::uint8_t> rest) {
  Bytes manifest;
  ByteWriter out(manifest);
  out.u8(1);
  out.u8(flags);
  out.string("file");
  out.varint(0644);
  out.signed_varint(0);
  out.varint(0);
  for (const std::uint8_t byte : rest) out.u8(byte);
  return encode_frame(offer_of(manifest));
}

void write_lossy(GoldenDirectory& to) {
  to.good("hello-receiver-lossy", Hello{.role = Role::receiver, .features = 65'536}.encode());
  Entry entry = file("dir/numbers", 4'000'000);
  entry.lossy = Lossy{ItemType::float32, Lossy::Mode::absolute, 0.5};
  to.good("offer-lossy", offer_frame(entry));
  entry.hash = xxh3_128(as_byte_span(kText));
  entry.share = {.shard = {2, 8}};
  entry.lossy = Lossy{ItemType::complex128, Lossy::Mode::snr, 40};
  to.good("offer-lossy-share-hash", offer_frame(entry));
  entry.lossy = Lossy{ItemType::float64, Lossy::Mode::absolute, 0.5, true};
  to.good("offer-lossy-predicted", offer_frame(entry));
  // Of a size, then as no encoder would write it: 0.5 is 3fe0000000000000.
  to.bad("offer-lossy-type", "no type of numbers 15",
         offer_of_share(32, {4, 15, 2, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
  to.bad("offer-lossy-mode", "no lossy mode 5",
         offer_of_share(32, {4, 11, 5, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
  to.bad("offer-lossy-predicted-mode", "no lossy mode 21",
         offer_of_share(32, {4, 11, 21, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
  to.bad("offer-lossy-predicted-type", "such numbers are not predicted",
         offer_of_share(32, {4, 3, 18, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
  to.bad("offer-lossy-predicted-lsb", "such numbers are not predicted",
         offer_of_share(32, {4, 11, 17, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
  to.bad("offer-lossy-negative", "no such bound",
         offer_of_share(32, {4, 11, 2, 0, 0, 0, 0, 0, 0, 0xe0, 0xbf}));
  to.bad("offer-lossy-infinite", "no such bound",
         offer_of_share(32, {4, 11, 2, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f}));
  to.bad("offer-lossy-cut", "it ends too early", offer_of_share(32, {4, 11, 2, 0, 0}));
}

}  // namespace

void write_shares(GoldenDirectory& to) {
  to.good("hello-receiver-shares", Hello{.role = Role::receiver, .features = 8'192}.encode());
  Entry entry = shared_file();
  to.good("offer-share", offer_frame(entry));
  entry.data = {{4'096, 4'096}, {30'000'000, 65'536}};
  entry.hash = xxh3_128(as_byte_span(kText));
  entry.share->changed_seconds = -1;
  to.good("offer-share-sparse-hash", offer_frame(entry));
  to.good("commit-part",
          encode_frame(Commit{.batch = 1, .items = {{Fate::part, ""}, {Fate::committed, ""}}}));
  to.bad("offer-share-none", "no such shard", offer_of_share(16, {1, 0, 2, 0, 0}));
  to.bad("offer-share-beyond", "no such shard", offer_of_share(16, {1, 3, 2, 0, 0}));
  to.bad("offer-share-too-many", "the number of shards is 65536",
         offer_of_share(16, {1, 1, 0x80, 0x80, 0x04, 0, 0}));
  to.bad("offer-share-size-unknown", "flags 17 do not fit", offer_of_share(17, {1, 2, 0, 0}));
  to.bad("offer-share-cut", "it ends too early", offer_of_share(16, {1, 1, 2, 0}));
  write_lossy(to);
}

}  // namespace adoc::golden
