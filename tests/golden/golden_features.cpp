#include "codec/byte_filter.hpp"
#include "golden_parts.hpp"
#include "wire/arrived.hpp"
#include "wire/bundle_record.hpp"
#include "wire/keep_alive.hpp"
#include "wire/place.hpp"
#include "wire/status.hpp"
#include "wire/streams.hpp"

namespace adoc::golden {
namespace {

struct LinkedRun {
  std::string_view raw{};
  std::uint64_t offset = 0;
  CodecId codec = CodecId::zstd;
  std::string_view prefix{};

  [[nodiscard]] Bytes opening(std::size_t prefix_bytes) const {
    BlockHeader block = block_of(raw, codec);
    block.offset = offset;
    return encode_frame(LinkedBlockHeader{.block = block, .prefix_bytes = prefix_bytes});
  }
  [[nodiscard]] Bytes frames() const {
    const Bytes stored = compress(codec, 19, as_byte_span(raw), as_byte_span(prefix));
    return opening(prefix.size()) + packet(stored) + encode_frame(BlockEnd{stored.size()});
  }
};

/// A block of the first `raw_bytes` of the text, whose header announced all of it.
Bytes cut_run(std::string_view text, std::size_t raw_bytes) {
  const ByteSpan raw = as_byte_span(text).first(raw_bytes);
  const Bytes stored = compress(CodecId::zstd, 1, raw);
  return encode_frame(block_of(text, CodecId::zstd)) + packet(stored) +
         encode_frame(
             Cut{.stored_bytes = stored.size(), .raw_bytes = raw_bytes, .checksum = xxh3_64(raw)});
}

void write_good_features(GoldenDirectory& to) {
  const std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  const std::string words = std::string(letters) + "0123456789" + std::string(letters);
  const LinkedRun first{.raw = words};
  const LinkedRun second{.raw = "0123456789abcdefghijklm", .offset = 62, .prefix = words};
  const LinkedRun raw{.raw = "#!", .offset = 85, .codec = CodecId::raw};
  const LinkedRun last{.raw = "hijklm#!hijklm#!", .offset = 87, .prefix = "hijklm#!"};
  to.good("linked-block-runs", first.frames() + second.frames() + raw.frames() + last.frames());
  to.good("linked-block-run-anew", first.frames() + block_run(kText, CodecId::raw) +
                                       LinkedRun{.raw = words, .offset = 73}.frames());
  to.good("block-run-cut", cut_run(std::string(20'000, 'r'), 12'345));
  to.good(
      "linked-block-run-cut",
      first.opening(0) + packet(compress(CodecId::zstd, 1, as_byte_span(letters))) +
          encode_frame(Cut{.stored_bytes = compress(CodecId::zstd, 1, as_byte_span(letters)).size(),
                           .raw_bytes = letters.size(),
                           .checksum = xxh3_64(as_byte_span(letters))}) +
          LinkedRun{.raw = letters, .offset = 26, .prefix = letters}.frames());
  to.good("status", encode_frame(Status{.interval_us = 100'123,
                                        .stalled_us = 40'000,
                                        .decompressed_bytes = 12'582'912,
                                        .decompressing_us = 150'000,
                                        .written_bytes = 8'388'608,
                                        .writing_us = 90'000}));
  to.good("hello-sender-features", Hello{.role = Role::sender, .features = 7}.encode());
  to.good("to-sender-status",
          Hello{.role = Role::receiver, .features = 7}.encode() + encode_frame(Status{}) +
              encode_frame(Want{.batch = 0, .items = {}}) +
              encode_frame(Status{.interval_us = 50'000}) +
              encode_frame(Commit{.batch = 0, .items = {}}) + encode_frame(End{1}));
}

/// What Feature::matches brought.
void write_matches(GoldenDirectory& to) {
  const std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  const std::string twice = "<" + std::string(letters) + ">" + std::string(letters);
  const auto run = [](std::string_view raw, std::uint64_t offset, const std::vector<Match>& matches,
                      std::string_view literals) {
    BlockHeader block = block_of(raw, CodecId::raw);
    block.offset = offset;
    return encode_frame(MatchedBlockHeader{.block = block, .matches = matches}) +
           (literals.empty() ? Bytes() : packet(as_byte_span(literals))) +
           encode_frame(BlockEnd{literals.size()});
  };
  to.good("hello-receiver-matches", Hello{.role = Role::receiver, .features = 2'048}.encode());
  to.good("matched-block-runs", run(letters, 0, {}, letters) +
                                    run(twice, 36, {{1, 36, 36}, {1, 36, 36}}, "<>") +
                                    run(letters, 110, {{0, 36, 73}}, ""));
  BlockHeader block = block_of(letters, CodecId::raw);
  to.bad("matched-block-own", "its own block",
         encode_frame(MatchedBlockHeader{.block = block, .matches = {{0, 36, 35}}}));
}

/// What Feature::filters brought.
void write_filters(GoldenDirectory& to) {
  // Sixteen numbers of four bytes: 250, 254, 258, ...
  std::string raw;
  for (int number = 250; number < 314; number += 4)
    for (const int byte : {number & 0xFF, number >> 8, 0, 0}) raw += static_cast<char>(byte);
  const auto run = [&](std::uint64_t offset, const ByteFilter& filter) {
    Bytes filtered(raw.size());
    Bytes scratch(raw.size());
    apply_filter(filter, as_byte_span(raw), filtered, scratch);
    BlockHeader block = block_of(raw, CodecId::zstd);
    block.offset = offset;
    const Bytes stored = compress(CodecId::zstd, 1, filtered);
    return encode_frame(FilteredBlockHeader{.block = block,
                                            .filter = static_cast<std::uint8_t>(filter.kind),
                                            .item_bytes = filter.item_bytes,
                                            .phase = filter.phase}) +
           packet(stored) + encode_frame(BlockEnd{stored.size()});
  };
  to.good("hello-receiver-filters", Hello{.role = Role::receiver, .features = 16'384}.encode());
  to.good("filtered-block-runs", run(0, {FilterKind::byte_shuffle, 4, 0}) +
                                     run(64, {FilterKind::byte_delta, 4, 1}) +
                                     run(128, {FilterKind::bit_shuffle, 8, 3}));
  BlockHeader block = block_of(raw, CodecId::zstd);
  block.raw_bytes = kMaxFilteredBlockBytes + 1;
  to.bad("filtered-block-long", "it is too long",
         encode_frame(FilteredBlockHeader{.block = block, .filter = 1, .item_bytes = 4}));
}

/// What Feature::predictions brought.
void write_predictions(GoldenDirectory& to) {
  // 6, 5.5, 7.5, 8.5, 9, as GoldenCubic has them, twice, and then NaN and a byte.
  Bytes raw;
  ByteWriter out(raw);
  for (int times = 0; times < 2; ++times)
    for (const std::uint32_t word :
         {0x40C00000U, 0x40B00000U, 0x40F00000U, 0x41080000U, 0x41100000U})
      out.u32(word);
  out.u32(0x7FC00001);
  out.u8(0x5A);
  Bytes folded;
  ByteWriter codes(folded);
  for (const int code : {11, 11, 7, 7, 0, 0, 4, 0, 4, 0, 1})
    codes.u8(static_cast<std::uint8_t>(code));
  folded.resize(4 * 11);
  codes.u8(0x5A);
  codes.u32(0x7FC00001);
  BlockHeader block =
      block_of({reinterpret_cast<const char*>(raw.data()), raw.size()}, CodecId::zstd);
  const NumberWindow five{.numbers = 5, .predictor = 2, .exponent = -1, .step = 3};
  const NumberWindow one{.numbers = 1, .exponent = 1'000, .step = 65'535};
  const Bytes stored = compress(CodecId::zstd, 1, folded);
  const PredictedBlockHeader header{.block = block, .literals = 1, .windows = {five, five, one}};
  to.good("hello-receiver-predictions",
          Hello{.role = Role::receiver, .features = 131'072}.encode());
  to.good("predicted-block-runs",
          encode_frame(header) + packet(stored) + encode_frame(BlockEnd{stored.size()}));
  const auto bad = [&](const std::string& name, const std::string& words, auto change) {
    PredictedBlockHeader changed = header;
    change(changed);
    to.bad("predicted-block-" + name, words, encode_frame(changed));
  };
  bad("long", "it is too long",
      [](auto& made) { made.block.raw_bytes = kMaxPredictedBlockBytes + 1; });
  bad("type", "numbers of type 3 are not predicted",
      [](auto& made) { made.type = ItemType::int32; });
  bad("literals", "the words told by themselves", [](auto& made) { made.literals = 2; });
  bad("no-window", "it has no windows", [](auto& made) { made.windows.clear(); });
  bad("empty-window", "a window is empty", [](auto& made) { made.windows[2].numbers = 0; });
  bad("beyond", "windows reach beyond it", [](auto& made) { made.windows[2].skipped = 2; });
  bad("predictor", "there is no predictor 4", [](auto& made) { made.windows[2].predictor = 4; });
  bad("exponent", "there is no such exponent",
      [](auto& made) { made.windows[2].exponent = -1'001; });
  bad("step", "a step is 0", [](auto& made) { made.windows[2].step = 0; });
  bad("many-windows", "the windows", [&](auto& made) {
    made.block.raw_bytes = kMaxPredictedBlockBytes;
    made.windows.assign(kMaxPredictedWindows + 1, five);
  });
  Bytes cut_short = encode_frame(header) + packet(stored);
  to.bad("predicted-block-cut", "is cut",
         cut_short + encode_frame(Cut{.stored_bytes = stored.size(), .raw_bytes = 20}));
  PredictedBlockHeader fewer = header;
  fewer.literals = 0;
  const Bytes short_form = compress(CodecId::zstd, 1, ByteSpan(folded).first(raw.size()));
  to.bad("predicted-block-other-literals", "told by themselves",
         encode_frame(fewer) + packet(short_form) + encode_frame(BlockEnd{short_form.size()}));
}

/// What Feature::whole_hash brought.
void write_whole_hash(GoldenDirectory& to) {
  const ContentHash hash = xxh3_128(as_byte_span(kText));
  to.good("hello-sender-whole-hash", Hello{.role = Role::sender, .features = 191}.encode());
  to.good("done-hashes", encode_frame(Done{.batch = 3,
                                           .stream_bytes = 300,
                                           .failures = {{1, "it changed while it was read"}},
                                           .hashes = {{0, hash}, {kMaxBatchEntries - 1, hash}}}));
  to.bad("done-hashes-none", "its list of hashes is empty",
         octets(FrameType::done, {0, 0, 0, 0}).frame());
  to.bad("done-hash-cut", "ends too early", octets(FrameType::done, {0, 0, 0, 1, 0, 1, 2}).frame());
}

/// What Feature::keep_alive brought.
void write_keep_alive(GoldenDirectory& to) {
  const Bytes alive = encode_frame(KeepAlive{});
  to.good("keep-alive", alive);
  to.good("hello-sender-patience",
          Hello{.role = Role::sender, .patience_ms = 30'000, .features = 15}.encode());
  to.good("block-run-keep-alive", alive + encode_frame(block_of(kText, CodecId::raw)) + alive +
                                      packet(as_byte_span(kText.substr(0, 7))) + alive + alive +
                                      packet(as_byte_span(kText.substr(7))) + alive +
                                      encode_frame(BlockEnd{kText.size()}) + alive);
  to.good("to-sender-keep-alive",
          Hello{.role = Role::receiver, .patience_ms = 2'000, .features = 15}.encode() + alive +
              encode_frame(Want{.batch = 0, .items = {}}) + alive +
              encode_frame(Commit{.batch = 0, .items = {}}) + alive + encode_frame(End{1}));
  to.bad("keep-alive-with-words", "1 bytes too many", octets(FrameType::keep_alive, {0}).frame());
  to.bad("to-sender-keep-alive-trailing", "9 bytes after the end",
         conversation_to_sender() + alive);
}

/// What Feature::places brought.
void write_places(GoldenDirectory& to) {
  const Bytes third = encode_frame(QueuePlace{.position = 3, .transfers = 32});
  to.good("place", third);
  to.good("to-sender-places",
          Hello{.role = Role::receiver, .patience_ms = 2'000, .features = 79}.encode() + third +
              encode_frame(KeepAlive{}) + encode_frame(QueuePlace{.position = 1, .transfers = 32}) +
              encode_frame(QueuePlace{}) + encode_frame(Want{.batch = 0, .items = {}}) +
              encode_frame(Commit{.batch = 0, .items = {}}) + encode_frame(End{1}));
  to.bad("place-short", "ends too early", octets(FrameType::place, {1}).frame());
  to.bad("place-too-long", "1 bytes too many", octets(FrameType::place, {1, 1, 0}).frame());
}

/// What Feature::dense brought. The good one is as bzip3 1.2.2 made it.
void write_dense(GoldenDirectory& to) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += kText;
  to.good("hello-receiver-dense", Hello{.role = Role::receiver, .features = 2'047}.encode());
  to.good("block-run-bzip3", block_run(text, CodecId::bzip3));
  const Bytes stored = compress(CodecId::bzip3, 1, as_byte_span(text));
  const auto run = [&](const Bytes& bytes) {
    return encode_frame(block_of(text, CodecId::bzip3)) + packet(bytes) +
           encode_frame(BlockEnd{bytes.size()});
  };
  Bytes too_long = stored;
  too_long[11] = std::byte{1};  // of what the sorter gets
  to.bad("block-run-too-long-bzip3", "a length in its header is too large", run(too_long));
  to.bad("block-run-cut-bzip3", "cut short", run(cut(stored, stored.size() - 12)));
}

/// What Feature::arrivals brought.
void write_arrivals(GoldenDirectory& to) {
  const Bytes some = encode_frame(Arrived{.bytes = 12'345'678});
  to.good("arrived", some);
  to.good("to-sender-arrivals",
          Hello{.role = Role::receiver, .patience_ms = 2'000, .features = 527}.encode() +
              encode_frame(Want{.batch = 0, .items = {}}) + some + encode_frame(KeepAlive{}) +
              encode_frame(Arrived{.bytes = ~std::uint64_t{0}}) +
              encode_frame(Commit{.batch = 0, .items = {}}) + encode_frame(End{1}));
  to.bad("arrived-nothing", "ends too early", octets(FrameType::arrived, {}).frame());
  to.bad("arrived-too-long", "1 bytes too many", octets(FrameType::arrived, {1, 0}).frame());
  to.bad("to-sender-arrived-trailing", "10 bytes after the end",
         conversation_to_sender() + encode_frame(Arrived{1}));
}

/// What Feature::failures brought.
void write_failures(GoldenDirectory& to) {
  const Bytes second = encode_frame(Failed{.batch = 0, .entry = 1});
  to.good("failed", second);
  to.good("to-sender-failures",
          Hello{.role = Role::receiver, .patience_ms = 2'000, .features = 1'048'575}.encode() +
              encode_frame(Want{.batch = 0, .items = {}}) + second + encode_frame(KeepAlive{}) +
              encode_frame(Commit{.batch = 0, .items = {}}) + encode_frame(End{1}));
  to.bad("failed-short", "ends too early", octets(FrameType::failed, {1}).frame());
  to.bad("failed-too-long", "1 bytes too many", octets(FrameType::failed, {1, 1, 0}).frame());
  to.bad("failed-no-entry", "an entry's index", octets(FrameType::failed, {0, 0x80, 0x02}).frame());
}

/// What Feature::streams brought.
void write_streams(GoldenDirectory& to) {
  StreamToken token{};
  for (std::size_t i = 0; i < token.size(); ++i) token[i] = static_cast<std::byte>(0xa0 + i);
  const Bytes offer = encode_frame(StreamsOffer{.token = token, .most = 7, .window = 8 << 20});
  const Bytes hello = Hello{.role = Role::sender, .features = 4'096}.encode();
  const auto record = [](const BundleRecord& fields, ByteSpan data = {}) {
    const BundleRecord::Header header = fields.encode();
    Bytes bytes(header.begin(), header.end());
    ByteWriter(bytes).bytes(data);
    return bytes;
  };
  to.good("streams", offer);
  to.good("hello-sender-streams", hello);
  to.good("split", encode_frame(Split{}));
  to.good("join", encode_frame(Join{token}));
  const Bytes first =
      record({.offset = 11, .arrived = 0, .limit = 1 << 20, .length = 11}, as_byte_span(kText));
  const Bytes end = record(
      {.offset = 22, .arrived = 300, .limit = (1 << 20) + 300, .length = BundleRecord::kEnd});
  to.good("records-and-end", first + record({.arrived = 300, .limit = (1 << 20) + 300}) + end);
  Bytes wrong = end;
  wrong[0] ^= std::byte{1};
  to.bad("records-wrong-check", "its check value does not match", first + wrong);
  to.bad("records-too-long", "the limit is 131072",
         record({.length = static_cast<std::uint32_t>(kMaxRecordBytes) + 1}));
  to.bad("records-too-far", "beyond all limits", record({.offset = std::uint64_t{1} << 63}));
  to.bad("streams-too-many", "the limit is 15",
         encode_frame(StreamsOffer{.token = token, .most = 16, .window = 8 << 20}));
  to.bad("streams-window-over-limit", "window is 33554433",
         encode_frame(StreamsOffer{.token = token, .most = 1, .window = kMaxStreamWindow + 1}));
  to.bad("streams-window-too-small", "the window is 1048575",
         encode_frame(StreamsOffer{.token = token, .most = 1, .window = kMinStreamWindow - 1}));
  to.bad("streams-short", "ends too early", octets(FrameType::streams, {1, 2, 3}).frame());
  to.bad(
      "join-too-long", "1 bytes too many",
      octets(FrameType::join, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}).frame());
  to.bad("split-with-words", "1 bytes too many", octets(FrameType::split, {0}).frame());
}

void write_bad_features(GoldenDirectory& to) {
  const std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  const LinkedRun linked{.raw = letters};
  const Bytes stored = compress(CodecId::zstd, 1, as_byte_span(letters));
  const auto closed = [&](const Bytes& end) { return linked.opening(0) + packet(stored) + end; };
  const auto cut_of = [&](std::size_t raw_bytes) {
    return encode_frame(Cut{.stored_bytes = stored.size(),
                            .raw_bytes = raw_bytes,
                            .checksum = xxh3_64(as_byte_span(letters))});
  };
  to.bad("linked-block-prefix-over-limit", "the prefix is 8388609, the limit is 8388608",
         linked.opening(kMaxPrefixBytes + 1));
  to.bad("linked-block-prefix-of-nothing", "longer than what came before", linked.opening(1));
  to.bad("linked-block-prefix-too-long", "longer than what came before",
         linked.frames() + linked.opening(letters.size() + 1));
  to.bad("linked-block-prefix-before-an-unlinked", "longer than what came before",
         linked.frames() + block_run(kText, CodecId::raw) + linked.opening(1));
  to.bad("linked-block-inside-a-block", "inside of a block", linked.opening(0) + linked.opening(0));
  // Bytes that only their own prefix shortens.
  std::string one(300, '\0');
  std::string other(300, '\0');
  for (std::size_t i = 0; i < one.size(); ++i) {
    one[i] = static_cast<char>(i * i * 7 + i / 3);
    other[i] = static_cast<char>(i * i * 11 + i / 5);
  }
  // A copy: a compressor does not refer to the bytes that it is at.
  const Bytes before = to_bytes(one);
  const Bytes of_one = compress(CodecId::zstd, 19, as_byte_span(one), before);
  to.bad("linked-block-other-prefix", "checksum does not match",
         LinkedRun{.raw = one}.frames() + LinkedRun{.raw = other}.frames() +
             LinkedRun{.raw = one}.opening(one.size()) + packet(of_one) +
             encode_frame(BlockEnd{of_one.size()}));
  to.bad("cut-alone", "not open", cut_of(1));
  to.bad("cut-where-it-ends", "does not make its block shorter", closed(cut_of(letters.size())));
  to.bad("cut-of-nothing", "it is empty", closed(cut_of(0)));
  to.bad("cut-shorter-than-stored", "is corrupt", closed(cut_of(letters.size() - 1)));
  to.bad("cut-over-limit", "the raw length is 16777217", closed(cut_of(kMaxRawBlockBytes + 1)));
  to.bad("status-short", "ends too early", octets(FrameType::status, {0, 0, 0, 0, 0}).frame());
  to.bad("status-too-long", "1 bytes too many",
         octets(FrameType::status, {0, 0, 0, 0, 0, 0, 0}).frame());
}

}  // namespace

void write_features(GoldenDirectory& to) {
  write_good_features(to);
  write_bad_features(to);
  write_keep_alive(to);
  write_whole_hash(to);
  write_matches(to);
  write_filters(to);
  write_predictions(to);
  write_places(to);
  write_arrivals(to);
  write_failures(to);
  write_dense(to);
  write_streams(to);
  write_metadata(to);
  write_recording(to);
  write_shares(to);
}

}  // namespace adoc::golden
