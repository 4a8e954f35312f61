// The library's header is for C alone up to version 1.2.
extern "C" {
#include <libbz3.h>
}

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "codec/apart.hpp"
#include "codec/codec_error.hpp"
#include "codec/factories.hpp"
#include "util/buffer.hpp"

namespace adoc {
namespace {

/// The library refuses to make less.
constexpr std::size_t kLeastStateBytes = 65 << 10;

/// What a block may grow by before it is sorted: run lengths by less than 64 bytes, and what finds
/// repetitions by as much once more.
constexpr std::size_t kMostGrowth = 128;

/// Up to this length the library stores a block as it is.
constexpr std::size_t kSortedFrom = 64;

// The parts of a block's header: checksum:u32 index:u32 [model:u8 [repetitions:u32] [runs:u32]]
constexpr std::size_t kLeastHeaderBytes = 8;
constexpr std::uint32_t kStoredAsIs = 0xffff'ffff;
constexpr unsigned kRepetitions = 2;
constexpr unsigned kRuns = 4;

/// What the library is told that blocks are at most. It allocates by that, so a margin of our own
/// lies behind all that a header which passed check_header() can name.
std::size_t state_bytes(std::size_t raw_bytes) noexcept {
  return std::max(kLeastStateBytes, raw_bytes + 2 * kMostGrowth);
}

struct FreeBzip3 {
  void operator()(bz3_state* state) const noexcept { bz3_free(state); }
};

/// The library's state, and the buffer that it finds a block in and leaves the result in.
struct Sorter {
  explicit Sorter(std::size_t raw_bytes)
      : most_bytes(state_bytes(raw_bytes)),
        state(bz3_new(static_cast<std::int32_t>(most_bytes))),
        buffer(bz3_bound(most_bytes)) {
    if (state == nullptr) throw std::bad_alloc();
  }

  [[nodiscard]] std::uint8_t* bytes() noexcept {
    return reinterpret_cast<std::uint8_t*>(buffer.data());
  }

  std::int32_t encode(std::size_t size) noexcept {
    return bz3_encode_block(state.get(), bytes(), static_cast<std::int32_t>(size));
  }

  std::size_t most_bytes;
  std::unique_ptr<bz3_state, FreeBzip3> state;
  Buffer buffer;
};

/// From version 1.5 on the library is told how long the buffer is, too.
using DecodeUpTo14 = std::int32_t (*)(bz3_state*, std::uint8_t*, std::int32_t, std::int32_t);
using DecodeFrom15 = std::int32_t (*)(bz3_state*, std::uint8_t*, std::size_t, std::int32_t,
                                      std::int32_t);

[[maybe_unused]] std::int32_t decode_with(DecodeUpTo14 decode, Sorter& sorter, std::int32_t stored,
                                          std::int32_t raw) {
  return decode(sorter.state.get(), sorter.bytes(), stored, raw);
}
[[maybe_unused]] std::int32_t decode_with(DecodeFrom15 decode, Sorter& sorter, std::int32_t stored,
                                          std::int32_t raw) {
  return decode(sorter.state.get(), sorter.bytes(), sorter.buffer.size(), stored, raw);
}

/// Writes to all of the library's own buffer. Version 1.2 reads one byte behind what it has written
/// there, if a block ends within a run's length; that is to be a byte of ours. This block has no
/// runs, which is the first thing that the library looks for, and is one repetition, so what comes
/// then is soon over: 7 ms a MiB.
void fill_library_buffer(Sorter& sorter) {
  for (std::size_t i = 0; i < sorter.most_bytes; ++i) sorter.bytes()[i] = i % 2 == 0 ? 0x55 : 0xaa;
  static_cast<void>(sorter.encode(sorter.most_bytes));
  std::memset(sorter.bytes(), 0, sorter.buffer.size());
}

std::optional<std::string_view> wrong_size(std::uint32_t size, std::size_t raw_bytes) {
  if (size < kSortedFrom / 2) return "a length in its header is too small";
  if (size > raw_bytes + kMostGrowth) return "a length in its header is too large";
  return std::nullopt;
}

/// What is wrong with a block's header. The library checks most of it, but against what it has
/// allocated rather than against what its own compressor can have made, and reads it before.
std::optional<std::string_view> wrong_header(ByteSpan stored, std::size_t raw_bytes) {
  if (stored.size() < kLeastHeaderBytes) return kCutShort;
  ByteReader in(stored, "bzip3 block");
  static_cast<void>(in.u32());
  const std::uint32_t index = in.u32();
  if (index == kStoredAsIs) {
    if (raw_bytes >= kSortedFrom) return "it is not sorted";
    if (in.remaining() != raw_bytes) return in.remaining() > raw_bytes ? kHoldsMore : kHoldsLess;
    return std::nullopt;
  }
  if (raw_bytes < kSortedFrom) return "it is too short to be sorted";
  if (in.remaining() == 0) return kCutShort;
  const unsigned model = in.u8();
  if ((model & ~(kRepetitions | kRuns)) != 0) return "it is of an unknown kind";
  std::size_t sorted = 0;
  for (int sizes = std::popcount(model); sizes != 0; --sizes) {
    if (in.remaining() < 4) return kCutShort;
    const std::uint32_t size = in.u32();
    if (const auto wrong = wrong_size(size, raw_bytes)) return wrong;
    if (sorted == 0) sorted = size;
  }
  if (in.remaining() == 0) return kCutShort;
  if (index == 0 || index >= (sorted != 0 ? sorted : raw_bytes)) return "its index is too large";
  return std::nullopt;
}

std::size_t decode(Sorter& sorter, std::size_t stored_bytes, std::size_t raw_bytes) {
  const std::int32_t size =
      decode_with(&bz3_decode_block, sorter, static_cast<std::int32_t>(stored_bytes),
                  static_cast<std::int32_t>(raw_bytes));
  if (size < 0) throw_corrupt(CodecId::bzip3, bz3_strerror(sorter.state.get()));
  return static_cast<std::size_t>(size);
}

class Bzip3Compressor final : public Compressor {
 public:
  explicit Bzip3Compressor(Meanwhile meanwhile) : meanwhile_(std::move(meanwhile)) {}

