// Makes z_stream::next_in a pointer to const.
#define ZLIB_CONST
#include <zlib.h>

#include <array>
#include <limits>
#include <string_view>

#include "codec/codec_error.hpp"
#include "codec/factories.hpp"
#include "util/large_memory.hpp"

namespace adoc {
namespace {

// The block's length and checksum are in our own frame, so deflate goes without its wrapping.
constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kMemLevel = 8;

voidpf allocate(voidpf unused, uInt count, uInt bytes) {
  return allocate_for_library(unused, std::size_t{count} * bytes);
}

/// In memory of ours.
z_stream new_stream() noexcept {
  z_stream stream{};
  stream.zalloc = allocate;
  stream.zfree = free_for_library;
  return stream;
}

std::string_view message(const z_stream& stream, int code) {
  return stream.msg != nullptr ? stream.msg : zError(code);
}

uInt checked_size(std::size_t bytes) {
  if (bytes > std::numeric_limits<uInt>::max()) {
    throw_codec_failure(CodecId::zlib, "the block or packet is too large");
  }
  return static_cast<uInt>(bytes);
}

class ZlibCompressor final : public Compressor {
 public:
  ZlibCompressor() {
    const int code =
        deflateInit2(&stream_, level_, Z_DEFLATED, kRawDeflate, kMemLevel, Z_DEFAULT_STRATEGY);
    if (code != Z_OK) throw_codec_failure(CodecId::zlib, message(stream_, code));
  }
  ~ZlibCompressor() override { deflateEnd(&stream_); }
  ZlibCompressor(const ZlibCompressor&) = delete;
  ZlibCompressor& operator=(const ZlibCompressor&) = delete;

  void begin(std::span<const std::byte> raw, int level, const Prefix& /*prefix*/) override {
    finished_ = true;
    check(deflateReset(&stream_));
    if (level != level_) change_level(level);
    stream_.next_in = reinterpret_cast<const Bytef*>(raw.data());
    stream_.avail_in = checked_size(raw.size());
    raw_bytes_ = raw.size();
    finished_ = false;
  }

  std::size_t next_packet(std::span<std::byte> packet) override {
    if (finished_) return 0;
    stream_.next_out = reinterpret_cast<Bytef*>(packet.data());
    stream_.avail_out = checked_size(packet.size());
    const int code = deflate(&stream_, Z_FINISH);
    finished_ = code == Z_STREAM_END;
    if (!finished_) check(code);
    return packet.size() - stream_.avail_out;
  }

  std::size_t cut() noexcept override { return raw_bytes_; }

 private:
  void check(int code) {
    if (code != Z_OK) throw_codec_failure(CodecId::zlib, message(stream_, code));
  }

  void change_level(int level) {
    // zlib up to 1.2.11 flushes here even right after a reset: it must find no input to compress
    // with the old level, and room for what it takes to be the rest.
    std::array<Bytef, 64> scratch{};
    stream_.avail_in = 0;
    stream_.next_out = scratch.data();
    stream_.avail_out = static_cast<uInt>(scratch.size());
    check(deflateParams(&stream_, level, Z_DEFAULT_STRATEGY));
    if (stream_.avail_out != scratch.size()) {
      throw_codec_failure(CodecId::zlib, "a change of level wrote bytes");
    }
    level_ = level;
  }

  z_stream stream_ = new_stream();
  int level_ = 1;
  std::size_t raw_bytes_ = 0;
  bool finished_ = true;
};

class ZlibDecompressor final : public Decompressor {
 public:
  ZlibDecompressor() {
    const int code = inflateInit2(&stream_, kRawDeflate);
    if (code != Z_OK) throw_codec_failure(CodecId::zlib, message(stream_, code));
  }
  ~ZlibDecompressor() override { inflateEnd(&stream_); }
  ZlibDecompressor(const ZlibDecompressor&) = delete;
  ZlibDecompressor& operator=(const ZlibDecompressor&) = delete;

  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw,
                  std::span<const std::byte> /*prefix*/) override {
    if (const int code = inflateReset(&stream_); code != Z_OK) {
      throw_codec_failure(CodecId::zlib, message(stream_, code));
    }
    stream_.next_in = reinterpret_cast<const Bytef*>(stored.data());
    stream_.avail_in = checked_size(stored.size());
    // inflate() takes no null pointer, not even for an empty block.
    stream_.next_out = raw.empty() ? &nothing_ : reinterpret_cast<Bytef*>(raw.data());
    stream_.avail_out = checked_size(raw.size());
    const int code = stored.empty() ? Z_BUF_ERROR : inflate(&stream_, Z_FINISH);
    if (code == Z_MEM_ERROR) throw_codec_failure(CodecId::zlib, message(stream_, code));
    // Neither input nor room for output may lack: which does, the rest of the input tells.
    if (code == Z_BUF_ERROR || code == Z_OK) {
      throw_corrupt(CodecId::zlib, stream_.avail_in == 0 ? kCutShort : kHoldsMore);
    }
    if (code != Z_STREAM_END) throw_corrupt(CodecId::zlib, message(stream_, code));
    if (stream_.avail_in != 0) throw_corrupt(CodecId::zlib, kTrailingBytes);
    if (stream_.avail_out != 0) throw_corrupt(CodecId::zlib, kHoldsLess);
  }

 private:
  z_stream stream_ = new_stream();
  Bytef nothing_ = 0;
};

}  // namespace

std::unique_ptr<Compressor> make_zlib_compressor() { return std::make_unique<ZlibCompressor>(); }
std::unique_ptr<Decompressor> make_zlib_decompressor() {
  return std::make_unique<ZlibDecompressor>();
}

}  // namespace adoc
