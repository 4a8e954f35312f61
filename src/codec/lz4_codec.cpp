#include <lz4frame.h>

#include <algorithm>
#include <array>
#include <vector>

#include "codec/codec_error.hpp"
#include "codec/factories.hpp"
#include "codec/frame_magic.hpp"

namespace adoc {
namespace {

// What the library compresses in one go; packets wait for no more than this.
constexpr std::size_t kSliceBytes = std::size_t{64} * 1024;
constexpr std::size_t kHeaderBytesMax = 19;  // LZ4F_HEADER_SIZE_MAX, which old versions hide
constexpr std::array kMagic{std::byte{0x04}, std::byte{0x22}, std::byte{0x4D}, std::byte{0x18}};

struct Free {
  void operator()(LZ4F_cctx* context) const noexcept { LZ4F_freeCompressionContext(context); }
  void operator()(LZ4F_dctx* context) const noexcept { LZ4F_freeDecompressionContext(context); }
};

std::size_t check(std::size_t result) {
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
    check(LZ4F_createCompressionContext(&context, LZ4F_VERSION));
    context_.reset(context);
    const auto any_level = preferences(1);
    staging_.resize(std::max(LZ4F_compressBound(kSliceBytes, &any_level), kHeaderBytesMax));
  }

  void begin(std::span<const std::byte> raw, int level) override {
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

 private:
  void stage(std::size_t result) { staged_ = std::span(staging_).first(check(result)); }

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

  std::unique_ptr<LZ4F_cctx, Free> context_;
  std::vector<std::byte> staging_;
  std::span<const std::byte> staged_;  // of staging_, not handed out yet
  std::span<const std::byte> rest_;    // of the block, not compressed yet
  std::size_t raw_bytes_ = 0;
  bool finished_ = true;
};

class Lz4Decompressor final : public Decompressor {
 public:
  Lz4Decompressor() {
    LZ4F_dctx* context = nullptr;
    check(LZ4F_createDecompressionContext(&context, LZ4F_VERSION));
    context_.reset(context);
  }

  void begin(std::span<std::byte> raw) override {
    LZ4F_resetDecompressionContext(context_.get());
    rest_ = raw;
    magic_.restart();
    ended_ = false;
  }

  void feed(std::span<const std::byte> packet) override {
    if (!magic_.accepts(packet)) throw_corrupt(CodecId::lz4, "it is not an lz4 frame");
    // All of the block lies in one piece, so the library may look back into it instead of a copy.
    LZ4F_decompressOptions_t options{};
    options.stableDst = 1;
    while (!packet.empty()) {
      if (ended_) throw_corrupt(CodecId::lz4, kTrailingBytes);
      std::size_t written = rest_.size();
      std::size_t read = packet.size();
      const std::size_t result =
          LZ4F_decompress(context_.get(), rest_.data(), &written, packet.data(), &read, &options);
      if (LZ4F_isError(result) != 0) throw_corrupt(CodecId::lz4, LZ4F_getErrorName(result));
      rest_ = rest_.subspan(written);
      packet = packet.subspan(read);
      ended_ = result == 0;
      if (!ended_ && read == 0 && written == 0) throw_corrupt(CodecId::lz4, kHoldsMore);
    }
  }

  void finish() override {
    if (!ended_) throw_corrupt(CodecId::lz4, kCutShort);
    if (!rest_.empty()) throw_corrupt(CodecId::lz4, kHoldsLess);
  }

 private:
  std::unique_ptr<LZ4F_dctx, Free> context_;
  std::span<std::byte> rest_;  // of the block, not filled yet
  FrameMagic magic_{kMagic};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Compressor> make_lz4_compressor() { return std::make_unique<Lz4Compressor>(); }
std::unique_ptr<Decompressor> make_lz4_decompressor() {
  return std::make_unique<Lz4Decompressor>();
}

}  // namespace adoc
