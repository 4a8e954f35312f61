#include "messages/codec_stock.hpp"

#include <cstddef>
#include <optional>
#include <utility>

#include "util/guarded.hpp"

namespace adoc::messages {

namespace {

/// Of these sets as many wait as threads use them at once on a machine of some size; more are made
/// and thrown away.
constexpr std::size_t kMostWaiting = 4;

struct Stock {
  std::array<std::unique_ptr<Codecs>, kMostWaiting> waiting{};
  std::size_t size = 0;
};

/// Never destroyed: threads may still be at it when the process exits.
Guarded<Stock>& stock() {
  static auto* const kStock = new Guarded<Stock>();
  return *kStock;
}

std::optional<Guarded<Stock>::Lent<Stock>>& held() {
  static auto* const kHeld = new std::optional<Guarded<Stock>::Lent<Stock>>();
  return *kHeld;
}

}  // namespace

Compressor& Codecs::compressor(CodecId id) {
  auto& one = compressors[static_cast<std::size_t>(id)];
  if (!one) one = make_compressor(id);
  return *one;
}

Decompressor& Codecs::decompressor(CodecId id) {
  auto& one = decompressors[static_cast<std::size_t>(id)];
  if (!one) one = make_decompressor(id);
  return *one;
}

LentCodecs::LentCodecs() {
  {
    const auto lent = stock().lock();
    if (lent->size > 0) codecs_ = std::move(lent->waiting[--lent->size]);
  }
  if (!codecs_) codecs_ = std::make_unique<Codecs>();
}

LentCodecs::~LentCodecs() {
  const auto lent = stock().lock();
  if (lent->size < kMostWaiting) lent->waiting[lent->size++] = std::move(codecs_);
}

void hold_codec_stock() { held().emplace(stock().lock()); }

void release_codec_stock() noexcept { held().reset(); }

}  // namespace adoc::messages
