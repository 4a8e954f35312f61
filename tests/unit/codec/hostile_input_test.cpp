#include <gtest/gtest.h>

#include <optional>

#include "adoc/error.hpp"
#include "unit/codec/codec_fixture.hpp"

namespace adoc::test {
namespace {

constexpr std::size_t kGuardBytes = 4'096;
constexpr std::byte kGuard{0xC3};

/// Decompresses between two guards. Returns the kind of the error, or nothing when all went well.
std::optional<ErrorKind> outcome(Decompressor& decompressor, std::span<const std::byte> stored,
                                 std::size_t raw_bytes, std::span<const std::byte> prefix = {}) {
  Bytes memory(raw_bytes + 2 * kGuardBytes, kGuard);
  const auto raw = std::span(memory).subspan(kGuardBytes, raw_bytes);
  std::optional<ErrorKind> result;
  try {
    decompressor.decompress(stored, raw, prefix);
  } catch (const Error& error) {
    result = error.kind();
  }
  const auto intact = [](std::byte byte) { return byte == kGuard; };
  EXPECT_TRUE(std::all_of(memory.begin(), memory.begin() + kGuardBytes, intact));
  EXPECT_TRUE(std::all_of(memory.end() - kGuardBytes, memory.end(), intact));
  return result;
}

class HostileInput : public testing::TestWithParam<Rung> {
 protected:
  void expect_corrupt(std::span<const std::byte> stream, std::size_t raw_bytes) {
    EXPECT_EQ(outcome(*decompressor_, stream, raw_bytes), ErrorKind::corrupt)
        << stream.size() << " bytes";
  }

