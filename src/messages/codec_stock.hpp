#pragma once

#include <array>
#include <memory>

#include "codec/codec.hpp"

namespace adoc::messages {

/// One compressor and one decompressor of each codec, made when they are first needed.
struct Codecs {
  std::array<std::unique_ptr<Compressor>, kCodecs> compressors{};
  std::array<std::unique_ptr<Decompressor>, kCodecs> decompressors{};

  [[nodiscard]] Compressor& compressor(CodecId id);
  [[nodiscard]] Decompressor& decompressor(CodecId id);
};

/// Codecs for as long as a call needs them. They are megabytes, and no descriptor that is idle has
/// any: a few wait in a stock that all threads share.
class LentCodecs {
 public:
  LentCodecs();
  ~LentCodecs();
  LentCodecs(const LentCodecs&) = delete;
  LentCodecs& operator=(const LentCodecs&) = delete;

  [[nodiscard]] Codecs* operator->() const noexcept { return codecs_.get(); }

 private:
  std::unique_ptr<Codecs> codecs_;
};

/// Keeps the stock as it is, for a fork(): from the one to the other, by one thread.
void hold_codec_stock();
void release_codec_stock() noexcept;

}  // namespace adoc::messages
