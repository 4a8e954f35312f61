#include <lz4frame.h>

#include <algorithm>
#include <array>

#include "codec/codec_error.hpp"
#include "codec/factories.hpp"
#include "util/buffer.hpp"

namespace adoc {
namespace {

// What the library compresses in one go; packets wait for no more than this.
constexpr std::size_t kSliceBytes = std::size_t{64} * 1024;
constexpr std::size_t kHeaderBytesMax = 19;  // LZ4F_HEADER_SIZE_MAX, which old versions hide
constexpr std::array kLz4Magic{std::byte{0x04}, std::byte{0x22}, std::byte{0x4D}, std::byte{0x18}};
constexpr std::byte kHasDictionary{0x01};  // in the byte that follows the magic

struct FreeLz4 {
  void operator()(LZ4F_cctx* context) const noexcept { LZ4F_freeCompressionContext(context); }
  void operator()(LZ4F_dctx* context) const noexcept { LZ4F_freeDecompressionContext(context); }
};

std::size_t check_lz4(std::size_t result) {
  if (LZ4F_isError(result) != 0) throw_codec_failure(CodecId::lz4, LZ4F_getErrorName(result));
  return result;
}

LZ4F_preferences_t preferences(int level) {
  LZ4F_preferences_t result{};
  result.frameInfo.blockSizeID = LZ4F_max64KB;
  result.frameInfo.blockMode = LZ4F_blockLinked;
  result.compressionLevel = level;
  result.autoFlush = 1;
  return result;
}

class Lz4Compressor final : public Compressor {
 public:
  Lz4Compressor() {
    LZ4F_cctx* context = nullptr;
    check_lz4(LZ4F_createCompressionContext(&context, LZ4F_VERSION));
    context_.reset(context);
    const auto any_level = preferences(1);
    staging_.resize(std::max(LZ4F_compressBound(kSliceBytes, &any_level), kHeaderBytesMax));
  }

  void begin(std::span<const std::byte> raw, int level, const Prefix& /*prefix*/) override {
    rest_ = staged_ = {};
    finished_ = true;
    const auto settings = preferences(level);
    stage(LZ4F_compressBegin(context_.get(), staging_.data(), staging_.size(), &settings));
    raw_bytes_ = raw.size();
    rest_ = raw;
    finished_ = false;
  }

  std::size_t next_packet(std::span<std::byte> packet) override {
    std::size_t filled = 0;
    while (filled < packet.size()) {
      if (staged_.empty() && !compress_more()) break;
      const std::size_t bytes = std::min(staged_.size(), packet.size() - filled);
      std::copy_n(staged_.begin(), bytes, packet.subspan(filled).begin());
      staged_ = staged_.subspan(bytes);
      filled += bytes;
    }
    return filled;
  }

  std::size_t cut() noexcept override { return raw_bytes_; }

 private:
  void stage(std::size_t result) { staged_ = std::span(staging_).first(check_lz4(result)); }

  bool compress_more() {
    if (finished_) return false;
    // The block outlives its packets, so the library may look back into it instead of a copy.
    LZ4F_compressOptions_t options{};
    options.stableSrc = 1;
    if (rest_.empty()) {
      stage(LZ4F_compressEnd(context_.get(), staging_.data(), staging_.size(), &options));
      finished_ = true;
    } else {
      const auto slice = rest_.first(std::min(kSliceBytes, rest_.size()));
      stage(LZ4F_compressUpdate(context_.get(), staging_.data(), staging_.size(), slice.data(),
                                slice.size(), &options));
      rest_ = rest_.subspan(slice.size());
    }
    return true;
  }

  std::unique_ptr<LZ4F_cctx, FreeLz4> context_;
  Buffer staging_;
  std::span<const std::byte> staged_;  // of staging_, not handed out yet
  std::span<const std::byte> rest_;    // of the block, not compressed yet
  std::size_t raw_bytes_ = 0;
  bool finished_ = true;
};

class Lz4Decompressor final : public Decompressor {
 public:
  Lz4Decompressor() {
    LZ4F_dctx* context = nullptr;
    check_lz4(LZ4F_createDecompressionContext(&context, LZ4F_VERSION));
    context_.reset(context);
  }

  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw,
                  std::span<const std::byte> /*prefix*/) override {
    check_header(stored);
    LZ4F_resetDecompressionContext(context_.get());
    // All of the block lies in one piece, so the library may look back into it instead of a copy.
    LZ4F_decompressOptions_t options{};
    options.stableDst = 1;
    for (bool ended = false; !ended;) {
      std::size_t written = raw.size();
      std::size_t read = stored.size();
      const std::size_t result =
          LZ4F_decompress(context_.get(), raw.data(), &written, stored.data(), &read, &options);
      if (LZ4F_isError(result) != 0) throw_corrupt(CodecId::lz4, LZ4F_getErrorName(result));
      raw = raw.subspan(written);
      stored = stored.subspan(read);
      ended = result == 0;
      if (!ended && read == 0 && written == 0) {
        throw_corrupt(CodecId::lz4, stored.empty() ? kCutShort : kHoldsMore);
      }
    }
    if (!stored.empty()) throw_corrupt(CodecId::lz4, kTrailingBytes);
    if (!raw.empty()) throw_corrupt(CodecId::lz4, kHoldsLess);
  }

 private:
  /// The library would skip a skippable frame, and take a dictionary's absence for its presence.
  static void check_header(std::span<const std::byte> stored) {
    if (stored.size() <= kLz4Magic.size()) throw_corrupt(CodecId::lz4, kCutShort);
    if (!std::equal(kLz4Magic.begin(), kLz4Magic.end(), stored.begin())) {
      throw_corrupt(CodecId::lz4, "it is not an lz4 frame");
    }
    if ((stored[kLz4Magic.size()] & kHasDictionary) != std::byte{0}) {
      throw_corrupt(CodecId::lz4, "it asks for a dictionary");
    }
  }

  std::unique_ptr<LZ4F_dctx, FreeLz4> context_;
};

}  // namespace

std::unique_ptr<Compressor> make_lz4_compressor() { return std::make_unique<Lz4Compressor>(); }
std::unique_ptr<Decompressor> make_lz4_decompressor() {
  return std::make_unique<Lz4Decompressor>();
}

}  // namespace adoc
