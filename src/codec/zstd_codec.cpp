#include <zstd.h>

#include <array>

#include "codec/codec_error.hpp"
#include "codec/factories.hpp"
#include "codec/frame_magic.hpp"

namespace adoc {
namespace {

// Covers the window of every level on the biggest block there is, 16 MiB. It is what bounds the
// memory that a frame can make the decompressor take.
constexpr int kWindowLogMax = 24;
constexpr std::array kMagic{std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F}, std::byte{0xFD}};

struct Free {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

std::size_t check(std::size_t result) {
  if (ZSTD_isError(result) != 0) throw_codec_failure(CodecId::zstd, ZSTD_getErrorName(result));
  return result;
}

class ZstdCompressor final : public Compressor {
 public:
  ZstdCompressor() : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw_codec_failure(CodecId::zstd, "no memory");
    check(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0));
  }

  void begin(std::span<const std::byte> raw, int level) override {
    finished_ = true;
    check(ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only));
    check(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
    // The tables are chosen by the size too: without it a small block pays for a large window.
    check(ZSTD_CCtx_setPledgedSrcSize(context_.get(), raw.size()));
    input_ = {raw.data(), raw.size(), 0};
    finished_ = false;
  }

  std::size_t next_packet(std::span<std::byte> packet) override {
    ZSTD_outBuffer output{packet.data(), packet.size(), 0};
    while (!finished_ && output.pos < output.size) {
      finished_ = check(ZSTD_compressStream2(context_.get(), &output, &input_, ZSTD_e_end)) == 0;
    }
    return output.pos;
  }

 private:
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  ZSTD_inBuffer input_{};
  bool finished_ = true;
};

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) throw_codec_failure(CodecId::zstd, "no memory");
    check(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLogMax));
  }

  void begin(std::span<std::byte> raw) override {
    check(ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only));
    output_ = {raw.data(), raw.size(), 0};
    magic_.restart();
    ended_ = false;
  }

  void feed(std::span<const std::byte> packet) override {
    if (!magic_.accepts(packet)) throw_corrupt(CodecId::zstd, "it is not a zstd frame");
    ZSTD_inBuffer input{packet.data(), packet.size(), 0};
    while (input.pos < input.size) {
      if (ended_) throw_corrupt(CodecId::zstd, kTrailingBytes);
      const std::size_t before = input.pos;
      const std::size_t result = ZSTD_decompressStream(context_.get(), &output_, &input);
      if (ZSTD_isError(result) != 0) throw_corrupt(CodecId::zstd, ZSTD_getErrorName(result));
      ended_ = result == 0;
      if (!ended_ && input.pos == before && output_.pos == output_.size) {
        throw_corrupt(CodecId::zstd, kHoldsMore);
      }
    }
  }

  void finish() override {
    if (!ended_) throw_corrupt(CodecId::zstd, kCutShort);
    if (output_.pos != output_.size) throw_corrupt(CodecId::zstd, kHoldsLess);
  }

 private:
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_outBuffer output_{};
  FrameMagic magic_{kMagic};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Compressor> make_zstd_compressor() { return std::make_unique<ZstdCompressor>(); }
std::unique_ptr<Decompressor> make_zstd_decompressor() {
  return std::make_unique<ZstdDecompressor>();
}

}  // namespace adoc
