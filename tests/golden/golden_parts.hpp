#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "codec/codec.hpp"
#include "util/checksum.hpp"
#include "wire/block.hpp"
#include "wire/entry.hpp"
#include "wire/frame.hpp"
#include "wire/hello.hpp"
#include "wire/offer.hpp"
#include "wire/outcome.hpp"
#include "wire/want.hpp"

// What the golden files are made of.
namespace adoc::golden {

inline constexpr std::string_view kText = "hello AdOC\n";
inline constexpr std::int64_t kMtime = 1'000'000'000;

inline Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline Bytes to_bytes(std::string_view text) {
  const ByteSpan bytes = as_byte_span(text);
  return {bytes.begin(), bytes.end()};
}

inline Bytes cut(Bytes bytes, std::size_t count) {
  bytes.resize(bytes.size() - count);
  return bytes;
}

/// A frame around a record that no encoder would write, with a check that fits.
struct MadeUp {
  FrameType type{};
  std::function<void(ByteWriter&)> write{};

  [[nodiscard]] Bytes frame() const {
    Bytes bytes(kFrameHeaderBytes);
    ByteWriter out(bytes);
    write(out);
    detail::seal_frame(type, bytes);
    return bytes;
  }
};

inline Bytes header(int type, std::uint32_t length) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(type));
  out.u32(length);
  return bytes;
}

inline Bytes packet(ByteSpan stored) {
  Bytes bytes = header(4, static_cast<std::uint32_t>(stored.size()));
  ByteWriter(bytes).bytes(stored);
  return bytes;
}

inline Bytes compress(CodecId codec, int level, ByteSpan raw, ByteSpan prefix = {}) {
  const auto compressor = make_compressor(codec);
  compressor->begin(raw, level, prefix);
  Bytes stored(max_stored_bytes(raw.size()) + 1'024);
  stored.resize(compressor->next_packet(stored));
  return stored;
}

inline Offer offer_of(const Bytes& manifest, CodecId codec = CodecId::raw) {
  return {.batch = 0,
          .last = true,
          .codec = static_cast<std::uint8_t>(codec),
          .raw_bytes = manifest.size(),
          .stored = compress(codec, 1, manifest)};
}

inline Entry file(std::string name, std::uint64_t size) {
  return {.kind = EntryKind::file,
          .name = SafeName::check(std::move(name)),
          .mode = 0644,
          .mtime_seconds = kMtime,
          .size = size};
}

inline Bytes offer_frame(const Entry& entry) {
  return encode_frame(offer_of(encode_manifest({entry})));
}

/// An offer of one file whose name was never checked.
inline Bytes offer_named(std::string_view name) {
  Bytes manifest;
  ByteWriter out(manifest);
  out.u8(1);
  out.u8(0);
  out.string(name);
  out.varint(0644);
  out.signed_varint(kMtime);
  out.varint(0);
  out.varint(0);
  return encode_frame(offer_of(manifest));
}

inline BlockHeader block_of(std::string_view raw, CodecId codec) {
  return {.batch = 0,
          .offset = 0,
          .raw_bytes = raw.size(),
          .codec = static_cast<std::uint8_t>(codec),
          .level = static_cast<std::uint8_t>(codec),
          .checksum = xxh3_64(as_byte_span(raw))};
}

inline Bytes block_run(std::string_view raw, CodecId codec) {
  const Bytes stored = compress(codec, 1, as_byte_span(raw));
  return encode_frame(block_of(raw, codec)) + packet(stored) +
         encode_frame(BlockEnd{stored.size()});
}

/// The hello of the first programs, before there were features.
inline Hello plain_hello(Role role) { return {.role = role, .features = 0}; }

inline Bytes conversation_to_receiver() {
  const Done done{.batch = 0, .stream_bytes = kText.size()};
  return plain_hello(Role::sender).encode() + offer_frame(file("hello.txt", kText.size())) +
         block_run(kText, CodecId::raw) + encode_frame(done) + encode_frame(End{1});
}

inline Bytes conversation_to_sender() {
  const Want want{.batch = 0, .items = {{Verb::take, {{0, kText.size()}}, ""}}};
  const Commit commit{.batch = 0, .items = {{Fate::committed, ""}}};
  return plain_hello(Role::receiver).encode() + encode_frame(want) + encode_frame(commit) +
         encode_frame(End{1});
}

inline MadeUp octets(FrameType type, std::vector<std::uint8_t> values) {
  return {type, [=](ByteWriter& out) {
            for (const std::uint8_t value : values) out.u8(value);
          }};
}

class GoldenDirectory {
 public:
  explicit GoldenDirectory(std::string path)
      : path_(std::move(path)), expected_(path_ + "/bad/EXPECTED") {}

  void good(const std::string& name, const Bytes& bytes) { write("/good/" + name, bytes); }
  void bad(const std::string& name, std::string_view message, const Bytes& bytes) {
    write("/bad/" + name, bytes);
    expected_ << name << ".bin: " << message << '\n';
  }

 private:
  void write(const std::string& name, const Bytes& bytes) {
    std::ofstream(path_ + name + ".bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  std::string path_;
  std::ofstream expected_;
};

/// The files of what both sides use when they name its feature.
void write_features(GoldenDirectory& to);
void write_metadata(GoldenDirectory& to);
/// A tree, as a transfer in a file.
void write_recording(GoldenDirectory& to);
void write_shares(GoldenDirectory& to);

}  // namespace adoc::golden
