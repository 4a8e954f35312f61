// For ZSTD_c_stableInBuffer, which a library may have or not, and memory of ours.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "codec/apart.hpp"
#include "codec/codec_error.hpp"
#include "codec/factories.hpp"
#include "codec/ladder.hpp"
#include "util/large_memory.hpp"

namespace adoc {
namespace {

// Covers the biggest block there is, 16 MiB, and at most as much of prefix and block together.
constexpr int kWindowLogMax = 24;
constexpr int kWindowLogMin = 10;

// Smaller blocks are done before anybody would want to cut them.
constexpr std::size_t kLeastToCut = std::size_t{1} << 20;

// With an unknown length, zstd takes a prefix up to this long for the size of the data, and the
// tables that go with it are much too small for a block of kLeastToCut.
constexpr std::size_t kMisleadingPrefixBytes = std::size_t{256} << 10;

// A context keeps the tables of the densest level that it was used for. Up to this much it may:
// to make large tables anew takes some 20 ms, which is nothing only for the levels that need them.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20;

// What such levels take in at once takes them up to a quarter of a second.
constexpr int kSlowLevel = 13;
constexpr std::size_t kSlowStepBytes = std::size_t{128} << 10;

constexpr ZSTD_customMem kMemory{allocate_for_library, free_for_library, nullptr};

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

std::size_t check_zstd(std::size_t result) {
  if (ZSTD_isError(result) != 0) throw_codec_failure(CodecId::zstd, ZSTD_getErrorName(result));
  return result;
}

/// The log of the window that reaches from a block's end to its prefix's start.
int window_log(std::size_t bytes) {
  const int log = static_cast<int>(std::bit_width(std::max<std::size_t>(bytes, 2) - 1));
  return std::clamp(log, kWindowLogMin, kWindowLogMax);
}

/// The widest window that a level's own tables can make use of: beyond that, only the buffer that
/// zstd keeps it in would grow, and no longer fit into a cache.
int window_log_of_level(int level) {
  if (level < 2) return 19;
  if (level < 3) return 20;
  if (level < 9) return 21;
  return level < 16 ? 22 : kWindowLogMax;
}

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(Meanwhile meanwhile) : meanwhile_(std::move(meanwhile)) {
    make_context();
  }

  void begin(std::span<const std::byte> raw, int level, const Prefix& given) override {
    finished_ = true;
    input_ = {};
    seconds_elsewhere_ = 0;
    // One that was left alone is not this one's any more.
    if (context_ == nullptr) make_context();
    if (const std::size_t needed = compressor_bytes({CodecId::zstd, level});
        held_bytes_ > kKeptBytes && needed < held_bytes_ / 2) {
      make_context();
    }
    held_bytes_ = std::max(held_bytes_, compressor_bytes({CodecId::zstd, level}));
    check_zstd(ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only));
    check_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
    cuttable_ = raw.size() >= kLeastToCut;
    const bool misleads = cuttable_ && given.bytes.size() <= kMisleadingPrefixBytes;
    const auto prefix = misleads ? std::span<const std::byte>() : given.bytes;
    set_window(raw.size(), level, prefix.size());
    read_in_place(!cuttable_ && prefix.empty());
    check_zstd(ZSTD_CCtx_refPrefix(context_.get(), prefix.data(), prefix.size()));
    if (cuttable_) {
      start_without_length(prefix.empty() ? nullptr : given.owner);
    } else {
      // The tables are chosen by the length too: without it a small block pays for large ones.
      check_zstd(ZSTD_CCtx_setPledgedSrcSize(context_.get(), raw.size()));
    }
    step_bytes_ = cuttable_ && level >= kSlowLevel ? kSlowStepBytes : raw.size();
    input_ = {raw.data(), 0, 0};
    raw_bytes_ = raw.size();
    finished_ = false;
  }

  std::size_t next_packet(std::span<std::byte> packet) override {
    ZSTD_outBuffer output{packet.data(), packet.size(), 0};
    while (!finished_ && output.pos < output.size) {
      if (input_.pos == input_.size) input_.size = std::min(input_.pos + step_bytes_, raw_bytes_);
      const bool last = input_.size == raw_bytes_;
      const std::size_t left = check_zstd(ZSTD_compressStream2(
          context_.get(), &output, &input_, last ? ZSTD_e_end : ZSTD_e_continue));
      finished_ = last && left == 0;
      if (!last && meanwhile_) meanwhile_();
    }
    return output.pos;
  }

  std::size_t cut() noexcept override {
    // What was taken in is in the context's own buffer, so the input may end here.
    if (cuttable_ && !finished_ && input_.pos > 0) raw_bytes_ = input_.size = input_.pos;
    return raw_bytes_;
  }

  double seconds_elsewhere() const noexcept override { return seconds_elsewhere_; }

