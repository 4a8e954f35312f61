#include <algorithm>

#include "codec/codec_error.hpp"
#include "codec/factories.hpp"

namespace adoc {
namespace {

class RawCompressor final : public Compressor {
 public:
  void begin(std::span<const std::byte> raw, int /*level*/, const Prefix& /*prefix*/) override {
    raw_ = raw;
    taken_ = 0;
  }

  std::size_t next_packet(std::span<std::byte> packet) override {
    const auto slice = raw_.subspan(taken_, std::min(packet.size(), raw_.size() - taken_));
    // Not std::ranges::copy: from const to non-const bytes, g++ 12 makes a loop of that.
    std::copy(slice.begin(), slice.end(), packet.begin());
    taken_ += slice.size();
    return slice.size();
  }

  std::size_t cut() noexcept override { return raw_.size(); }

 private:
  std::span<const std::byte> raw_;
  std::size_t taken_ = 0;
};

class RawDecompressor final : public Decompressor {
 public:
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw,
                  std::span<const std::byte> /*prefix*/) override {
    if (stored.size() > raw.size()) throw_corrupt(CodecId::raw, kHoldsMore);
    if (stored.size() < raw.size()) throw_corrupt(CodecId::raw, kHoldsLess);
    std::copy(stored.begin(), stored.end(), raw.begin());
  }
};

}  // namespace

std::unique_ptr<Compressor> make_raw_compressor() { return std::make_unique<RawCompressor>(); }
std::unique_ptr<Decompressor> make_raw_decompressor() {
  return std::make_unique<RawDecompressor>();
}

}  // namespace adoc
