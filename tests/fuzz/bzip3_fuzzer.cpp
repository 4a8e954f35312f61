// The decoder of bzip3 behind headers that pass our own check, which is where the library's code
// begins: what the header says and what was coded are any bytes. Nothing but a block that the
// compressor made is as it was, and nothing is written outside of where it belongs.

#include <algorithm>

#include "codec/codec.hpp"
#include "fuzz/session_fuzzing.hpp"
#include "util/bytes.hpp"

namespace {

using namespace adoc;

constexpr std::size_t kLeastRawBytes = 64;
constexpr std::uint32_t kLeastSize = 32;
constexpr std::uint32_t kMostGrowth = 128;

/// A header as the input wants it, and its choice of coded bytes.
Bytes made_up_block(fuzz::Input& input, std::size_t raw_bytes) {
  Bytes stored;
  ByteWriter out(stored);
  const auto any = [&] { return std::uint32_t{input.u16()} << 16 | input.u16(); };
  const auto raw = static_cast<std::uint32_t>(raw_bytes);
  const auto size = [&] { return kLeastSize + any() % (raw + kMostGrowth - kLeastSize + 1); };
  const std::uint8_t model = input.u8() & 6;
  const std::uint32_t sorted = (model & 2) != 0 ? size() : 0;
  const std::uint32_t runs = (model & 4) != 0 ? size() : 0;
  const std::uint32_t first = sorted != 0 ? sorted : runs != 0 ? runs : raw;
  out.u32(any());
  out.u32(1 + any() % (first - 1));
  out.u8(model);
  if (sorted != 0) out.u32(sorted);
  if (runs != 0) out.u32(runs);
  const Bytes coded = input.take(SIZE_MAX);
  out.bytes(coded.empty() ? as_byte_span("x") : ByteSpan(coded));
  return stored;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(std::as_bytes(std::span(data, size)));
  const bool whole = input.u8() % 8 == 0;
  const auto decompressor = make_decompressor(CodecId::bzip3);
  if (whole) {
    const Bytes raw = input.take(size);
    if (raw.empty()) return 0;
    const auto compressor = make_compressor(CodecId::bzip3);
    compressor->begin(raw, 1);
    Bytes stored(2 * raw.size() + 1'024);
    stored.resize(compressor->next_packet(stored));
    if (stored.size() >= raw.size()) return 0;  // it goes raw
    Bytes back(raw.size());
    decompressor->decompress(stored, back);
    fuzz::require(back == raw);
    return 0;
  }
  Bytes raw(kLeastRawBytes + input.u16() % 20'000);
  try {
    decompressor->decompress(made_up_block(input, raw.size()), raw);
  } catch (const Error& error) {
    fuzz::require(error.kind() == ErrorKind::corrupt);
  }
  return 0;
}
