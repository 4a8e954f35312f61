// Makes the files of tests/golden/v1, whose bytes are the protocol. They were written once and are
// not written again for version 1: a change of the encoders that changes them breaks the protocol.
//
//   make_golden DIRECTORY        (with the empty directories good and bad in it)

#include <iostream>

#include "golden_parts.hpp"

namespace adoc::golden {
namespace {

void write_good(GoldenDirectory& to) {
  to.good("hello-sender", plain_hello(Role::sender).encode());
  to.good("hello-receiver",
          Hello{.role = Role::receiver, .features = 0x8000000000000001U}.encode());
  to.good("to-receiver", conversation_to_receiver());
  to.good("to-sender", conversation_to_sender());

  to.good("offer-file", offer_frame(file("dir/a name\n\xff", 1'000'000)));
  to.good("offer-file-unknown-size", offer_frame(file("stdin", kUnknownSize)));
  Entry entry = file("before-1970", 3);
  entry.mtime_seconds = -1;
  entry.mtime_nanoseconds = 999'999'999;
  entry.mode = 04755;
  to.good("offer-file-old", offer_frame(entry));
  entry = file("sparse", std::uint64_t{1} << 40);
  entry.data = {{4'096, 4'096}, {std::uint64_t{1} << 39, 65'536}};
  to.good("offer-file-sparse", offer_frame(entry));
  entry.data.emplace();
  to.good("offer-file-all-hole", offer_frame(entry));
  entry = file("hashed", kText.size());
  entry.hash = xxh3_128(as_byte_span(kText));
  to.good("offer-file-hash", offer_frame(entry));
  Entry directory = file("dir", 0);
  directory.kind = EntryKind::directory;
  directory.mode = 0755;
  to.good("offer-directory", offer_frame(directory));
  Entry link = file("dir/link", 0);
  link.kind = EntryKind::symlink;
  link.mode = 0777;
  link.link_target = "../elsewhere";
  to.good("offer-symlink", offer_frame(link));
  const Bytes manifest = encode_manifest({link, entry, directory});
  Offer offer = offer_of(manifest);
  offer.batch = 300;
  offer.last = false;
  offer.dry_run = offer.keep_existing = true;
  to.good("offer-three-flags", encode_frame(offer));
  Offer forced = offer_of(manifest);
  forced.force = true;
  to.good("offer-force", encode_frame(forced));
  to.good("offer-empty", encode_frame(offer_of({})));
  to.good("offer-zlib", encode_frame(offer_of(manifest, CodecId::zlib)));
  to.good("offer-lz4", encode_frame(offer_of(manifest, CodecId::lz4)));
  to.good("offer-zstd", encode_frame(offer_of(manifest, CodecId::zstd)));

  to.good("want-all-verbs",
          encode_frame(Want{.batch = 2,
                            .items = {{Verb::have, {}, ""},
                                      {Verb::keep, {}, ""},
                                      {Verb::take, {}, ""},
                                      {Verb::take, {{0, kUnknownSize}}, ""},
                                      {Verb::take, {{10, 5}, {20, 300}}, ""},
                                      {Verb::refuse, {}, "a directory is in the way"}}}));
  const std::string repeated(20'000, 'r');
  to.good("block-run-raw", block_run(kText, CodecId::raw));
  to.good("block-run-zlib", block_run(repeated, CodecId::zlib));
  to.good("block-run-lz4", block_run(repeated, CodecId::lz4));
  to.good("block-run-zstd", block_run(repeated, CodecId::zstd));
  to.good("block-run-two-packets",
          encode_frame(block_of(kText, CodecId::raw)) + packet(as_byte_span(kText.substr(0, 7))) +
              packet(as_byte_span(kText.substr(7))) + encode_frame(BlockEnd{kText.size()}));
  to.good("skip", encode_frame(Skip{.batch = 1, .offset = 204'800, .length = 1'000'000}));
  to.good("done-failures",
          encode_frame(Done{.batch = 3,
                            .stream_bytes = std::uint64_t{1} << 40,
                            .failures = {{0, "permission denied"},
                                         {kMaxBatchEntries - 1, "it changed while it was read"}}}));
  to.good("commit-all-fates", encode_frame(Commit{.batch = 3,
                                                  .items = {{Fate::committed, ""},
                                                            {Fate::have, ""},
                                                            {Fate::kept, ""},
                                                            {Fate::failed, "no space left"}}}));
  to.good("end-none", encode_frame(End{0}));
  to.good("error", encode_frame(ErrorFrame{.kind = 6, .message = "interrupted"}));
}

MadeUp offer_with(std::uint8_t flags, std::uint64_t raw_bytes, Bytes stored = {}) {
  return {FrameType::offer, [=](ByteWriter& out) {
            out.varint(0);
            out.u8(flags);
            out.u8(0);
            out.varint(raw_bytes);
            out.bytes(stored);
          }};
}

void write_bad_streams(GoldenDirectory& to) {
  const Bytes whole = conversation_to_receiver();
  const Bytes end = encode_frame(End{1});
  to.bad("hello-sender-http", "does not speak AdOC: it began with 'HTTP/1.1 400",
         to_bytes("HTTP/1.1 400 Bad Request\r\n"));
  to.bad("hello-sender-nothing", "without a word", {});
  to.bad("hello-sender-role-9", "role 9",
         Hello{.role = static_cast<Role>(9), .features = 0}.encode());
  to.bad("hello-sender-short", "in the middle of its hello",
         cut(plain_hello(Role::sender).encode(), 1));
  to.bad("hello-sender-version-2", "version 2 of the protocol",
         Hello{.version = 2, .features = 0}.encode());
  to.bad("hello-sender-wrong-role", "is a receiver too", plain_hello(Role::receiver).encode());
  to.bad("to-receiver-no-end", "ends without its end", cut(whole, end.size()));
  to.bad("to-receiver-trailing", "1 bytes after the end", whole + Bytes(1));
  to.bad("to-receiver-trailing-frame", "10 bytes after the end", whole + end);
  to.bad("to-receiver-truncated", "in the middle of a frame", cut(whole, 1));
  to.bad("to-receiver-truncated-header", "in the middle of a frame", cut(whole, end.size() - 3));

  to.bad("frame-over-limit", "the limit is 1048576", header(1, (1 << 20) + 1));
  to.bad("frame-over-limit-max", "the limit is 1048576", header(9, 0xffffffff));
  to.bad("frame-shorter-than-check", "shorter than its check value", header(9, 3) + Bytes(3));
  to.bad("frame-type-0", "no frame type 0", header(0, 0));
  to.bad("frame-type-11", "linked block: it is shorter than its check value", header(11, 0));
  to.bad("frame-type-14", "keep-alive: it is shorter than its check value", header(14, 0));
  to.bad("frame-type-15", "place: it is shorter than its check value", header(15, 0));
  to.bad("frame-type-16", "no frame type 16", header(16, 0));
  to.bad("packet-over-limit", "packet of 1048577 bytes", header(4, (1 << 20) + 1));
  Bytes wrong = end;
  wrong.back() ^= std::byte{1};
  to.bad("end-wrong-check", "its check value does not match", wrong);
  wrong = end;
  wrong[0] = std::byte{5};
  to.bad("end-check-of-another-type", "block end: its check value does not match", wrong);
  to.bad("end-longer-form", "shortest form", octets(FrameType::end, {0x81, 0x00}).frame());
  to.bad("end-above-64-bits", "64 bits",
         MadeUp{FrameType::end,
                [](ByteWriter& out) {
                  for (int i = 0; i < 9; ++i) out.u8(0xff);
                  out.u8(2);
                }}
             .frame());
  to.bad("end-empty", "ends too early", octets(FrameType::end, {}).frame());
  to.bad("end-too-long", "1 bytes too many", octets(FrameType::end, {1, 0}).frame());
}

void write_bad_manifests(GoldenDirectory& to) {
  to.bad("offer-flags", "unknown flags", offer_with(8, 0).frame());
  to.bad("offer-manifest-over-limit", "the manifest's length",
         offer_with(0, kMaxManifestBytes + 1).frame());
  to.bad("offer-manifest-2-63", "the manifest's length",
         offer_with(0, std::uint64_t{1} << 63).frame());
  to.bad("offer-manifest-longer", "corrupt", offer_with(0, 1, Bytes(2)).frame());
  const Bytes manifest = encode_manifest({file("hello.txt", 11)});
  to.bad("offer-manifest-cut", "manifest: it ends too early",
         encode_frame(offer_of(cut(manifest, 1))));
  Bytes many;
  for (std::size_t i = 0; i <= kMaxBatchEntries; ++i) many = many + manifest;
  to.bad("offer-too-many-entries", "too many entries", encode_frame(offer_of(many)));
  to.bad("offer-name-absolute", "it is absolute", offer_named("/x"));
  to.bad("offer-name-component", "a component is too long", offer_named(std::string(256, 'x')));
  to.bad("offer-name-dot", "a component is \".\"", offer_named("."));
  to.bad("offer-name-double-slash", "a component is empty", offer_named("a//b"));
  to.bad("offer-name-empty", "it is empty", offer_named(""));
  to.bad("offer-name-nul", "NUL", offer_named(std::string_view("a\0b", 3)));
  to.bad("offer-name-receivers-own", "a receiver keeps under it", offer_named(".adoc/x"));
  to.bad("offer-name-too-long", "the limit is 4095", offer_named(std::string(5'000, 'x')));
  to.bad("offer-name-upwards", "it leads upwards", offer_named("../x"));
  to.bad("offer-name-upwards-inside", "it leads upwards", offer_named("a/../../x"));
  Entry sparse = file("sparse", 10);
  sparse.data = {{5, 6}};
  to.bad("offer-run-outside", "a run is 6, the limit is 5", offer_frame(sparse));
  sparse.data = {{5, 0}};
  to.bad("offer-run-empty", "a run is empty", offer_frame(sparse));
  Entry mode = file("mode", 0);
  mode.mode = 010000;
  to.bad("offer-mode", "a mode is 4096", offer_frame(mode));
  Entry link = file("link", 0);
  link.kind = EntryKind::symlink;
  to.bad("offer-symlink-nowhere", "a link points nowhere", offer_frame(link));
  link.kind = static_cast<EntryKind>(4);
  to.bad("offer-kind", "no entry kind 4", offer_frame(link));
}

void write_bad_records(GoldenDirectory& to) {
  const std::string repeated(20'000, 'r');
  BlockHeader block = block_of(kText, CodecId::raw);
  const Bytes stored = packet(as_byte_span(kText));
  const Bytes end = encode_frame(BlockEnd{kText.size()});
  to.bad("block-inside-a-block", "inside of a block", encode_frame(block) + encode_frame(block));
  to.bad("block-without-end", "ends without its end", encode_frame(block) + stored);
  to.bad("block-end-other-length", "another stored length",
         encode_frame(block) + stored + encode_frame(BlockEnd{10}));
  to.bad("block-end-alone", "not open", end);
  to.bad("packet-alone", "outside of a block", stored);
  block.checksum ^= 1;
  to.bad("block-wrong-checksum", "checksum does not match", encode_frame(block) + stored + end);
  block.codec = 9;
  to.bad("block-unknown-codec", "codec 9", encode_frame(block) + stored + end);
  block.raw_bytes = 0;
  to.bad("block-empty", "it is empty", encode_frame(block));
  block.raw_bytes = kMaxRawBlockBytes + 1;
  to.bad("block-over-limit", "the limit is 16777216", encode_frame(block));
  block.raw_bytes = std::size_t{1} << 63;
  to.bad("block-2-63", "9223372036854775808", encode_frame(block));
  block = block_of(kText, CodecId::raw);
  block.offset = kUnknownSize;
  to.bad("block-offset", "offset is too large", encode_frame(block));
  for (const CodecId codec : {CodecId::zlib, CodecId::lz4, CodecId::zstd}) {
    const Bytes inflated = compress(codec, 1, as_byte_span(repeated));
    block = block_of(std::string_view(repeated).substr(1), codec);
    to.bad("block-inflates-" + std::string(codec_name(codec)), "is corrupt",
           encode_frame(block) + packet(inflated) + encode_frame(BlockEnd{inflated.size()}));
  }
  to.bad("skip-too-large", "length is too large",
         encode_frame(Skip{.batch = 0, .offset = kUnknownSize, .length = 1}));
  to.bad("want-verb", "no verb 4", octets(FrameType::want, {0, 1, 4}).frame());
  to.bad("want-run-empty", "a run is empty", octets(FrameType::want, {0, 1, 2, 1, 0, 0}).frame());
  to.bad("want-too-many", "the number of items is 513",
         octets(FrameType::want, {0, 0x81, 0x04}).frame());
  to.bad("done-not-ascending", "do not ascend",
         octets(FrameType::done, {0, 0, 2, 1, 0, 1, 0}).frame());
  to.bad("done-index", "an entry's index is 512",
         octets(FrameType::done, {0, 0, 1, 0x80, 0x04, 0}).frame());
  to.bad("commit-fate", "no fate 4", octets(FrameType::commit, {0, 1, 4}).frame());
  to.bad("commit-reason", "a text's length is 1025",
         octets(FrameType::commit, {0, 1, 3, 0x81, 0x08}).frame());
  to.bad("error-kind", "no error kind 8", octets(FrameType::error, {8, 0}).frame());
}

}  // namespace
}  // namespace adoc::golden

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_golden DIRECTORY\n";
    return 2;
  }
  adoc::golden::GoldenDirectory directory(argv[1]);
  adoc::golden::write_good(directory);
  adoc::golden::write_bad_streams(directory);
  adoc::golden::write_bad_manifests(directory);
  adoc::golden::write_bad_records(directory);
  adoc::golden::write_features(directory);
}
