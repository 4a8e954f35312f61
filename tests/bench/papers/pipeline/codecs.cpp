#include "bench/papers/pipeline/codecs.hpp"

#include <lz4.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#ifdef ADOC_BENCH_BZIP2
#include <bzlib.h>
#endif
#ifdef ADOC_BENCH_SNAPPY
#include <snappy-c.h>
#endif

namespace papers {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPasses = 3;

[[noreturn]] void fail() { throw std::runtime_error("a codec failed"); }

class Copy final : public ChunkCodec {
 public:
  std::size_t bound(std::size_t raw_bytes) const override { return raw_bytes; }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    std::ranges::copy(raw, out.begin());
    return raw.size();
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    if (stored.size() != raw.size()) fail();
    std::ranges::copy(stored, raw.begin());
  }
};

class Lz4 final : public ChunkCodec {
 public:
  std::size_t bound(std::size_t raw_bytes) const override {
    return static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(raw_bytes)));
  }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    const int size = LZ4_compress_default(
        reinterpret_cast<const char*>(raw.data()), reinterpret_cast<char*>(out.data()),
        static_cast<int>(raw.size()), static_cast<int>(out.size()));
    if (size <= 0) fail();
    return static_cast<std::size_t>(size);
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    const int size = LZ4_decompress_safe(
        reinterpret_cast<const char*>(stored.data()), reinterpret_cast<char*>(raw.data()),
        static_cast<int>(stored.size()), static_cast<int>(raw.size()));
    if (size < 0 || static_cast<std::size_t>(size) != raw.size()) fail();
  }
};

class Zstd final : public ChunkCodec {
 public:
  std::size_t bound(std::size_t raw_bytes) const override { return ZSTD_compressBound(raw_bytes); }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    const std::size_t size =
        ZSTD_compressCCtx(compressor_.get(), out.data(), out.size(), raw.data(), raw.size(), 1);
    if (ZSTD_isError(size) != 0) fail();
    return size;
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    const std::size_t size = ZSTD_decompressDCtx(decompressor_.get(), raw.data(), raw.size(),
                                                 stored.data(), stored.size());
    if (ZSTD_isError(size) != 0 || size != raw.size()) fail();
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* one) const { ZSTD_freeCCtx(one); }
    void operator()(ZSTD_DCtx* one) const { ZSTD_freeDCtx(one); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> compressor_{ZSTD_createCCtx()};
  std::unique_ptr<ZSTD_DCtx, Free> decompressor_{ZSTD_createDCtx()};
};

class Zlib final : public ChunkCodec {
 public:
  std::size_t bound(std::size_t raw_bytes) const override { return compressBound(raw_bytes); }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    uLongf size = out.size();
    if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                  reinterpret_cast<const Bytef*>(raw.data()), raw.size(), 6) != Z_OK) {
      fail();
    }
    return size;
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    uLongf size = raw.size();
    if (uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                   reinterpret_cast<const Bytef*>(stored.data()), stored.size()) != Z_OK ||
        size != raw.size()) {
      fail();
    }
  }
};

#ifdef ADOC_BENCH_BZIP2
class Bzip2 final : public ChunkCodec {
 public:
  // As its manual has it.
  std::size_t bound(std::size_t raw_bytes) const override {
    return raw_bytes + raw_bytes / 100 + 601;
  }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    auto size = static_cast<unsigned>(out.size());
    auto* const from = reinterpret_cast<char*>(const_cast<std::byte*>(raw.data()));
    if (BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size, from,
                                 static_cast<unsigned>(raw.size()), 9, 0, 0) != BZ_OK) {
      fail();
    }
    return size;
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    auto size = static_cast<unsigned>(raw.size());
    auto* const from = reinterpret_cast<char*>(const_cast<std::byte*>(stored.data()));
    if (BZ2_bzBuffToBuffDecompress(reinterpret_cast<char*>(raw.data()), &size, from,
                                   static_cast<unsigned>(stored.size()), 0, 0) != BZ_OK ||
        size != raw.size()) {
      fail();
    }
  }
};
#endif

#ifdef ADOC_BENCH_SNAPPY
class Snappy final : public ChunkCodec {
 public:
  std::size_t bound(std::size_t raw_bytes) const override {
    return snappy_max_compressed_length(raw_bytes);
  }
  std::size_t compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
    std::size_t size = out.size();
    if (snappy_compress(reinterpret_cast<const char*>(raw.data()), raw.size(),
                        reinterpret_cast<char*>(out.data()), &size) != SNAPPY_OK) {
      fail();
    }
    return size;
  }
  void decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
    std::size_t size = raw.size();
    if (snappy_uncompress(reinterpret_cast<const char*>(stored.data()), stored.size(),
                          reinterpret_cast<char*>(raw.data()), &size) != SNAPPY_OK ||
        size != raw.size()) {
      fail();
    }
  }
};
#endif

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::vector<std::string_view> chunk_codecs() {
  return {
#ifdef ADOC_BENCH_SNAPPY
      "snappy",
#endif
      "lz4", "zstd 1"};
}

std::vector<std::string_view> every_codec() {
  auto all = chunk_codecs();
  all.push_back("zlib 6");
#ifdef ADOC_BENCH_BZIP2
  all.push_back("bzip2");
#endif
  return all;
}

std::unique_ptr<ChunkCodec> make_chunk_codec(std::string_view name) {
#ifdef ADOC_BENCH_SNAPPY
  if (name == "snappy") return std::make_unique<Snappy>();
#endif
#ifdef ADOC_BENCH_BZIP2
  if (name == "bzip2") return std::make_unique<Bzip2>();
#endif
  if (name == "zlib 6") return std::make_unique<Zlib>();
  if (name == "copy") return std::make_unique<Copy>();
  if (name == "lz4") return std::make_unique<Lz4>();
  if (name == "zstd 1") return std::make_unique<Zstd>();
  throw std::invalid_argument("this build has no such codec");
}

std::vector<ChunkTimes> measure_chunks(ChunkCodec& codec, std::span<const std::byte> message,
                                       std::size_t chunk_bytes) {
  std::vector<ChunkTimes> best;
  std::vector<std::byte> stored(codec.bound(std::min(chunk_bytes, message.size())));
  std::vector<std::byte> back(std::min(chunk_bytes, message.size()));
  for (int pass = 0; pass < kPasses; ++pass) {
    std::size_t index = 0;
    for (std::size_t at = 0; at < message.size(); at += chunk_bytes, ++index) {
      const auto raw = message.subspan(at, std::min(chunk_bytes, message.size() - at));
      const auto room = std::span(back).first(raw.size());
      auto start = Clock::now();
      const std::size_t size = codec.compress(raw, stored);
      const double compress = seconds_since(start);
      start = Clock::now();
      codec.decompress(std::span(stored).first(size), room);
      const double decompress = seconds_since(start);
      if (!std::ranges::equal(room, raw)) throw std::logic_error("a chunk came back changed");
      if (pass == 0) {
        best.push_back(
            {static_cast<double>(raw.size()), compress, static_cast<double>(size), decompress});
        continue;
      }
      best[index].compress = std::min(best[index].compress, compress);
      best[index].decompress = std::min(best[index].decompress, decompress);
    }
  }
  return best;
}

}  // namespace papers
