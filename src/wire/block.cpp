#include "wire/block.hpp"

#include <string>

namespace adoc {

namespace {

BlockHeader decode_fields(ByteReader& in) {
  BlockHeader block;
  block.batch = in.varint();
  block.offset = in.varint();
  block.raw_bytes = in.bounded(kMaxRawBlockBytes, "the block's length");
  if (block.raw_bytes == 0) in.fail("it is empty");
  if (block.offset + block.raw_bytes < block.offset) in.fail("its offset is too large");
  block.codec = in.u8();
  block.level = in.u8();
  block.checksum = in.u64();
  return block;
}

}  // namespace

void BlockHeader::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(offset);
  out.varint(raw_bytes);
  out.u8(codec);
  out.u8(level);
  out.u64(checksum);
}

BlockHeader BlockHeader::decode(ByteSpan record) {
  ByteReader in(record, "block");
  const BlockHeader block = decode_fields(in);
  in.expect_end();
  return block;
}

void LinkedBlockHeader::encode(ByteWriter& out) const {
  block.encode(out);
  out.varint(prefix_bytes);
}

LinkedBlockHeader LinkedBlockHeader::decode(ByteSpan record) {
  ByteReader in(record, "linked block");
  LinkedBlockHeader linked{.block = decode_fields(in)};
  linked.prefix_bytes = in.bounded(kMaxPrefixBytes, "the prefix");
  in.expect_end();
  return linked;
}

void MatchedBlockHeader::encode(ByteWriter& out) const {
  block.encode(out);
  out.varint(matches.size());
  for (const Match& match : matches) {
    out.varint(match.literals);
    out.varint(match.length);
    out.varint(match.distance);
  }
}

MatchedBlockHeader MatchedBlockHeader::decode(ByteSpan record) {
  ByteReader in(record, "matched block");
  MatchedBlockHeader matched{.block = decode_fields(in)};
  if (matched.block.raw_bytes > kMaxMatchedBlockBytes) in.fail("it is too long");
  matched.matches.resize(in.bounded(kMaxMatches, "the matches"));
  std::size_t left = matched.block.raw_bytes;
  for (Match& match : matched.matches) {
    match.literals = in.bounded(left, "the literals");
    left -= match.literals;
    match.length = in.bounded(left, "a match");
    left -= match.length;
    match.distance = in.bounded(kMatchWindowBytes, "a distance");
    if (match.length < kMinMatchBytes) in.fail("a match is too short");
    if (match.length > match.distance) in.fail("a match reaches into its own block");
  }
  in.expect_end();
  return matched;
}

void FilteredBlockHeader::encode(ByteWriter& out) const {
  block.encode(out);
  out.u8(filter);
  out.u8(item_bytes);
  out.u8(phase);
}

FilteredBlockHeader FilteredBlockHeader::decode(ByteSpan record) {
  ByteReader in(record, "filtered block");
  FilteredBlockHeader filtered{.block = decode_fields(in)};
  if (filtered.block.raw_bytes > kMaxFilteredBlockBytes) in.fail("it is too long");
  filtered.filter = in.u8();
  filtered.item_bytes = in.u8();
  filtered.phase = in.u8();
  in.expect_end();
  return filtered;
}

void PredictedBlockHeader::encode(ByteWriter& out) const {
  block.encode(out);
  out.u8(static_cast<std::uint8_t>(type));
  out.varint(literals);
  std::vector<std::size_t> runs;
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (i == 0 || !(windows[i] == windows[i - 1]))
      runs.push_back(1);
    else
      ++runs.back();
  out.varint(runs.size());
  std::size_t first = 0;
  for (const std::size_t times : runs) {
    const NumberWindow& window = windows[first];
    first += times;
    out.varint(times);
    out.varint(window.skipped);
    out.varint(window.numbers);
    out.u8(window.predictor);
    out.u16(static_cast<std::uint16_t>(window.exponent));
    out.u16(window.step);
  }
}

PredictedBlockHeader PredictedBlockHeader::decode(ByteSpan record) {
  constexpr int kMostExponent = 1'000;
  constexpr std::uint8_t kMostPredictor = 3;
  ByteReader in(record, "predicted block");
  PredictedBlockHeader predicted{.block = decode_fields(in)};
  std::size_t left = predicted.block.raw_bytes;
  if (left > kMaxPredictedBlockBytes) in.fail("it is too long");
  const std::uint8_t type = in.u8();
  if (type < static_cast<std::uint8_t>(ItemType::float32) ||
      type > static_cast<std::uint8_t>(ItemType::complex128))
    in.fail("numbers of type " + std::to_string(type) + " are not predicted");
  predicted.type = static_cast<ItemType>(type);
  const std::size_t bytes = number_bytes(predicted.type);
  predicted.literals = in.bounded(left / 8 / bytes, "the words told by themselves");
  const std::size_t runs = in.bounded(kMaxPredictedWindows, "the windows");
  if (runs == 0) in.fail("it has no windows");
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t times =
        in.bounded(kMaxPredictedWindows - predicted.windows.size(), "the windows");
    if (times == 0) in.fail("a window is not there");
    NumberWindow window{.skipped = in.bounded(left, "what a window skips"),
                        .numbers = in.bounded(kMaxWindowNumbers, "a window's numbers"),
                        .predictor = in.u8(),
                        .exponent = static_cast<std::int16_t>(in.u16()),
                        .step = in.u16()};
    if (window.numbers == 0) in.fail("a window is empty");
    if (window.predictor > kMostPredictor)
      in.fail("there is no predictor " + std::to_string(window.predictor));
    if (window.exponent < -kMostExponent || window.exponent > kMostExponent)
      in.fail("there is no such exponent");
    if (window.step == 0) in.fail("a step is 0");
    if (!predicted.windows.empty() && predicted.windows.back() == window)
      in.fail("a window that is there again is told anew");
    const std::size_t each = window.skipped + window.numbers * bytes;
    if (each > left / times) in.fail("windows reach beyond it");
    left -= times * each;
    predicted.windows.insert(predicted.windows.end(), times, window);
  }
  in.expect_end();
  return predicted;
}

BlockEnd BlockEnd::decode(ByteSpan record) {
  ByteReader in(record, "block end");
  const BlockEnd end{in.bounded(max_stored_bytes(kMaxRawBlockBytes), "the stored length")};
  in.expect_end();
  return end;
}

void Cut::encode(ByteWriter& out) const {
  out.varint(stored_bytes);
  out.varint(raw_bytes);
  out.u64(checksum);
}

Cut Cut::decode(ByteSpan record) {
  ByteReader in(record, "cut");
  Cut cut;
  cut.stored_bytes = in.bounded(max_stored_bytes(kMaxRawBlockBytes), "the stored length");
  cut.raw_bytes = in.bounded(kMaxRawBlockBytes, "the raw length");
  if (cut.raw_bytes == 0) in.fail("it is empty");
  cut.checksum = in.u64();
  in.expect_end();
  return cut;
}

void Skip::encode(ByteWriter& out) const {
  out.varint(batch);
  out.varint(offset);
  out.varint(length);
}

Skip Skip::decode(ByteSpan record) {
  ByteReader in(record, "skip");
  Skip skip;
  skip.batch = in.varint();
  skip.offset = in.varint();
  skip.length = in.varint();
  if (skip.offset + skip.length < skip.offset) in.fail("its length is too large");
  in.expect_end();
  return skip;
}

}  // namespace adoc