  const Bytes raw_ = make_data(Kind::mixed, 700, 2);
  const Bytes stream_ = compress_whole(GetParam(), raw_);
  const std::unique_ptr<Decompressor> decompressor_ = make_decompressor(GetParam().codec);
};

INSTANTIATE_TEST_SUITE_P(Codecs, HostileInput,
                         testing::Values(Rung{CodecId::raw, 0}, Rung{CodecId::zlib, 1},
                                         Rung{CodecId::zlib, 9}, Rung{CodecId::lz4, 1},
                                         Rung{CodecId::lz4, 12}, Rung{CodecId::zstd, 1},
                                         Rung{CodecId::zstd, 19}),
                         [](const auto& rung) { return test_name(rung.param); });

TEST_P(HostileInput, EveryTruncationIsCorrupt) {
  // Goal: a stream cut anywhere, the empty one included, never passes for a whole block.
  for (std::size_t bytes = 0; bytes < stream_.size(); ++bytes) {
    expect_corrupt(std::span(stream_).first(bytes), raw_.size());
  }
}

TEST_P(HostileInput, EveryFlippedBitIsCorruptOrHarmless) {
  // Goal: no bit of a stream can make a decompressor crash, write elsewhere or blame itself.
  std::size_t corrupt = 0;
  for (std::size_t bit = 0; bit < 8 * stream_.size(); ++bit) {
    Bytes bad = stream_;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    const auto result = outcome(*decompressor_, bad, raw_.size());
    if (!result) continue;
    EXPECT_EQ(*result, ErrorKind::corrupt) << "bit " << bit;
    ++corrupt;
  }
  if (GetParam().codec != CodecId::raw) {
    EXPECT_GT(corrupt, 0U);
  }
  // What failed so often still works.
  EXPECT_EQ(outcome(*decompressor_, stream_, raw_.size()), std::nullopt);
}

TEST_P(HostileInput, OverwrittenBytesAreCorruptOrHarmless) {
  // Goal: the same for bytes at random, in a stream of more than one of the codec's own blocks.
  const Bytes large = make_data(Kind::mixed, 150'000, 3);
  const Bytes stream = compress_whole(GetParam(), large);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Bytes bad = stream;
    for (std::uint32_t count = 1 + random() % 8; count > 0; --count) {
      bad[random() % bad.size()] = static_cast<std::byte>(random() & 0xFF);
    }
    const auto result = outcome(*decompressor_, bad, large.size());
    EXPECT_EQ(result.value_or(ErrorKind::corrupt), ErrorKind::corrupt) << "seed " << seed;
  }
}

TEST_P(HostileInput, NoiseIsCorruptOrHarmless) {
  // Goal: bytes that were never a stream are refused like damaged ones.
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Bytes noise = make_data(Kind::random, 1 + seed * 7 % 900, seed);
    const auto result = outcome(*decompressor_, noise, 500);
    EXPECT_EQ(result.value_or(ErrorKind::corrupt), ErrorKind::corrupt) << "seed " << seed;
  }
}

TEST_P(HostileInput, TrailingBytesAreCorrupt) {
  // Goal: one byte after the end is an error, and so is a second stream.
  for (const std::byte extra : {std::byte{0}, std::byte{0x28}, std::byte{0xFF}}) {
    Bytes longer = stream_;
    longer.push_back(extra);
    expect_corrupt(longer, raw_.size());
  }
  Bytes twice = stream_;
  twice.insert(twice.end(), stream_.begin(), stream_.end());
  expect_corrupt(twice, raw_.size());
  const Bytes empty = compress_whole(GetParam(), {});
  if (empty.empty()) return;  // raw bytes have no end of their own
  Bytes followed = stream_;
  followed.insert(followed.end(), empty.begin(), empty.end());
  expect_corrupt(followed, raw_.size());
}

TEST_P(HostileInput, WrongRawLengthIsCorrupt) {
  // Goal: the raw length that was promised is kept exactly: neither more nor less comes out.
  for (const std::size_t raw_bytes :
       {std::size_t{0}, std::size_t{1}, raw_.size() - 1, raw_.size() + 1, std::size_t{100'000}}) {
    expect_corrupt(stream_, raw_bytes);
  }
}

TEST_P(HostileInput, BombStopsAtTheRawLength) {
  // Goal: a stream that inflates far past the raw length is stopped there, writing nothing beyond.
  const Bytes zeros(2'000'000, std::byte{0});
  const Bytes bomb = compress_whole(GetParam(), zeros);
  for (const std::size_t raw_bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65'536},
                                      std::size_t{204'800}, zeros.size() - 1}) {
    expect_corrupt(bomb, raw_bytes);
  }
}

Bytes bytes(std::initializer_list<int> values) {
  Bytes result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(HostileFrame, SkippableFrameIsNoBlock) {
  // Goal: frames that carry nothing, which the frame libraries skip, are not taken for a block.
  const Bytes skippable = bytes({0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 7});
  for (const CodecId id : {CodecId::lz4, CodecId::zstd}) {
    EXPECT_EQ(outcome(*make_decompressor(id), skippable, 0), ErrorKind::corrupt);
  }
}

TEST(HostileFrame, OneThatAsksForADictionaryIsRefused) {
  // Goal: there are no dictionaries, and a frame that names one is not decompressed without it.
  const Bytes zstd = bytes({0x28, 0xB5, 0x2F, 0xFD, 0x21, 7, 0, 0x01, 0x00, 0x00});
  EXPECT_EQ(outcome(*make_decompressor(CodecId::zstd), zstd, 0), ErrorKind::corrupt);
  Bytes lz4 = compress_whole({CodecId::lz4, 1}, make_data(Kind::text, 500, 1));
  lz4[4] |= std::byte{0x01};
  EXPECT_EQ(outcome(*make_decompressor(CodecId::lz4), lz4, 500), ErrorKind::corrupt);
}

TEST(HostileFrame, ZstdWindowBeyondTheLimitIsRefused) {
  // Goal: the format's limit is kept, also where this decompressor could do without it.
  // Magic, a descriptor without content size, a window of 2^25 bytes, one empty last raw block.
  const Bytes too_wide = bytes({0x28, 0xB5, 0x2F, 0xFD, 0x00, (25 - 10) << 3, 0x01, 0x00, 0x00});
  const Bytes widest = bytes({0x28, 0xB5, 0x2F, 0xFD, 0x00, (24 - 10) << 3, 0x01, 0x00, 0x00});
  EXPECT_EQ(outcome(*make_decompressor(CodecId::zstd), too_wide, 0), ErrorKind::corrupt);
  EXPECT_EQ(outcome(*make_decompressor(CodecId::zstd), widest, 0), std::nullopt);
}

TEST(UnknownCodec, IsCorrupt) {
  // Goal: a codec id from the wire that does not exist is the peer's fault and is named.
  for (const int id : {5, 6, 127, 255}) {
    try {
      static_cast<void>(make_decompressor(static_cast<CodecId>(id)));
      FAIL() << id;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      EXPECT_NE(std::string(error.what()).find(std::to_string(id)), std::string::npos);
    }
    EXPECT_THROW(static_cast<void>(make_compressor(static_cast<CodecId>(id))), Error);
  }
}

}  // namespace
}  // namespace adoc::test
