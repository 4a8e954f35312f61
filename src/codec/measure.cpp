#include "codec/measure.hpp"

#include <algorithm>
#include <vector>

#include "adoc/error.hpp"
#include "util/clock.hpp"

namespace adoc {
namespace {

constexpr std::size_t kPacketBytes = 8'192;
constexpr int kMaxPasses = 5;
constexpr double kEnoughSeconds = 0.1;

struct Pass {
  double compress_seconds = 0;
  double decompress_seconds = 0;
  std::size_t stored_bytes = 0;
};

class Bench {
 public:
  explicit Bench(const Rung& rung)
      : rung_(rung),
        compressor_(make_compressor(rung.codec)),
        decompressor_(make_decompressor(rung.codec)) {}

  Pass run(std::span<const std::byte> data, const BlockShape& shape) {
    Pass pass;
    for (std::size_t begin = 0; begin < data.size(); begin += shape.block_bytes) {
      const auto block = data.subspan(begin, std::min(shape.block_bytes, data.size() - begin));
      const std::size_t prefix_bytes = std::min(shape.prefix_bytes, begin);
      const auto prefix = data.subspan(begin - prefix_bytes, prefix_bytes);
      raw_.resize(block.size());
      const double start = thread_seconds();
      compress(block, prefix);
      const double middle = thread_seconds();
      decompressor_->decompress(std::span(stored_).first(stored_bytes_), raw_, prefix);
      pass.decompress_seconds += thread_seconds() - middle;
      pass.compress_seconds += middle - start;
      pass.stored_bytes += std::min(stored_bytes_, block.size());
      if (!std::ranges::equal(raw_, block)) {
        throw Error(ErrorKind::internal, to_string(rung_) + " did not give back what it was given");
      }
    }
    return pass;
  }

 private:
  void compress(std::span<const std::byte> block, std::span<const std::byte> prefix) {
    compressor_->begin(block, rung_.setting, prefix);
    stored_bytes_ = 0;
    std::size_t bytes = 0;
    do {
      if (stored_.size() < stored_bytes_ + kPacketBytes) {
        stored_.resize(2 * stored_.size() + block.size() + kPacketBytes);
      }
      bytes = compressor_->next_packet(std::span(stored_).subspan(stored_bytes_, kPacketBytes));
      stored_bytes_ += bytes;
    } while (bytes == kPacketBytes);
  }

  Rung rung_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<std::byte> stored_;
  std::size_t stored_bytes_ = 0;
  std::vector<std::byte> raw_;
};

}  // namespace

LevelMeasurement measure_rung(const Rung& rung, std::span<const std::byte> data,
                              const BlockShape& shape) {
  Bench bench(rung);
  Pass best = bench.run(data, shape);
  double spent = best.compress_seconds + best.decompress_seconds;
  for (int pass = 1; pass < kMaxPasses && spent < kEnoughSeconds; ++pass) {
    const Pass next = bench.run(data, shape);
    best.compress_seconds = std::min(best.compress_seconds, next.compress_seconds);
    best.decompress_seconds = std::min(best.decompress_seconds, next.decompress_seconds);
    spent += next.compress_seconds + next.decompress_seconds;
  }
  const auto raw_bytes = static_cast<double>(data.size());
  return {.rung = rung,
          .compress_bytes_per_second = raw_bytes / best.compress_seconds,
          .ratio = raw_bytes / static_cast<double>(best.stored_bytes),
          .decompress_bytes_per_second = raw_bytes / best.decompress_seconds};
}

}  // namespace adoc