 private:
  void make_context() {
    context_.reset();  // first, so that there are never two
    context_ = {ZSTD_createCCtx_advanced(kMemory), FreeZstd()};
    if (context_ == nullptr) throw_codec_failure(CodecId::zstd, "no memory");
    check_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0));
    held_bytes_ = 0;
  }

  void set_window(std::size_t raw_bytes, int level, std::size_t prefix_bytes) {
    int log = 0;  // the level's own, for the pledged length
    if (prefix_bytes != 0) {
      log = window_log(prefix_bytes + raw_bytes);
    } else if (cuttable_) {
      log = std::min(window_log(raw_bytes), window_log_of_level(level));
    }
    check_zstd(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, log));
  }

  /// Without a copy of what is compressed, which is a thirtieth of the work of fast levels and a
  /// quarter where data vanish. It cannot be cut then, as the input has to stay what it is, and a
  /// prefix would not be used (zstd 1.5.4). A library that cannot do that makes its copy.
  void read_in_place(bool in_place) {
#ifdef ZSTD_c_stableInBuffer
    static_cast<void>(
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_stableInBuffer, in_place ? 1 : 0));
#endif
  }

  /// When its first call is ZSTD_e_end, zstd pledges the input's length by itself. This one indexes
  /// the prefix.
  void start_without_length(const std::shared_ptr<const void>& prefix) {
    const auto context = std::move(context_);
    const auto result = std::make_shared<std::size_t>(0);
    seconds_elsewhere_ = run_apart(
        [context, prefix, result] {
          ZSTD_outBuffer output{nullptr, 0, 0};
          ZSTD_inBuffer nothing{nullptr, 0, 0};
          *result = ZSTD_compressStream2(context.get(), &output, &nothing, ZSTD_e_continue);
        },
        prefix != nullptr ? meanwhile_ : Meanwhile());
    context_ = context;
    check_zstd(*result);
  }

  Meanwhile meanwhile_;
  std::shared_ptr<ZSTD_CCtx> context_;
  std::size_t held_bytes_ = 0;  // about what the context takes
  ZSTD_inBuffer input_{};       // as far as it may be taken in
  std::size_t step_bytes_ = 0;  // that are taken in before somebody looks around
  std::size_t raw_bytes_ = 0;
  double seconds_elsewhere_ = 0;
  bool cuttable_ = false;
  bool finished_ = true;
};

/// What a frame's header must be like. Decompressed in one go, a frame makes the library allocate
/// nothing, whatever window it names, so the limits are those of the format (adoc.5), kept here so
/// that every implementation can rely on them.
void check_frame(std::span<const std::byte> stored) {
  // Skippable frames and zstd's legacy formats have another magic: a block has no use for them, and
  // each is a decoder more that the peer could reach.
  constexpr std::array kMagic{std::byte{0x28}, std::byte{0xB5}, std::byte{0x2F}, std::byte{0xFD}};
  constexpr std::byte kSingleSegment{0x20};
  constexpr std::byte kDictionaryId{0x03};
  if (stored.size() < kMagic.size() + 2) throw_corrupt(CodecId::zstd, kCutShort);
  if (!std::equal(kMagic.begin(), kMagic.end(), stored.begin())) {
    throw_corrupt(CodecId::zstd, "it is not a zstd frame");
  }
  const std::byte descriptor = stored[kMagic.size()];
  if ((descriptor & kDictionaryId) != std::byte{0}) {
    throw_corrupt(CodecId::zstd, "it asks for a dictionary");
  }
  if ((descriptor & kSingleSegment) != std::byte{0}) return;  // its window is its content
  const auto window = std::to_integer<unsigned>(stored[kMagic.size() + 1]);
  // RFC 8878, 3.1.1.1.2: an exponent of 5 bits and eighths of it in 3.
  if (window > (static_cast<unsigned>(kWindowLogMax) - 10) << 3) {
    throw_corrupt(CodecId::zstd, "its window is too large");
  }
}

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx_advanced(kMemory)) {
    if (context_ == nullptr) throw_codec_failure(CodecId::zstd, "no memory");
  }

  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw,
                  std::span<const std::byte> prefix) override {
    check_frame(stored);
    // The library would take several frames for as good as one.
    const std::size_t frame_bytes = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(frame_bytes) != 0) throw_corrupt(CodecId::zstd, kCutShort);
    if (frame_bytes < stored.size()) throw_corrupt(CodecId::zstd, kTrailingBytes);
    const auto content_bytes = ZSTD_getFrameContentSize(stored.data(), stored.size());
    if (content_bytes != ZSTD_CONTENTSIZE_UNKNOWN && content_bytes != raw.size()) {
      throw_corrupt(CodecId::zstd, content_bytes > raw.size() ? kHoldsMore : kHoldsLess);
    }
    check_zstd(ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only));
    check_zstd(ZSTD_DCtx_refPrefix(context_.get(), prefix.data(), prefix.size()));
    const std::size_t bytes =
        ZSTD_decompressDCtx(context_.get(), raw.data(), raw.size(), stored.data(), stored.size());
    if (ZSTD_getErrorCode(bytes) == ZSTD_error_dstSize_tooSmall) {
      throw_corrupt(CodecId::zstd, kHoldsMore);
    }
    if (ZSTD_isError(bytes) != 0) throw_corrupt(CodecId::zstd, ZSTD_getErrorName(bytes));
    if (bytes < raw.size()) throw_corrupt(CodecId::zstd, kHoldsLess);
  }

 private:
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
};

}  // namespace

std::unique_ptr<Compressor> make_zstd_compressor(Meanwhile meanwhile) {
  return std::make_unique<ZstdCompressor>(std::move(meanwhile));
}
std::unique_ptr<Decompressor> make_zstd_decompressor() {
  return std::make_unique<ZstdDecompressor>();
}

}  // namespace adoc
