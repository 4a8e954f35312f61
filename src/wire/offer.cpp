#include "wire/offer.hpp"

namespace adoc {

namespace {
constexpr std::uint8_t kLast = 1;
constexpr std::uint8_t kDryRun = 2;
constexpr std::uint8_t kKeepExisting = 4;
constexpr std::uint8_t kForce = 16;
constexpr std::uint8_t kKnown = kLast | kDryRun | kKeepExisting | kForce;
}  // namespace

void Offer::encode(ByteWriter& out) const {
  out.varint(batch);
  out.u8(static_cast<std::uint8_t>((last ? kLast : 0) | (dry_run ? kDryRun : 0) |
                                   (keep_existing ? kKeepExisting : 0) | (force ? kForce : 0)));
  out.u8(codec);
  out.varint(raw_bytes);
  out.bytes(stored);
}

Offer Offer::decode(ByteSpan record) {
  ByteReader in(record, "offer");
  Offer offer;
  offer.batch = in.varint();
  const std::uint8_t flags = in.u8();
  if ((flags & ~kKnown) != 0) in.fail("unknown flags");
  offer.last = (flags & kLast) != 0;
  offer.dry_run = (flags & kDryRun) != 0;
  offer.keep_existing = (flags & kKeepExisting) != 0;
  offer.force = (flags & kForce) != 0;
  offer.codec = in.u8();
  offer.raw_bytes = in.bounded(kMaxManifestBytes, "the manifest's length");
  const ByteSpan stored = in.bytes(in.remaining());
  offer.stored.assign(stored.begin(), stored.end());
  return offer;
}

}  // namespace adoc
