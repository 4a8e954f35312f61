#include "support/made_up_frames.hpp"

#include "util/checksum.hpp"

namespace adoc::testkit {

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes whole;
  for (const Bytes& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

Bytes made_up_frame(FrameType type, const std::function<void(ByteWriter&)>& write) {
  Bytes bytes(kFrameHeaderBytes);
  ByteWriter out(bytes);
  write(out);
  detail::seal_frame(type, bytes);
  return bytes;
}

Bytes packet_frame(ByteSpan stored) {
  Bytes bytes;
  ByteWriter out(bytes);
  FrameHeader{FrameType::packet, static_cast<std::uint32_t>(stored.size())}.encode(out);
  out.bytes(stored);
  return bytes;
}

Bytes raw_block(std::uint64_t batch, std::uint64_t offset, std::string_view raw) {
  const ByteSpan bytes = as_byte_span(raw);
  return joined(
      {encode_frame(BlockHeader{
           .batch = batch, .offset = offset, .raw_bytes = raw.size(), .checksum = xxh3_64(bytes)}),
       packet_frame(bytes), encode_frame(BlockEnd{raw.size()})});
}

Entry file_entry(std::string name, std::uint64_t size) {
  return {.kind = EntryKind::file,
          .name = SafeName::check(std::move(name)),
          .mode = 0644,
          .mtime_seconds = 1'000'000'000,
          .size = size};
}

Entry directory_entry(std::string name) {
  Entry entry = file_entry(std::move(name), 0);
  entry.kind = EntryKind::directory;
  entry.mode = 0755;
  return entry;
}

Entry symlink_entry(std::string name, std::string target) {
  Entry entry = file_entry(std::move(name), 0);
  entry.kind = EntryKind::symlink;
  entry.mode = 0777;
  entry.link_target = std::move(target);
  return entry;
}

Offer raw_offer(std::uint64_t batch, const std::vector<Entry>& entries, bool last) {
  Bytes manifest = encode_manifest(entries);
  const std::size_t raw_bytes = manifest.size();
  return {.batch = batch, .last = last, .raw_bytes = raw_bytes, .stored = std::move(manifest)};
}

Bytes manifest_naming(std::string_view name) {
  Bytes manifest;
  ByteWriter out(manifest);
  out.u8(static_cast<std::uint8_t>(EntryKind::file));
  out.u8(0);
  out.string(name);
  out.varint(0644);
  out.signed_varint(1'000'000'000);
  out.varint(0);
  out.varint(0);
  return manifest;
}

std::vector<Bytes> split_frames(ByteSpan frames) {
  std::vector<Bytes> found;
  while (!frames.empty()) {
    const std::size_t whole = kFrameHeaderBytes + FrameHeader::decode(frames).payload_bytes;
    const ByteSpan frame = frames.first(whole);
    found.emplace_back(frame.begin(), frame.end());
    frames = frames.subspan(whole);
  }
  return found;
}

}  // namespace adoc::testkit