  void begin(std::span<const std::byte> raw, int level, const Prefix&) override {
    raw_ = raw;
    most_bytes_ = state_bytes(std::max(raw.size(), static_cast<std::size_t>(level) << 20));
    made_ = false;
    given_ = 0;
    seconds_elsewhere_ = 0;
  }

  std::size_t next_packet(std::span<std::byte> packet) override {
    if (!made_) make();
    const std::size_t length = std::min(packet.size(), size_ - given_);
    std::memcpy(packet.data(), sorter_->buffer.data() + given_, length);
    given_ += length;
    return length;
  }

  std::size_t cut() noexcept override { return raw_.size(); }

  double seconds_elsewhere() const noexcept override { return seconds_elsewhere_; }

 private:
  void make() {
    // If nobody waits for it any more, it is the work's alone.
    std::shared_ptr<Sorter> sorter = std::move(sorter_);
    if (!sorter || sorter->most_bytes < state_bytes(raw_.size()) ||
        sorter->most_bytes > most_bytes_) {
      sorter.reset();  // first, so that there are never two
      sorter = std::make_shared<Sorter>(raw_.size());
    }
    std::ranges::copy(raw_, sorter->buffer.data());
    const auto stored = std::make_shared<std::int32_t>(0);
    seconds_elsewhere_ = run_apart(
        [sorter, stored, size = raw_.size()] { *stored = sorter->encode(size); }, meanwhile_);
    if (*stored < 0) throw_codec_failure(CodecId::bzip3, bz3_strerror(sorter->state.get()));
    sorter_ = std::move(sorter);
    size_ = static_cast<std::size_t>(*stored);
    // A block that nobody takes has grown.
    if (wrong_header({sorter_->buffer.data(), size_}, raw_.size()))
      size_ = std::max(size_, raw_.size() + 1);
    made_ = true;
  }

  Meanwhile meanwhile_;
  std::shared_ptr<Sorter> sorter_;
  std::span<const std::byte> raw_{};
  std::size_t most_bytes_ = 0;  // of the state: more would be of a longer rung
  std::size_t size_ = 0;
  std::size_t given_ = 0;
  double seconds_elsewhere_ = 0;
  bool made_ = false;
};

/// Nothing is kept between two blocks: what one takes is more than all else at the receiver.
class Bzip3Decompressor final : public Decompressor {
 public:
  Bzip3Decompressor(Meanwhile meanwhile, std::shared_ptr<const void> memory)
      : meanwhile_(std::move(meanwhile)), memory_(std::move(memory)) {}

  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw,
                  std::span<const std::byte>) override {
    if (const auto wrong = wrong_header(stored, raw.size())) throw_corrupt(CodecId::bzip3, *wrong);
    const auto sorter = std::make_shared<Sorter>(raw.size());
    if (stored.size() > sorter->buffer.size()) throw_corrupt(CodecId::bzip3, kTrailingBytes);
    run_apart([sorter, memory = memory_] { fill_library_buffer(*sorter); }, meanwhile_);
    std::ranges::copy(stored, sorter->buffer.data());
    const auto size = std::make_shared<std::size_t>(0);
    run_apart([=, memory = memory_, stored_bytes = stored.size(),
               raw_bytes = raw.size()] { *size = decode(*sorter, stored_bytes, raw_bytes); },
              meanwhile_);
    if (*size != raw.size()) throw_corrupt(CodecId::bzip3, kHoldsLess);
    std::copy_n(sorter->buffer.data(), raw.size(), raw.data());
  }

 private:
  Meanwhile meanwhile_;
  std::shared_ptr<const void> memory_;
};

}  // namespace

bool has_bzip3() noexcept { return true; }

// The library's numbers: 4 bytes for each of the block's to sort it, 1 MiB to find repetitions,
// 150 KiB to predict with.
std::size_t bzip3_bytes(std::size_t raw_bytes) noexcept {
  constexpr std::size_t kTables = 1'216 << 10;
  const std::size_t most = state_bytes(raw_bytes);
  return 2 * bz3_bound(most) + 4 * most + kTables;
}

std::unique_ptr<Compressor> make_bzip3_compressor(Meanwhile meanwhile) {
  return std::make_unique<Bzip3Compressor>(std::move(meanwhile));
}
std::unique_ptr<Decompressor> make_bzip3_decompressor(Meanwhile meanwhile,
                                                      std::shared_ptr<const void> memory) {
  return std::make_unique<Bzip3Decompressor>(std::move(meanwhile), std::move(memory));
}

}  // namespace adoc
