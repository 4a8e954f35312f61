#include "codec/manifest.hpp"

#include "adoc/error.hpp"
#include "codec/codec.hpp"
#include "codec/codec_error.hpp"

namespace adoc {

namespace {
/// Names are short and alike: a middle setting takes most of what there is, in no time.
constexpr CodecId kCodec = CodecId::zstd;
constexpr int kSetting = 3;
}  // namespace

void pack_manifest(const std::vector<Entry>& entries, Offer& offer) {
  Bytes raw = encode_manifest(entries);
  offer.raw_bytes = raw.size();
  offer.stored.resize(raw.size() + 1);
  const auto compressor = make_compressor(kCodec);
  compressor->begin(raw, kSetting);
  const std::size_t stored = compressor->next_packet(offer.stored);
  if (stored < raw.size()) {
    offer.codec = static_cast<std::uint8_t>(kCodec);
    offer.stored.resize(stored);
  } else {
    offer.codec = static_cast<std::uint8_t>(CodecId::raw);
    offer.stored = std::move(raw);
  }
}

std::vector<Entry> unpack_manifest(const Offer& offer) {
  // An offer is short, and every receiver must have the memory for it.
  if (is_dense(static_cast<CodecId>(offer.codec)))
    throw_corrupt(static_cast<CodecId>(offer.codec), "it is of an offer");
  Bytes raw(offer.raw_bytes);
  make_decompressor(static_cast<CodecId>(offer.codec))->decompress(offer.stored, raw);
  return decode_manifest(raw);
}

}  // namespace adoc
