#include "wire/entry.hpp"

#include <algorithm>

#include "wire/lossy_record.hpp"
#include "wire/protocol.hpp"

namespace adoc {

namespace {

constexpr std::uint8_t kSizeUnknown = 1;
constexpr std::uint8_t kSparse = 2;
constexpr std::uint8_t kHasHash = 4;
constexpr std::uint8_t kHasMetadata = 8;
constexpr std::uint8_t kHasShare = 16;
constexpr std::uint8_t kIsLossy = 32;
constexpr std::uint64_t kMaxFileBytes = 0x7fff'ffff'ffff'ffff;  // off_t

Metadata::Of kind_of_metadata(EntryKind kind) noexcept {
  if (kind == EntryKind::symlink) return Metadata::Of::symlink;
  return kind == EntryKind::file ? Metadata::Of::file : Metadata::Of::directory;
}

}  // namespace

void Share::encode(ByteWriter& out) const {
  out.varint(shard.number);
  out.varint(shard.count);
  out.signed_varint(changed_seconds);
  out.varint(changed_nanoseconds);
}

Share Share::decode(ByteReader& in) {
  Share share;
  share.shard.number = static_cast<std::uint32_t>(in.bounded(kMaxShards, "a shard"));
  share.shard.count = static_cast<std::uint32_t>(in.bounded(kMaxShards, "the number of shards"));
  if (share.shard.number < 1 || share.shard.number > share.shard.count)
    in.fail("there is no such shard");
  share.changed_seconds = in.signed_varint();
  share.changed_nanoseconds = static_cast<std::uint32_t>(in.bounded(999'999'999, "nanoseconds"));
  return share;
}

void Entry::encode(ByteWriter& out) const {
  const bool file = kind == EntryKind::file;
  const bool size_unknown = file && size == kUnknownSize;
  out.u8(static_cast<std::uint8_t>(kind));
  out.u8(static_cast<std::uint8_t>((size_unknown ? kSizeUnknown : 0) |
                                   (file && data ? kSparse : 0) | (file && hash ? kHasHash : 0) |
                                   (file && share ? kHasShare : 0) |
                                   (file && lossy ? kIsLossy : 0) | (metadata ? kHasMetadata : 0)));
  out.string(name.str());
  out.varint(mode);
  out.signed_varint(mtime_seconds);
  out.varint(mtime_nanoseconds);
  if (file) {
    if (!size_unknown) out.varint(size);
    if (data) data->encode(out);
    if (hash) out.bytes(*hash);
    if (share) share->encode(out);
    if (lossy) encode_lossy(*lossy, out);
  } else if (kind == EntryKind::symlink) {
    out.string(link_target);
  }
  if (metadata) metadata->encode(out);
}

Entry Entry::decode(ByteReader& in) {
  const std::uint8_t kind = in.u8();
  if (kind < 1 || kind > 3) in.fail("there is no entry kind " + std::to_string(kind));
  const std::uint8_t flags = in.u8();
  Entry entry{.kind = static_cast<EntryKind>(kind),
              .name = SafeName::check(in.string(SafeName::kMaxBytes))};
  const bool file = entry.kind == EntryKind::file;
  const bool size_unknown = (flags & kSizeUnknown) != 0;
  const std::uint8_t known =
      kHasMetadata | (file ? kSizeUnknown | kSparse | kHasHash | kHasShare | kIsLossy : 0);
  if ((flags & ~known) != 0 || (size_unknown && (flags & (kSparse | kHasShare)) != 0))
    in.fail("flags " + std::to_string(flags) + " do not fit its kind");
  entry.mode = static_cast<std::uint32_t>(in.bounded(07777, "a mode"));
  entry.mtime_seconds = in.signed_varint();
  entry.mtime_nanoseconds = static_cast<std::uint32_t>(in.bounded(999'999'999, "nanoseconds"));
  if (file) {
    entry.size = size_unknown ? kUnknownSize : in.bounded(kMaxFileBytes, "a file size");
    if ((flags & kSparse) != 0) entry.data = Extents::decode(in, entry.size);
    if ((flags & kHasHash) != 0) std::ranges::copy(in.bytes(16), entry.hash.emplace().begin());
    if ((flags & kHasShare) != 0) entry.share = Share::decode(in);
    if ((flags & kIsLossy) != 0) entry.lossy = decode_lossy(in);
  } else if (entry.kind == EntryKind::symlink) {
    entry.link_target = in.string(kMaxLinkTargetBytes);
    if (entry.link_target.empty() || entry.link_target.find('\0') != std::string::npos)
      in.fail("a link points nowhere");
  }
  if ((flags & kHasMetadata) == 0) return entry;
  entry.metadata = Metadata::decode(in, kind_of_metadata(entry.kind));
  if (entry.is_other_name() && entry.share) in.fail("another name of a file has no share of it");
  if (entry.is_other_name() && (size_unknown || *entry.metadata->first == entry.name))
    in.fail("a file cannot be another name of that");
  return entry;
}

std::uint64_t Entry::data_bytes() const noexcept {
  if (kind != EntryKind::file) return 0;
  if (!data) return own_bytes();
  std::uint64_t bytes = 0;
  if (!share) {
    for (const Extent& run : *data) bytes += run.length;
    return bytes;
  }
  const SharePieces own = pieces();
  for (const Extent& run : *data)
    for (Extent rest = run; const auto part = own.next_part(rest);) bytes += part->length;
  return bytes;
}

Bytes encode_manifest(const std::vector<Entry>& entries) {
  Bytes bytes;
  ByteWriter out(bytes);
  for (const Entry& entry : entries) entry.encode(out);
  return bytes;
}

std::vector<Entry> decode_manifest(ByteSpan bytes) {
  ByteReader in(bytes, "manifest");
  std::vector<Entry> entries;
  while (in.remaining() != 0) {
    if (entries.size() == kMaxBatchEntries) in.fail("too many entries in one batch");
    entries.push_back(Entry::decode(in));
  }
  return entries;
}

}  // namespace adoc
